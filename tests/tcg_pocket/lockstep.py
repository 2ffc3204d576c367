"""Reference and engine side by side: the same decks, actions and draws, synchronised at the start alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from envwright.envs.tcg_pocket.engine.deciding import StepDraws
from envwright.envs.tcg_pocket.engine.setup import StartDraws
from envwright.envs.tcg_pocket.env import TcgPocket
from envwright.envs.tcg_pocket.layout import FIELDS, OVER, PASS
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.reference.tape import START, STEP, TapedDice, columns
from envwright.envs.tcg_pocket.state import State


def fields(games: Sequence[PocketGame]) -> State:
    """States of the reference as the engine has them."""
    made = [game.fields() for game in games]
    found: dict[str, Any] = {name: np.array([one[name] for one in made], dtype) for name, (_, dtype) in FIELDS.items()}
    return State(**found)


class Pair:
    """Some games of the reference, and those of the engine."""

    def __init__(self, decks: Any, games: int, **flags: Any) -> None:
        self.env = TcgPocket(decks=decks, **flags)
        self.params = self.env.default_params
        self.games = [PocketGame(decks=decks, **flags) for _ in range(games)]
        self.tapes = [TapedDice() for _ in self.games]
        for game, tape in zip(self.games, self.tapes, strict=True):
            game.dice = tape
        self.begin = jax.jit(jax.vmap(lambda draws: self._seen(*self.env.start(draws, self.params))))
        self.step = jax.jit(jax.vmap(self._step))
        self.steps = 0
        self.state: Any = None

    def _seen(self, obs: jax.Array, state: State) -> Any:
        return state, obs, self.env.legal_actions(state, self.params)

    def _step(self, state: State, action: jax.Array, draws: StepDraws) -> Any:
        made = self.env.apply(state, action, draws, self.params)
        return *self._seen(made.obs, made.state), made.reward, made.terminated

    def start(self, rng: np.random.Generator) -> None:
        obs = [game.reset(seed=int(rng.integers(2**31)))[0] for game in self.games]
        draws = StartDraws(**columns([tape.wind() for tape in self.tapes], START))
        self.state, seen, legal = self.begin(draws)
        self.compare(seen, np.array(obs), legal)

    def play(self, rng: np.random.Generator) -> bool:
        """One step of all games; whether any goes on."""
        masks = np.array([game.action_masks() for game in self.games])
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(-1)
        actions = np.where((actions == PASS) & (rng.random(actions.shape) < 0.8), _other(masks, rng), actions)
        made = [game.step(action) for game, action in zip(self.games, actions, strict=True)]
        draws = StepDraws(**columns([tape.wind() for tape in self.tapes], STEP))
        self.state, seen, legal, reward, done = self.step(self.state, actions.astype(np.int32), draws)
        self.compare(seen, np.array([one[0] for one in made]), legal)
        assert np.array_equal(reward, np.array([one[1] for one in made]))
        assert np.array_equal(done, np.array([one[2] for one in made]))
        self.steps += sum(not one[2] for one in made)
        return not all(game.pending == OVER for game in self.games)

    def compare(self, seen: Any, obs: NDArray[Any], legal: Any) -> None:
        want = fields(self.games)
        for name in FIELDS:
            ours, theirs = np.asarray(getattr(self.state, name)), getattr(want, name)
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs), f"{name}: {_first(ours, theirs)}"
        assert np.array_equal(seen, obs), f"observation: {_first(np.asarray(seen), obs)}"
        masks = np.array([game.action_masks() for game in self.games])
        assert np.array_equal(legal, masks), f"legal actions: {_first(np.asarray(legal), masks)}"


def _other(masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Something else than passing, where there is anything."""
    rest = masks & (np.arange(masks.shape[-1]) != PASS)
    return np.where(rest.any(-1), np.where(rest, rng.random(masks.shape), -1).argmax(-1), PASS)


def _first(ours: NDArray[Any], theirs: NDArray[Any]) -> str:
    at = tuple(int(i) for i in np.argwhere(ours != theirs)[0])
    return f"game and place {at}: expected {theirs[at]}, got {ours[at]}"


def random_states(n: int, rng: np.random.Generator) -> list[dict[str, NDArray[Any]]]:
    """States of random games of the reference, one after the other."""
    found: list[dict[str, NDArray[Any]]] = []
    game = PocketGame()
    while len(found) < n:
        if game.pending == OVER or not found:
            game.reset(seed=int(rng.integers(2**31)))
        masks = game.action_masks()
        game.step(np.where(masks, rng.random(masks.shape), -1).argmax(-1))
        found.append({name: np.array(value, FIELDS[name][1]) for name, value in game.fields().items()})
    return found


def stacked(states: Sequence[Mapping[str, NDArray[Any]]]) -> State:
    found: dict[str, Any] = {name: np.stack([state[name] for state in states]) for name in FIELDS}
    return State(**found)
