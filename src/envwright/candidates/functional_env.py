"""Gymnasium's own JAX ports as candidates: the `FuncEnv`s behind its phys2d and tabular ids."""

import importlib.util
import sys
from types import ModuleType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.candidates.outside import as_by_default, box, made, package, source
from envwright.candidates.rules import GameRules, Moment, Split
from envwright.core.spaces import Discrete, Space

BLACKJACK = "gymnasium.envs.tabular.blackjack"
FUNCTIONAL = {  # id: module, class
    "phys2d/CartPole-v0": ("gymnasium.envs.phys2d.cartpole", "CartPoleFunctional"),
    "phys2d/CartPole-v1": ("gymnasium.envs.phys2d.cartpole", "CartPoleFunctional"),
    "phys2d/Pendulum-v0": ("gymnasium.envs.phys2d.pendulum", "PendulumFunctional"),
    "tabular/Blackjack-v0": (BLACKJACK, "BlackjackFunctional"),
    "tabular/CliffWalking-v0": ("gymnasium.envs.tabular.cliffwalking", "CliffWalkingFunctional"),
}
HANDS = 4  # cards dealt before the first move: the player's two, then the dealer's two
DRAWN = 19  # cards that may follow in one move: a hand has room for 21


def functional_candidate(id: str, **options: Any) -> JaxCandidate:
    """The port behind `gymnasium.make(id)`, called just as that calls it; options become its attributes.

    `make` hands no params over, so each function falls back on its default, and so it does here until
    `with_params` asks for other numbers. Nothing truncates: the time limit of these ids is a wrapper around them.
    """
    package("gymnasium", "gymnasium")
    package("flax", "gymnax")
    env = made("Gymnasium's functional API", id, FUNCTIONAL, lambda: _class(id)(options))
    default = env.default_params

    def given(params: Any) -> dict[str, Any]:
        return {} if params is default else {"params": params}

    def init(key: Any, params: Any) -> tuple[Any, Any]:
        state = env.initial(rng=key, **given(params))
        return env.observation(state, key, **given(params)), state

    def step(key: Any, state: Any, action: Any, params: Any) -> Moment:
        more = given(params)
        action = jnp.reshape(action, env.action_space.shape)  # CliffWalking's is a box of one whole number
        new = env.transition(state, action, key, **more)
        obs = env.observation(new, key, **more)
        reward = env.reward(state, action, new, key, **more)
        terminated = env.terminal(new, key, **more)
        info = env.transition_info(state, action, new, **more)
        return Moment(obs, _in_shape(state, new), reward, terminated, False, info)

    module = sys.modules[type(env).__module__]
    blackjack = id.startswith("tabular/Blackjack")
    return JaxCandidate(
        GameRules(
            name=f"gymnasium:{id}",
            init=init,
            step=step,
            params=default,
            fixed_params=True,
            action_space=_space(env.action_space),
            split=_cards(module, init, step) if blackjack else None,
            functions=module,
            provenance=source("gymnasium", options=options),
        )
    )


def _class(id: str) -> Any:
    name, kind = FUNCTIONAL[id]
    return getattr(_with_a_tape(name) if name == BLACKJACK else package(name, "gymnasium"), kind)


def _in_shape(old: Any, new: Any) -> Any:
    """CliffWalking's `fallen` is a number at first and a vector of one after a step; a state keeps its shape here."""
    return jax.tree.map(lambda a, b: jnp.reshape(b, jnp.shape(a)), old, new)


def _space(space: Any) -> Space | None:
    spaces = package("gymnasium.spaces", "gymnasium")
    if isinstance(space, spaces.Discrete):
        return Discrete(int(space.n))
    return box(space.low, space.high, space.shape, space.dtype) if isinstance(space, spaces.Box) else None


# ---- Blackjack's chance ----


class Tape(NamedTuple):
    """Cards to be dealt, in place of a key."""

    cards: Any
    dealt: Any


def _with_a_tape(name: str) -> ModuleType:
    """Gymnasium's Blackjack again, as a module of its own, whose `random_card` deals from a tape if it is given one."""
    ours = f"{__name__}.blackjack"
    if ours in sys.modules:
        return sys.modules[ours]
    place = importlib.util.find_spec(name)
    assert place is not None
    assert place.origin is not None
    spec = importlib.util.spec_from_file_location(ours, place.origin)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with as_by_default():
        spec.loader.exec_module(module)
    draw = module.random_card

    def random_card(key: Any) -> Any:
        return (key.cards[key.dealt], key._replace(dealt=key.dealt + 1)) if isinstance(key, Tape) else draw(key)

    setattr(module, "random_card", random_card)  # noqa: B010, a module has no such attribute to a type checker
    sys.modules[ours] = module
    return module


def _cards(module: Any, init: Any, step: Any) -> Split:
    def draw(key: Any, many: int) -> dict[str, Any]:
        cards = []
        for _ in range(many):
            card, key = module.random_card(key)
            cards.append(card)
        return {"cards": jnp.stack(cards)}

    def tape(chance: dict[str, Any]) -> Tape:
        return Tape(chance["cards"], jnp.int32(0))

    return Split(
        draw_start=lambda key, params: draw(key, HANDS),
        start=lambda chance, params: init(tape(chance), params),
        draw=lambda key, state, action, params: draw(key, DRAWN),
        apply=lambda state, action, chance, params: step(tape(chance), state, action, params),
    )
