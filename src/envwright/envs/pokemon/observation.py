"""What each player sees: its own team in full, and of the other's what has been shown.

Each feature is named once, in `FEATURES`, from which the table in card.md is written as well. Arrays have the two
players as their first axis: `mine` is an array of both, `theirs` the same with the players exchanged.
"""

from collections.abc import Iterable

import jax
import jax.numpy as jnp

from envwright.envs.pokemon import knowledge as know
from envwright.envs.pokemon.estimate import active, damage, effect, here, other, public_stats, speeds
from envwright.envs.pokemon.state import BOOSTS, MEMBERS, MOVE, SLOTS, STATUSES, SWITCH, State

FACTOR = "(log2 of the factor of damage) / 2; -1 for no effect"
MEMBER = {  # of each member of the player's own team, in the order of the actions that switch to it
    "hp": "share of HP left",
    "active": "it is on the field",
    "unable": "asleep or frozen",
    "paralysed": "paralysed",
    "hurting": "burned or poisoned",
    "damage": "what its best move would take from the foe's active Pokemon, in shares of maximal HP, at most 1",
    "threat": f"the types of the foe's active Pokemon against it, the better one: {FACTOR}",
    "faster": "it is faster than the foe's active Pokemon, boosts aside",
}
FOE_MEMBER = {  # of each member of the foe's team that has been seen, sorted by its number in the Pokedex; then zeros
    "seen": "there is one",
    "hp": "HP left as shown, in hundredths, over 100",
    "active": "it is on the field",
    "unable": "asleep or frozen",
    "paralysed": "paralysed",
    "hurting": "burned or poisoned",
    "threat": f"its types against the player's active Pokemon, the better one: {FACTOR}",
    "weakness": f"the types of the player's active Pokemon against it, the better one: {FACTOR}",
}
ACTIVE = {
    "attack": "attack / 500, with boosts, burn and paralysis",
    "defence": "defence / 500",
    "speed": "speed / 500",
    "special": "special / 500",
    **{f"boost_{name}": f"stages of {name} / 6" for name in BOOSTS},
    **{id: f"status {id}" for id in STATUSES[1:]},
    "substitute": "behind a substitute",
    "confused": "confused",
    "recharging": "has to recharge",
    "charging": "in the first turn of Sky Attack",
    "reflect": "behind Reflect",
    "transformed": "transformed",
    **{f"type_{name.lower()}": f"of type {name}" for name in know.TYPES[1:]},
}
DYNAMIC = {  # of each move of the active Pokemon, what depends on the battle
    "pp": "share of PP left",
    "effect": f"its type against the foe's active Pokemon: {FACTOR}; 0 for what does no damage",
    "damage": "expected damage if it hits, in shares of the foe's maximal HP, at most 1",
    "knocks_out": "that is at least what the foe has left",
}
SLOT = DYNAMIC | {name: meaning for name, (meaning, _) in know.TRAITS.items()}
GLOBAL = {
    "turn": "turn / 100, at most 1",
    "must_move": "a move or a switch is asked for",
    "must_switch": "a switch is asked for: the active Pokemon fainted",
    "foe_must_switch": "the foe has to switch",
    "left": "members that have not fainted / 6",
    "foe_left": "the same of the foe",
    "speed_lead": "(own speed - foe's speed) / their sum, the foe's as far as it can be known",
    "shown_damage": "the most that a move the foe's active Pokemon has shown would take, in shares of own maximal HP",
    "typed_damage": "the same of a move of power 90 of one of its types",
    "shown_knocks_out": "the more of these two is at least the HP left",
    **{f"shown_{name}": f"the foe's active Pokemon has a move that {m}" for name, (_, m) in know.SHOWN_FLAGS.items()},
}  # fmt: skip


GROUPS = (  # what the array is made of, in this order: prefix, how many of them, features, whose
    ("", 1, GLOBAL, "The battle"),
    ("move", SLOTS, SLOT, "Each move of the own active Pokemon"),
    ("mine", 1, ACTIVE, "The own active Pokemon"),
    ("foe", 1, ACTIVE, "The foe's active Pokemon, its stats as its species, level, boosts and status tell"),
    ("member", MEMBERS, MEMBER, "Each member of the own team, by the order of the actions that switch to it"),
    ("foe", MEMBERS, FOE_MEMBER, "Each member of the foe's team that has been seen, sorted by species; then zeros"),
)  # fmt: skip


