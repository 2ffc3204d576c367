"""Any environment written in JAX as a candidate: its rules, run in batches."""

import importlib
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from envwright.candidates.one_game import LOG, OneGame
from envwright.candidates.protocol import ColumnKind, Columns
from envwright.candidates.rules import GameRules
from envwright.candidates.trees import filled, named
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Discrete, Space

# Everything is done in parts of one size, filled up where there is less, so that one size is compiled: that may take
# XLA ten seconds and more, and a call a millisecond.
GAMES = 256
PLAYED, STEPS = 128, 64  # games that are played on at once, and for so many steps


@dataclass(frozen=True, eq=False)
class JaxCandidate:
    """`GameRules`, run in batches."""

    rules: GameRules
    double: bool = False
    shared: OneGame | None = None  # whose compiled functions to use; params apart, they are the same

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def takes_chance(self) -> bool:
        return self.rules.split is not None

    @property
    def players(self) -> int:
        return self.rules.players

    @property
    def action_space(self) -> Space | None:
        return self.rules.action_space

    @property
    def params(self) -> Columns:
        return {name: np.asarray(value) for name, value in named(self.rules.params).items()}

    def provenance(self) -> dict[str, Any]:
        return {"candidate": self.name, "jax": jax.__version__, **self.rules.provenance}

    def kinds(self) -> dict[str, ColumnKind]:
        with self._as_its_authors_run_it():
            given = (self._template[1], self._action, self._chance[1], np.uint32(0))
            shapes = jax.eval_shape(lambda *game: OneGame(self.rules).step(self.rules.params, *game), *given)
        order = [f"state.{name}" for name in named(self._template[1])]  # as written; tracing sorts the names
        names = [*order, *(name for name in shapes if name not in order)]
        return {name: ColumnKind(shapes[name].shape, np.dtype(shapes[name].dtype)) for name in names}

    def chance_kinds(self) -> tuple[dict[str, ColumnKind], dict[str, ColumnKind]]:
        start, step = (
            {name: ColumnKind(np.shape(leaf), np.asarray(leaf).dtype) for name, leaf in named(tree).items()}
            for tree in self._chance
        )
        return start, step

    # ---- in batches ----

    def init(self, seeds: NDArray[np.uint32]) -> Columns:
        return self._run("init", len(seeds), np.asarray(seeds, np.uint32))

    def start(self, chance: Columns, games: int) -> Columns:
        return self._run("start", games, self._filled_chance(0, chance, games), _seeds(games))

    def step(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        games = len(actions)
        if chance is None and self.takes_chance:
            chance = self.draw(_seeds(games), state, actions)
        drawn = self._filled_chance(1, chance or {}, games)
        return self._run("step", games, self._checked(state), self._actions(actions), drawn, _seeds(games))

    def step_uncompiled(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        games = len(actions)
        drawn = self._filled_chance(1, chance or {}, games)
        given = (self._checked(state), self._actions(actions), drawn, _seeds(games))
        step = self._game.over_games(self._game.step)
        with self._as_its_authors_run_it(), jax.disable_jit():
            outcome = step(self.rules.params, *jax.tree.map(jnp.asarray, given))
            return {name: np.asarray(column) for name, column in outcome.items()}

    def play(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        games, steps = np.shape(actions)[:2]
        drawn = self._filled_chance(1, chance or {}, (games, steps))
        seeds = np.arange(games * steps, dtype=np.uint32).reshape(games, steps)
        whole = self._checked(state), (self._actions(actions), drawn, seeds)
        return _stacked([self._play(began, tape, steps) for began, tape in _parts(whole, games, PLAYED)], games)

    def play_on(self, state: Columns, actions: NDArray[Any], chance: Columns, start: Columns) -> Columns:
        lead = np.shape(actions)[:2]
        fields = {name: column for name, column in state.items() if not name.startswith(LOG)}
        tape = self._actions(actions), self._filled_chance(1, chance, lead), self._filled_chance(0, start, lead)
        with self._as_its_authors_run_it():
            none = self._empty_log(lead[1])
            log = {name: jnp.asarray(state.get(f"{LOG}{name}", zero)) for name, zero in none.items()}
            outcome = self._game.compiled["play_on"](self._params, self._checked(fields), log, *tape)
            return {name: np.asarray(column) for name, column in outcome.items()}

    def _empty_log(self, games: int) -> Columns:
        """Sums over no games at all."""
        shapes = jax.eval_shape(self.rules.summary, self._template[1], self.rules.params)
        return {name: np.zeros((games, *shape.shape), shape.dtype) for name, shape in shapes.items()}

    def _play(self, state: Any, tape: Any, steps: int) -> Columns:
        """Games that are as many as were compiled for, step by step to the end."""
        played: list[Columns] = []
        with self._as_its_authors_run_it():
            for first in range(0, steps, STEPS):
                some = jax.tree.map(lambda a, at=first: _fill_up(a[:, at : at + STEPS], STEPS, axis=1), tape)
                state, outcome = self._game.compiled["play"](self._params, state, *some)
                played.append({name: np.asarray(column) for name, column in outcome.items()})
        return {name: np.concatenate([part[name] for part in played], axis=1)[:, :steps] for name in played[0]}

    def draw_start(self, seeds: NDArray[np.uint32]) -> Columns:
        return self._run("draw_start", len(seeds), np.asarray(seeds, np.uint32))

    def draw(self, seeds: NDArray[np.uint32], state: Columns, actions: NDArray[Any]) -> Columns:
        state, actions = self._checked(state), self._actions(actions)
        return self._run("draw", len(seeds), np.asarray(seeds, np.uint32), state, actions)

    def phases(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> dict[str, Columns]:
        if self.rules.phases is None:
            return {}
        games = len(actions)
        drawn = self._filled_chance(1, chance or {}, games)
        flat = self._run("phases", games, self._checked(state), self._actions(actions), drawn)
        found: dict[str, Columns] = {}
        for name, column in flat.items():
            phase, value = name.split("\0")
            found.setdefault(phase, {})[value] = column
        return found

    def draws(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> Columns:
        if self.rules.draws is None:
            return {}
        games = len(actions)
        drawn = self._filled_chance(1, chance or {}, games)
        found = self._run("draws", games, self._checked(state), self._actions(actions), drawn)
        return {
            name.split("\0")[1]: np.ma.masked_array(value, ~happens) for name, (happens, value) in sorted(found.items())
        }

    def call(self, function: str, arguments: Sequence[NDArray[Any]]) -> NDArray[Any]:
        found = _function(self.rules.functions, function)
        if found is None:
            raise EnvwrightError(f"{self.name} has no function {function}; correct the contract's [[function]].")

        def one(*arguments: Any) -> Any:  # several results become one array, as a tuple of numbers does in NumPy
            result = found(*arguments)
            return jnp.stack(jax.tree.leaves(result)) if isinstance(result, tuple) else result

        with self._as_its_authors_run_it():
            return np.asarray(jax.vmap(one)(*(jnp.asarray(argument) for argument in arguments)))

    def with_params(self, params: Columns) -> "JaxCandidate":
        unknown = sorted(set(params) - set(self.params))
        if unknown:
            raise EnvwrightError(
                f"{self.name} has no param {unknown[0]}; it has {', '.join(self.params) or 'none'}. Correct [params]."
            )
        leaves, structure = jax.tree.flatten(self.rules.params)
        names = list(self.params)
        with self._as_its_authors_run_it():
            new = [
                _in_kind(params[name], leaf) if name in params else leaf
                for name, leaf in zip(names, leaves, strict=True)
            ]
        rules = replace(self.rules, params=jax.tree.unflatten(structure, new))
        return replace(self, rules=rules, shared=None if rules.fixed_params else self._game)

    def in_float64(self) -> "JaxCandidate | None":
        wide = replace(self, double=True)
        with wide._as_its_authors_run_it():
            params = jax.tree.map(_doubled, self.rules.params)
        wide = replace(wide, rules=replace(self.rules, params=params))
        try:
            kinds = wide.kinds()
        except Exception:  # written for single precision only: dtypes that no longer fit, in ways of their own
            return None
        # of the start as well: a step may widen what it is given
        begun = [np.asarray(leaf).dtype for leaf in jax.tree.leaves(wide._template[1])]
        stepped = [kind.dtype for name, kind in kinds.items() if name.startswith("state.")]
        floats = [dtype for dtype in (*begun, *stepped) if np.issubdtype(dtype, np.floating)]
        return wide if floats and all(dtype == np.float64 for dtype in floats) else None

    # ---- how it is run ----

    @cached_property
    def _template(self) -> tuple[Any, Any]:
        """The observation and the state of some new game."""
        with self._as_its_authors_run_it():
            return jax.jit(lambda: self.rules.init(self.rules.key(np.uint32(0)), self.rules.params))()

    @cached_property
    def _action(self) -> Any:
        space, seats = self.action_space, (self.players,) if self.players > 1 else ()
        if isinstance(space, Discrete) or space is None:
            return np.zeros(seats, np.int32)
        wide = self.double and np.issubdtype(space.dtype, np.floating)
        return np.zeros((*seats, *space.shape), np.float64 if wide else space.dtype)

    @cached_property
    def _chance(self) -> tuple[Any, Any]:
        """Some chance of a start and of a step, as templates."""
        if self.rules.split is None:
            return {}, {}
        key, params, split = self.rules.key, self.rules.params, self.rules.split
        with self._as_its_authors_run_it():
            start = split.draw_start(key(np.uint32(0)), params)
            step = split.draw(key(np.uint32(0)), self._template[1], jnp.asarray(self._action), params)
            return jax.tree.map(np.asarray, (start, step))

    @cached_property
    def _game(self) -> OneGame:
        return self.shared or OneGame(self.rules)

    def _run(self, what: str, games: int, *arguments: Any) -> Columns:
        compiled = self._game.compiled[what]
        with self._as_its_authors_run_it():
            done = [compiled(self._params, *part) for part in _parts(arguments, games, GAMES)]
            return _stacked([jax.tree.map(np.asarray, part) for part in done], games)

    @property
    def _params(self) -> Any:
        return None if self.rules.fixed_params else self.rules.params

    def _as_its_authors_run_it(self) -> ExitStack:
        """JAX's own defaults for numbers, whatever the process has set; and double precision where asked."""
        stack = ExitStack()
        if self.double:  # which its authors may not have thought of, so its warnings say nothing
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
        stack.enter_context(jax.enable_x64(self.double))
        stack.enter_context(jax.numpy_dtype_promotion("standard"))
        stack.enter_context(jax.numpy_rank_promotion("allow"))
        return stack

    def _checked(self, state: Columns) -> Any:
        """The state as its own tree, a leading axis of games on every leaf."""
        template = self._template[1]
        known = named(template)
        unknown = sorted(set(state) - set(known))
        if unknown:
            raise EnvwrightError(
                f"{self.name} has no field {unknown[0]} in its state; it has {', '.join(known)}. Correct [state]."
            )
        if not known:  # a game that remembers nothing
            return template
        games = len(next(iter(state.values()))) if state else 1
        wide = {
            name: np.asarray(state[name])
            if name in state
            else np.broadcast_to(np.asarray(leaf), (games, *np.shape(leaf)))
            for name, leaf in known.items()
        }
        for name, leaf in known.items():
            if wide[name].shape[1:] != np.shape(leaf):
                raise EnvwrightError(
                    f"{self.name}'s field {name} has the shape {np.shape(leaf)}, but the contract gives it "
                    f"{wide[name].shape[1:]}."
                )
        with self._as_its_authors_run_it():
            return jax.vmap(lambda columns: filled(template, columns))(wide)

    def _filled_chance(self, which: int, chance: Columns, games: int | tuple[int, ...]) -> Any:
        lead = (games,) if isinstance(games, int) else games
        template = self._chance[which]
        known = named(template)
        unknown = sorted(set(chance) - set(known))
        if unknown:
            raise EnvwrightError(f"{self.name} has no chance called {unknown[0]}; it has {', '.join(known) or 'none'}.")
        wide = {
            name: np.broadcast_to(np.asarray(chance.get(name, leaf)).astype(leaf.dtype), (*lead, *np.shape(leaf)))
            for name, leaf in known.items()
        }
        leaves, structure = jax.tree.flatten(template)
        del leaves
        return jax.tree.unflatten(structure, [wide[name] for name in known])

    def _actions(self, actions: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(actions).astype(np.asarray(self._action).dtype)


def _function(home: ModuleType | None, name: str) -> Any:
    """A function of the module of the rules, or `other.function` of a module beside it."""
    beside, _, function = name.rpartition(".")
    if beside and home is not None and home.__package__:
        home = importlib.import_module(f".{beside}", home.__package__)
    return getattr(home, function, None)


def _in_kind(value: Any, leaf: Any) -> Any:
    """A param's new value in the kind of the old: a Python number, a JAX array or a NumPy one."""
    if isinstance(leaf, bool | int | float):
        return type(leaf)(np.asarray(value)[()])
    if isinstance(leaf, jax.Array):
        return jnp.asarray(value, leaf.dtype)
    return np.asarray(value, np.asarray(leaf).dtype)[()]


def _doubled(leaf: Any) -> Any:
    if isinstance(leaf, bool | int | float) or not np.issubdtype(np.asarray(leaf).dtype, np.floating):
        return leaf
    return jnp.asarray(leaf, jnp.float64) if isinstance(leaf, jax.Array) else np.asarray(leaf, np.float64)[()]


def _seeds(games: int) -> NDArray[np.uint32]:
    return np.arange(games, dtype=np.uint32)


def _parts(tree: Any, games: int, size: int) -> list[Any]:
    """What belongs to `size` games at a time; the last part is filled up."""
    firsts = range(0, max(games, 1), size)
    return [jax.tree.map(lambda a, at=at: _fill_up(a[at : at + size], size), tree) for at in firsts]


def _stacked(parts: list[Columns], games: int) -> Columns:
    return jax.tree.map(lambda *columns: np.concatenate(columns)[:games], *parts)


def _fill_up(array: Any, size: int, axis: int = 0) -> Any:
    """`array` made longer by repeating its last row; what is added is cut off again afterwards."""
    missing = size - array.shape[axis]
    if not missing:
        return array
    last = np.take(np.asarray(array), [-1], axis=axis)
    return np.concatenate([np.asarray(array), np.repeat(last, missing, axis=axis)], axis=axis)
