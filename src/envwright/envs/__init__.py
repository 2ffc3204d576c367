"""The environments in the box, one folder each. Importing this imports none of them."""

import os
from pathlib import Path

from envwright.core.registry import register
from envwright.core.spec import Controls, Form, Spec, keys
from envwright.references.registry import register_reference

GAMEBOY_ROMS = "ENVWRIGHT_ROMS"  # the environment variable that names a folder
GAMEBOY_STEPS = 1300  # ticks of an episode: eight episodes are more than 10,000 ticks a ROM

GAMEBOY_GAMES = ("orchard", "snake", "canyon")
GAMEBOY_PROGRAMS = (
    "timer", "halt", "stat", "poll", "dma", "sprites", "window", "sound", "lines", "mbc1", "mbc2", "mbc3", "mbc5",
    "mix",
)  # fmt: skip
POCKET_FLAGS = {  # of TcgPocket, each other than its default
    "first_turn_draw": False,
    "opening_hand": "reshuffle",
    "unused_energy": "kept",
    "simultaneous": "points",
    "turn_limit": 12,
    "promotion": "turn_first",
    "first_turn_supporter": False,
    "first_turn_attack": False,
}


def register_all() -> None:
    """Put the environments of this package, and the kinds of references that only they need, into the registries."""
    register_reference("pufferlib", "envwright.envs.pong.kind:PufferLib")
    register_reference("showdown", "envwright.envs.pokemon.kind:Showdown")
    register_reference("rulebook", "envwright.envs.tcg_pocket.kind:Rulebook")
    register_reference("pyboy", "envwright.envs.gameboy.kind:PyBoyKind")
    register(
        Spec(
            "Pong-v0",
            "envwright.envs.pong:Pong",
            summary="PufferLib's Pong, bit for bit (C to JAX)",
            forms=tuple(_pong(frameskip, actions) for frameskip in (1, 8) for actions in ("discrete", "continuous")),
            controls=Controls(keys(each={1: "up w k", 2: "down s j"}), idle=(0,), help="↑ w k up  ↓ s j down"),
        )
    )
    register(
        Spec(
            "CartPole-v1",
            "envwright.envs.cartpole:CartPole",
            max_episode_steps=500,
            summary="Gymnasium's CartPole, the worked example (Python to JAX)",
            # There is no action that leaves the cart alone; pushing it to and fro comes to the same.
            controls=Controls(keys(each={0: "left a h", 1: "right d l"}), idle=(0, 1), help="← a h left  → d l right"),
        )
    )
    register(
        Spec(
            "Pokemon-v0",
            "envwright.envs.pokemon:Pokemon",
            summary="Pokemon Showdown's generation 1 random battles, bit for bit (TypeScript to JAX)",
            opponents={name: f"envwright.envs.pokemon.opponents:{name}" for name in ("max_damage", "heuristic")},
            replay="envwright.envs.pokemon.replay:replay",
            screen="envwright.envs.pokemon.screen:screen",
        )
    )
    register(
        Spec(
            "TcgPocket-v0",
            "envwright.envs.tcg_pocket:TcgPocket",
            summary="Pokemon TCG Pocket, 302 cards, from a specification (rulebook to Python to JAX)",
            forms=(_pocket("flags as they are by default"), _pocket("all flags the other way", **POCKET_FLAGS)),
            opponents={"heuristic": "envwright.envs.tcg_pocket.players.opponents:heuristic"},
            replay="envwright.envs.tcg_pocket.shown.replay:replay",
            screen="envwright.envs.tcg_pocket.shown.screen:screen",
        )
    )
    register(
        Spec(
            "GameBoy-v0",
            "envwright.envs.gameboy:GameBoy",
            summary="any Game Boy ROM, tick for tick as on PyBoy (an emulator in Rust)",
            forms=gameboy_forms(),
        )
    )
    for name, actions, help_line, summary in (
        ("Orchard", {1: "left a h", 2: "right d l"}, "← → move", "catch what falls (C, for the Game Boy)"),
        (
            "Snake",
            {1: "right d l", 2: "left a h", 3: "up w k", 4: "down s j"},
            "arrows turn",
            "eat and grow (Game Boy)",
        ),
        (
            "Canyon",
            {1: "up w k", 2: "down s j", 3: "left a h", 4: "right d l", 5: "space"},
            "arrows fly  space shoots",
            "fly and shoot (Game Boy)",
        ),
    ):
        register(
            Spec(
                f"{name}-v0",
                f"envwright.envs.gameboy.games.{name.lower()}:make",
                summary=summary,
                controls=Controls(keys(each=actions), idle=(0,), help=help_line),
            )
        )
    for name, folder, summary in (
        ("HalfCheetah", "half_cheetah", "a cheetah in the plane that learns to run"),
        ("Walker2d", "walker2d", "two legs in the plane that learn to walk"),
        ("InvertedPendulum", "inverted_pendulum", "a cart that balances a pole"),
        ("InvertedDoublePendulum", "inverted_double_pendulum", "a cart that balances a pole on a pole"),
    ):
        register(
            Spec(
                f"{name}-v5",
                f"envwright.envs.{folder}:{name}",
                max_episode_steps=1000,
                summary=f"Gymnasium's {name} on MuJoCo, {summary} (C to JAX)",
                forms=(
                    Form("MuJoCo's solver at its tolerance", {}),
                    Form("MuJoCo's solver exact", {}, setting="tight"),
                ),
            )
        )


def _pong(frameskip: int, actions: str) -> Form:
    """Frames a step and the kind of actions change the rules; so does how a scripted player has to aim."""
    options = {"frameskip": frameskip, "continuous": actions == "continuous"}
    attack = f"policies.py:attack{'' if frameskip == 1 else f'_{frameskip}'}_{actions}"
    return Form(f"frameskip {frameskip}, {actions} actions", options, (attack,), phases=frameskip == 1)


def gameboy_forms() -> tuple[Form, ...]:
    """A tick a step, any buttons at all, every dot of the screen; and one as policies see it, for L4."""
    return (
        *(_gameboy(name, name) for name in GAMEBOY_GAMES),
        Form("orchard, as it is trained", {"rom": "orchard", "observation": "ram", "max_episode_steps": 400}),
        *(_gameboy(f"test program {name}", f"micro/{name}") for name in GAMEBOY_PROGRAMS),
        *(_gameboy(f"ROM {path.stem}", str(path)) for path in _own_roms()),
    )


def _gameboy(name: str, rom: str) -> Form:
    options = {"rom": rom, "frame_skip": 1, "actions": "all", "observation": "grey", "max_episode_steps": GAMEBOY_STEPS}
    return Form(name, options)


def _own_roms() -> list[Path]:
    folder = os.environ.get(GAMEBOY_ROMS)
    return sorted(Path(folder).expanduser().resolve().glob("*.gb")) if folder else []


def _pocket(name: str, **flags: object) -> Form:
    """TCG Pocket with published and random decks: of the published ones many cards are in none."""
    return Form(name, {"decks": "all", **flags})