def _features() -> dict[str, str]:
    """Names and meanings, in the order of the array."""
    found = {}
    for prefix, many, features, _ in GROUPS:
        for i in range(many):
            start = "" if not prefix else f"{prefix}." if many == 1 else f"{prefix}{i}."
            found |= {start + name: meaning for name, meaning in features.items()}
    return found


def documentation() -> str:
    """The features as tables, for card.md."""
    parts, at = [], 0
    for prefix, many, features, title in GROUPS:
        where = f"{at} + n" if many == 1 else f"{at} + {len(features)} i + n, i from 0 to {many - 1}"
        start = "" if not prefix else f"{prefix}." if many == 1 else f"{prefix}{{i}}."
        rows = [f"| {n} | `{start}{name}` | {meaning} |" for n, (name, meaning) in enumerate(features.items())]
        parts.append(
            "\n".join([f"**{title}** (index {where})", "", "| n | feature | meaning |", "|---|---|---|", *rows])
        )
        at += many * len(features)
    return "\n\n".join(parts)


FEATURES = _features()
INDEX = {name: i for i, name in enumerate(FEATURES)}


def observe(state: State) -> jax.Array:
    """(2, features) float32: what each player sees."""
    now = _Now(state)
    traits = jnp.asarray(know.MOVE_TRAITS)[state.active_moves.astype(jnp.int32)]  # (2, 4, traits)
    mine, foe = _active(state, _real(state.modified)), other(_row(_active(state, now.public), ACTIVE))
    # In blocks, not feature by feature: what is looked up in a table would be looked up for each of 300 anew.
    blocks = [
        _row(_global(state, now), GLOBAL),
        jnp.concatenate([_row(_slots(state, now), DYNAMIC), traits], axis=-1),
        _row(mine, ACTIVE),
        foe,
        _row(_members(state, now), MEMBER),
        _row(_foes(state, now), FOE_MEMBER),
    ]
    return jnp.concatenate([block.reshape(2, -1) for block in blocks], axis=-1)


def _row(found: dict[str, jax.Array], names: Iterable[str]) -> jax.Array:
    """Values by name, (2, ...), side by side in the order of the names, (2, ..., n) float32."""
    return jnp.stack([found[name].astype(jnp.float32) for name in names], axis=-1)


UNSEEN = 1 << 30  # as a packed member: behind all others


class _Now:
    """What several groups of features need."""

    def __init__(self, state: State) -> None:
        self.hp = active(state, state.hp).astype(jnp.float32)  # exact, the player's own
        self.max_hp = active(state, state.stats[..., 0]).astype(jnp.float32)
        self.level = active(state, state.level).astype(jnp.float32)
        self.public, self.public_hp = public_stats(state)
        self.percent = percent(state.hp, state.stats[..., 0])  # (2, 6) of 100
        self.foe_hp = other(active(state, self.percent) / 100 * self.public_hp)
        self.weak = jnp.asarray(know.WEAKNESSES)[state.active_species.astype(jnp.int32)]  # (2, 2 words)
        self.words = jnp.asarray(know.MOVE_WORDS)[state.active_moves.astype(jnp.int32)]  # (2, 4)
        self.types = state.types.astype(jnp.uint32)  # (2, 2)


def _real(numbers: jax.Array) -> jax.Array:
    return numbers.astype(jnp.float32)


def percent(hp: jax.Array, max_hp: jax.Array) -> jax.Array:
    """HP as the other player is shown them: hundredths, rounded up, but 100 only of one that is unhurt."""
    # The quotient is a whole number or at least 1/703 above one, so that this is exact however it is rounded.
    hundredths = jnp.ceil(100 * _real(hp) / _real(jnp.maximum(max_hp, 1)) - 5e-4)
    return jnp.where((hundredths == 100) & (hp < max_hp), 99.0, hundredths)


