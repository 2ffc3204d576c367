"""A Python environment as a reference."""

import hashlib
import platform
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space
from envwright.references import legality
from envwright.references.plain import same
from envwright.references.protocol import (
    Counts,
    Covered,
    Draw,
    Glimpse,
    Outcome,
    Reference,
    ReferenceFailedError,
    Watchpoint,
)
from envwright.references.python import functions, patches
from envwright.references.python.covered import covering
from envwright.references.python.draws import Shared, Take
from envwright.references.python.making import SEED, made_alike
from envwright.references.python.mirror import DrawsOutside, adapted, watch_outside
from envwright.references.python.moving import Attributes
from envwright.references.python.own_modules import classes_of, file_of, modules_of, raised_at
from envwright.references.python.rounding import rounding
from envwright.references.python.settings import assigned
from envwright.references.python.walk import copy_plain
from envwright.references.python.watch import Lines, Watcher, find_lines

_TRIAL = (300, 300, 50, 50, 50)  # steps of episodes, to see which attributes move
_CLOSELY = 50  # of these steps are looked at one by one, the others now and then
_NOW_AND_THEN = 10  # steps
_THOROUGH_EVERY = 50  # episodes


@dataclass(frozen=True)
class Driver:
    """How an object is played."""

    make: Callable[[], Any]
    reset: Callable[[Any, int | None], tuple[Any, dict[str, Any]]]  # observation and info
    step: Callable[[Any, Any], tuple[Any, Any, Any, Any, dict[str, Any]]]  # and reward and ends between them
    sample_action: Callable[[np.random.Generator], Any]  # of one player, legal or not
    parts: Callable[[Any], list[Any]] = lambda made: [made]  # the objects whose attributes are the state
    set_elapsed: Callable[[Any, int], None] = lambda made, steps: None  # for a wrapper that counts the steps
    close: Callable[[Any], None] = lambda made: None
    moving: Callable[[Any], list[str]] = lambda made: []  # attributes that move, if perhaps not in a short trial
    action_space: Space | None = None
    observation_shape: tuple[int, ...] | None = None
    observation_space: Space | None = None
    max_episode_steps: int | None = None  # a time limit that a wrapper keeps
    players: int = 1
    # From the object and what it told last, which is nothing after a restore: which actions may be taken, and by whom.
    legal: Callable[[Any, dict[str, Any]], Any] = lambda made, info: None
    acting: Callable[[Any, dict[str, Any]], Any] = lambda made, info: None