def _global(state: State, now: _Now) -> dict[str, jax.Array]:
    alive = _real(state.hp > 0).sum(axis=1) / MEMBERS
    # The foe's attacks on the player: (2, 4) of the moves that it has shown, (2, 2) of its types.
    words = jnp.where(shown(state), now.words, jnp.uint32(0))
    typed = jnp.where(now.types > 0, now.types | jnp.uint32(90 << know.STRENGTH), jnp.uint32(0))
    theirs = {"attack": other(now.public), "level": other(now.level), "types": other(now.types)}
    mine = {"stats": _real(state.modified), "reflect": state.reflect, "weak": now.weak, "hp": now.hp}
    hurt = damage(other(words), **theirs, **mine).max(axis=1)
    typed_hurt = damage(other(typed), **theirs, **mine).max(axis=1)
    lead_mine, lead_theirs = speeds(state, now.public)
    known = words[:, 0] | words[:, 1] | words[:, 2] | words[:, 3]
    return {
        "turn": jnp.broadcast_to(jnp.minimum(_real(state.turn) / 100, 1), (2,)),
        "must_move": state.request == MOVE,
        "must_switch": state.request == SWITCH,
        "foe_must_switch": other(state.request == SWITCH),
        "left": alive,
        "foe_left": other(alive),
        "speed_lead": (lead_mine - lead_theirs) / (lead_mine + lead_theirs + 1),
        "shown_damage": jnp.minimum(hurt / now.max_hp, 1),
        "typed_damage": jnp.minimum(typed_hurt / now.max_hp, 1),
        "shown_knocks_out": jnp.maximum(hurt, typed_hurt) >= now.hp,
        **{
            f"shown_{name}": other((known & jnp.uint32(flag)) > 0)
            for name, (flag, _) in know.SHOWN_FLAGS.items()
        },
    }  # fmt: skip


def shown(state: State) -> jax.Array:
    """(2, 4) bool: which moves of each active Pokemon the other player knows.

    A move is known once it has cost PP; what Mimic and Transform gave was seen when it came.
    """
    base = active(state, state.moves)
    full = jnp.asarray(know.MAX_PP)[base.astype(jnp.int32)]
    came = state.active_moves != base
    return (active(state, state.pp) < full) | came | state.transformed[:, None]


def _slots(state: State, now: _Now) -> dict[str, jax.Array]:
    """Of the four moves of the player's active Pokemon, (2, 4)."""
    ids = state.active_moves.astype(jnp.int32)
    full = jnp.asarray(know.MAX_PP)[ids].astype(jnp.float32)
    hurt = damage(
        now.words,
        attack=_real(state.modified),
        level=now.level,
        types=now.types,
        stats=other(now.public),
        reflect=other(state.reflect),
        weak=other(now.weak),
        hp=now.foe_hp,
    )
    fixed = (now.words >> know.STRENGTH) & 0x1FF
    return {
        "pp": jnp.minimum(_real(state.active_pp) / jnp.maximum(full, 1), 1),
        "effect": jnp.where(fixed > 0, _signed(effect(now.words & 15, other(now.weak)[:, None])), 0),
        "damage": jnp.minimum(hurt / other(now.public_hp)[:, None], 1),
        "knocks_out": (hurt >= now.foe_hp[:, None]) & (hurt > 0),
    }


def _active(state: State, stats: jax.Array) -> dict[str, jax.Array]:
    """Of each active Pokemon, (2,); what both players may know but for the `stats`, which the owner knows better."""
    status = active(state, state.status)
    types = state.types.astype(jnp.int32)
    return {
        **{name: jnp.minimum(stats[:, i] / 500, 2) for i, name in enumerate(("attack", "defence", "speed", "special"))},
        **{f"boost_{name}": _real(state.boosts[:, i]) / 6 for i, name in enumerate(BOOSTS)},
        **{id: status == i for i, id in enumerate(STATUSES) if i},
        "substitute": state.substitute > 0,
        "confused": state.confusion > 0,
        "recharging": state.recharging,
        "charging": state.charging,
        "reflect": state.reflect,
        "transformed": state.transformed,
        **{f"type_{name.lower()}": (types == i).any(axis=1) for i, name in enumerate(know.TYPES) if i},
    }


def _members(state: State, now: _Now) -> dict[str, jax.Array]:
    """Of the members of the player's own team, (2, 6)."""
    alive, stats = state.hp > 0, _real(state.stats)
    words = jnp.asarray(know.MOVE_WORDS)[state.moves.astype(jnp.int32)]  # (2, 6, 4)
    species = state.species.astype(jnp.int32)
    weak = jnp.asarray(know.WEAKNESSES)[species]  # (2, 6, 2 words)
    best = damage(
        words,
        attack=stats[..., 1:],
        level=_real(state.level),
        types=jnp.asarray(know.SPECIES_TYPES)[species].astype(jnp.uint32),
        stats=other(now.public)[:, None],
        reflect=other(state.reflect)[:, None],
        weak=other(now.weak)[:, None],
        hp=now.foe_hp[:, None],
    ).max(axis=-1)
    return {
        "hp": _real(state.hp) / jnp.maximum(stats[..., 0], 1),
        "active": here(state),
        **_conditions(state.status),
        "damage": jnp.where(alive, jnp.minimum(best / other(now.public_hp)[:, None], 1), 0),
        "threat": jnp.where(alive, _worst(other(now.types)[:, None], weak), 0),
        "faster": (stats[..., 3] > other(now.public)[:, None, 2]) & alive,
    }


def _foes(state: State, now: _Now) -> dict[str, jax.Array]:
    """Of the members of the foe's team that have been seen, (2, 6), sorted: their order in the team stays hidden."""
    packed = state.species.astype(jnp.int32) << 11 | now.percent.astype(jnp.int32) << 4
    packed |= state.status.astype(jnp.int32) << 1 | here(state).astype(jnp.int32)
    packed = _sorted(other(jnp.where(state.seen & (state.species > 0), packed, UNSEEN)))
    seen = packed < UNSEEN
    packed = jnp.where(seen, packed, 0)
    species = packed >> 11
    weak = jnp.asarray(know.WEAKNESSES)[species]
    types = jnp.asarray(know.SPECIES_TYPES)[species].astype(jnp.uint32)
    return {
        "seen": seen,
        "hp": _real((packed >> 4) & 127) / 100,
        "active": (packed & 1) > 0,
        **_conditions((packed >> 1) & 7),
        "threat": jnp.where(seen, _worst(types, now.weak[:, None]), 0),
        "weakness": jnp.where(seen, _worst(now.types[:, None], weak), 0),
    }


def _conditions(status: jax.Array) -> dict[str, jax.Array]:
    names = ("", "unable", "hurting", "hurting", "unable", "paralysed")
    return {
        name: jnp.stack([status == i for i, found in enumerate(names) if found == name]).any(axis=0)
        for name in ("unable", "paralysed", "hurting")
    }


def _worst(types: jax.Array, weak: jax.Array) -> jax.Array:
    """The better effect of a Pokemon's two types, (..., 2), against one with these weaknesses, as a feature."""
    first, second = (effect(types[..., i], weak) for i in range(2))
    return _signed(jnp.maximum(first, jnp.where(types[..., 1] > 0, second, 0)))


def _signed(factor: jax.Array) -> jax.Array:
    """A factor of damage between -1 and 1: 0.25 and 0 are -1, 1 is 0, 4 is 1."""
    return jnp.log2(jnp.maximum(factor, 0.25)) / 2


# Compare and exchange, in this order, sorts six (a well-known network of twelve).
NETWORK = ((0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3), (2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4))


def _sorted(words: jax.Array) -> jax.Array:
    """The last axis of six in rising order, without a sort, which would not fit into a kernel."""
    row = [words[..., i] for i in range(MEMBERS)]
    for low, high in NETWORK:
        row[low], row[high] = jnp.minimum(row[low], row[high]), jnp.maximum(row[low], row[high])
    return jnp.stack(row, axis=-1)