class PythonReference(Reference):
    """Any Python object that a `Driver` knows how to play, under observation."""

    def __init__(self, name: str, driver: Driver) -> None:
        self.name, self.driver, self.elapsed, self.episodes = name, driver, 0, 0
        self._info: dict[str, Any] = {}
        self._attributes: Attributes | None = None
        self._expected: tuple[str, ...] = ()
        self._watched: tuple[tuple[Watchpoint, ...], Lines] = (), {}
        trial = made_alike(driver.make)  # before anything is replaced, so that what it imports is imported as it is
        classes = classes_of(driver.parts(trial))
        modules = modules_of(classes)
        self.files = {file for module in modules if (file := file_of(module.__name__))}
        self.files |= {str(file) for adapter, part in adapted(driver.parts(trial)) for file in adapter.files(part)}
        self._own = [sys.modules[name] for name in dict.fromkeys(cls.__module__ for cls in classes)]
        self._shared, self._draws_outside = Shared(), DrawsOutside()
        patches.open_patches(modules, classes)
        self._closing = weakref.finalize(self, patches.close_patches)
        try:
            self.object = trial
            self._adopt()
            self._moving = self._find_moving()
            with Take(self._shared):
                self.object = made_alike(driver.make)
            self._adopt()
        except BaseException:
            self._closing()
            raise
        self._attributes, self.elapsed, self.episodes = None, 0, 0

    @property
    def players(self) -> int:
        return self.driver.players

    @property
    def action_space(self) -> Space | None:
        return self.driver.action_space

    @property
    def observation_space(self) -> Space | None:
        return self.driver.observation_space

    @property
    def observation_shape(self) -> tuple[int, ...] | None:
        return self.driver.observation_shape

    def sample_action(self, rng: np.random.Generator) -> Any:
        legal = self.legal()
        if legal is not None:
            return legality.sample(rng, legal)
        chosen = [self.driver.sample_action(rng) for _ in range(self.players)]
        return np.stack(chosen) if self.players > 1 else chosen[0]

    def legal(self) -> legality.Mask | None:
        mask = self._told("legal actions", self.driver.legal)
        return legality.checked(mask, self.players, self.action_space, self.name)

    def _acting(self) -> legality.Mask | None:
        acting = self._told("acting players", self.driver.acting)
        return None if acting is None else np.asarray(acting, bool).reshape(self.players)

    def _told(self, what: str, ask: Callable[[Any, dict[str, Any]], Any]) -> Any:
        return self._play(what, lambda: ask(self.object, self._info), None)[0]

    def expect(self, names: Sequence[str]) -> None:
        """Take these attributes for state, whether or not they have been seen to change."""
        self._expected = tuple(names)
        if self._attributes is not None:
            self._attributes.expect([name for name in names if name in self._attributes.places])

    def rounding(self, seed: int, dtype: str) -> AbstractContextManager[None] | None:
        ways = [adapter.rounding(part, seed, dtype) for adapter, part in self._adapted]
        if dtype == "float32":  # Python computes in float64 as it is
            ways.append(rounding(self._own, seed))
        found = [way for way in ways if way is not None]
        return _together(found) if found else None

    def setting(self, values: Mapping[str, Any]) -> AbstractContextManager[None]:
        return assigned(self.driver.parts(self.object)[0], values)

    def _adopt(self) -> None:
        patches.adopt([self.object, *self.driver.parts(self.object)])
        self._adapted = adapted(self.driver.parts(self.object))
        for adapter, part in self._adapted:
            adapter.record_draws(part, self._draws_outside)

    def _find_moving(self) -> dict[str, int]:
        """Play a little and see which attributes change."""
        rng = np.random.Generator(np.random.PCG64(0))
        for episode, steps in enumerate(_TRIAL):
            self.reset(seed=episode)
            self._state().expect(self.driver.moving(self.object))
            self._state().late_changes(thorough=False)
            for step in range(steps):
                try:
                    outcome = self.step(self.sample_action(rng))
                except ReferenceFailedError:  # whoever plays in earnest will hear of it
                    break
                if step < _CLOSELY or step % _NOW_AND_THEN == 0:
                    self._state().late_changes(thorough=False)
                if outcome.terminated or outcome.truncated:
                    break
            self._state().late_changes()
        return self._state().owners()

    def _state(self) -> Attributes:
        if self._attributes is None:
            raise EnvwrightError(f"{self.name} has no state before its first reset; call reset first.")
        return self._attributes

    def reset(self, seed: int | None = None, tape: Sequence[Draw] | None = None) -> Outcome:
        if seed is not None:
            self._shared.seed(seed)
        (obs, info), draws = self._play("reset", lambda: self.driver.reset(self.object, seed), tape)
        self.elapsed, self.episodes = 0, self.episodes + 1
        if self._attributes is None:  # only now does everything have its value
            self._attributes = Attributes(self.driver.parts(self.object), getattr(self, "_moving", None))
            self.expect(self._expected)
        elif self.episodes % _THOROUGH_EVERY == 0:
            self._attributes.late_changes()
        reward = np.zeros(self.players) if self.players > 1 else 0.0
        return self._standing(Outcome(copy_plain(obs), reward, False, False, copy_plain(info), draws))

    def step(self, action: Any, tape: Sequence[Draw] | None = None) -> Outcome:
        return self._standing(self._step(action, tape))

    def _standing(self, outcome: Outcome) -> Outcome:
        """With what may be done next. Not asked within a step, for who watches that would see it."""
        self._info = outcome.info
        return outcome._replace(legal=self.legal(), acting=self._acting())

    def _step(self, action: Any, tape: Sequence[Draw] | None) -> Outcome:
        given = copy_plain(action)  # the reference may keep it
        result, draws = self._play("step", lambda: self.driver.step(self.object, given), tape)
        self.elapsed += 1
        obs, reward, terminated, truncated, info = result
        return Outcome(
            copy_plain(obs),
            self._rewards(reward) if self.players > 1 else float(self._number("reward", reward)),
            bool(self._number("terminated", terminated)),
            bool(self._number("truncated", truncated)),
            copy_plain(info),
            draws,
        )

    def _play(self, what: str, play: Callable[[], Any], tape: Sequence[Draw] | None) -> tuple[Any, tuple[Draw, ...]]:
        if not self._closing.alive:
            raise EnvwrightError(f"The reference {self.name} is closed; make a new one.")
        with Take(self._shared, tape) as take:
            try:
                result = play()
                self._draws_outside.check()
            except EnvwrightError:
                raise
            except Exception as error:
                raise self._failed(what, error) from error
        return result, tuple(take.draws)

    def _rewards(self, value: Any) -> np.ndarray:
        array = np.asarray(value)
        if array.shape != (self.players,) or array.dtype.kind not in "biuf":
            raise ReferenceFailedError(
                f"{self.name} says that it has {self.players} players, but its reward is {value!r}; give an array of "
                f"{self.players} numbers."
            )
        return array.astype(np.float64)

    def _number(self, name: str, value: Any) -> Any:
        """One number, though it may come in an array or a list of one."""
        if isinstance(value, bool | int | float | np.bool_ | np.number):
            return value
        array = np.asarray(value)
        if name == "reward" and array.size > 1 and array.dtype.kind in "biuf":
            raise ReferenceFailedError(
                f"{self.name} gives {array.size} numbers for a reward, {array.tolist()}; weigh them into one, in a "
                "gymnasium.RewardWrapper of your own around it, and give that."
            )
        if array.size != 1 or array.dtype.kind not in "biuf":
            raise ReferenceFailedError(
                f"{self.name} gives for {name} what is not one number: {value!r}, after {self.elapsed} steps of the "
                "episode."
            )
        return array.item()

    def _failed(self, what: str, error: Exception) -> ReferenceFailedError:
        return ReferenceFailedError(
            f"{self.name} raised {type(error).__name__} ({error}) at {raised_at(error, self.files)} in {what}, after "
            f"{self.elapsed} steps of the episode."
        )

    def look(self) -> dict[str, Any]:
        limit = {} if self.driver.max_episode_steps is None else {"max_episode_steps": self.driver.max_episode_steps}
        return self._state().look() | limit | {"elapsed_steps": self.elapsed}

    def drawn_when_made(self, seed: int = SEED) -> list[str]:
        """Constants that an object has otherwise which is made from this seed. From the seed of all others: what
        nobody can decide."""
        with Take(self._shared):
            other = made_alike(self.driver.make, seed)
        patches.adopt([other, *self.driver.parts(other)])
        with Take(self._shared):
            self.driver.reset(other, 0)
        state = self._state()
        theirs = Attributes(self.driver.parts(other), state.owners()).constants
        self.driver.close(other)
        return [name for name, value in state.constants.items() if name in theirs and not same(value, theirs[name])]

    def snapshot(self) -> dict[str, Any]:
        return self._state().snapshot() | {"elapsed_steps": self.elapsed}

    def late_changes(self) -> list[str]:
        """Attributes thought constant that have changed since; from now on snapshots have them."""
        return self._state().late_changes()

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        if self._attributes is None:
            self.reset(seed=0)
        names = dict(snapshot)
        elapsed = names.pop("elapsed_steps", None)
        self._state().restore(names)
        self._info = {}
        if elapsed is not None:
            self.elapsed = int(elapsed)
            self.driver.set_elapsed(self.object, self.elapsed)

    def call(self, function: str, arguments: Sequence[Any]) -> Any:
        found = functions.find_function(self.driver.parts(self.object), function)
        copies = [copy_plain(argument) for argument in arguments]
        result, _ = self._play(function, lambda: found(*copies), None)
        return copy_plain(result)

    def functions(self) -> list[str]:
        return functions.names(self.driver.parts(self.object))

    def record_calls(self, names: Sequence[str], play: Callable[[], None]) -> dict[str, list[dict[str, Any]]]:
        """The distinct arguments that functions of the reference are called with while `play` runs."""
        return functions.record_calls(self.driver.parts(self.object), names, play)

    def watch(
        self, points: Sequence[Watchpoint], action: Any, tape: Sequence[Draw] | None = None
    ) -> tuple[list[Glimpse], Outcome]:
        outside = {phase for adapter, _ in self._adapted for phase in adapter.phases}
        lines = tuple(point for point in points if point.function not in outside)
        if self._watched[0] != lines:  # finding lines in the source takes far longer than a step
            self._watched = lines, find_lines(self.driver.parts(self.object), lines)
        watcher, outcomes = Watcher(self._watched[1], self.look), list[Outcome]()

        def step() -> None:
            with watcher:
                outcomes.append(self._step(action, tape))

        seen = watch_outside(self._adapted, step)
        if len(outcomes) != 1:
            raise EnvwrightError(
                f"The state adapter of {self.name} took {len(outcomes)} steps in watch, instead of one."
            )
        phases = [Glimpse(p.phase, copy_plain(dict(names))) for at, names in seen for p in points if p.function == at]
        return [*phases, *watcher.glimpses], self._standing(outcomes[0])

    def counted(self) -> Counts:
        """What its `envwright_coverage` says, if it has one."""
        parts = [part for part in self.driver.parts(self.object) if hasattr(type(part), "envwright_coverage")]
        return copy_plain(parts[0].envwright_coverage()) if parts else {}

    def covering(self) -> AbstractContextManager[Covered]:
        return covering(self.driver.parts(self.object))

    def provenance(self) -> dict[str, Any]:
        cls = type(self.driver.parts(self.object)[-1])
        package = cls.__module__.partition(".")[0]
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:  # a file of the user's
            version = None
        sources = hashlib.sha256()  # of every module of its own, for a rule may stand in any of them
        for file in sorted(self.files):
            sources.update(Path(file).read_bytes())
        return {
            "class": cls.__qualname__,
            "module": cls.__module__,
            "package": package,
            "version": version,
            "sha256": sources.hexdigest(),
            "python": platform.python_version(),
            "numpy": np.__version__,
        }

    def close(self) -> None:
        """Give the reference up; the modules are as they were before."""
        if self._closing.alive:
            self._closing()
            self.driver.close(self.object)

    def __enter__(self) -> "PythonReference":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


@contextmanager
def _together(ways: Sequence[AbstractContextManager[None]]) -> Iterator[None]:
    with ExitStack() as stack:
        for way in ways:
            stack.enter_context(way)
        yield
