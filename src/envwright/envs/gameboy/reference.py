"""A game on PyBoy under the verifier's eyes.

A state is what was done since power-on: how long the start took, and which buttons were held in each step. Both sides
can be put into it exactly, by doing it again; PyBoy's own saved states leave out some of the machine. Everything that
can be seen of the machine is compared after every step.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space
from envwright.envs.gameboy import layout, values
from envwright.envs.gameboy.env import GameBoy
from envwright.envs.gameboy.executor import Executor
from envwright.envs.gameboy.pyboy_machine import PyBoyMachine, version
from envwright.envs.gameboy.screens import drawn
from envwright.envs.gameboy.starts import buttons
from envwright.envs.gameboy.values import Values
from envwright.references.protocol import (
    Covered,
    Draw,
    Glimpse,
    Outcome,
    Reference,
    ReferenceFailedError,
    SnapshotError,
    TapeError,
    Watchpoint,
)

SITE = "start:0 start"  # of the one draw of an episode


class PyBoyGame(Reference):
    """One game; the options are those of `GameBoy`."""

    def __init__(self, **options: Any) -> None:
        self.env = GameBoy(**{**options, "boot": ""})
        if not self.env.max_episode_steps:
            raise EnvwrightError("Give `max_episode_steps`: a state holds what was done in every step of an episode.")
        self.name = f"pyboy:{self.env.rom}"
        self._seed = 0
        self._machine: PyBoyMachine | None = None
        self._played: tuple[bytes, bytes] | None = None  # what the machine has gone through
        self._executor: Executor | None = None
        self._before: Values = {}
        self._state = self._fresh([press.low for press in self.env.game.start])

    # ---- what it is ----

    @property
    def action_space(self) -> Space:
        return self.env.action_space

    @property
    def observation_space(self) -> Space:
        return self.env.observation_space

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return self.env.observation_space.shape

    def provenance(self) -> dict[str, Any]:
        return {
            "pyboy": version(),
            "rom": self.env.rom,
            "sha256": hashlib.sha256(self.env.game.rom).hexdigest(),
            "game": repr(self.env),
        }

    def sample_action(self, rng: np.random.Generator) -> int:
        return int(rng.integers(len(self.env.buttons)))

    def late_changes(self) -> list[str]:
        return []

    def functions(self) -> list[str]:
        return ["instruction"]

    # ---- play ----

    def reset(self, seed: int | None = None, tape: Sequence[Draw] | None = None) -> Outcome:
        if tape is not None:
            if not tape or tape[0].site != SITE:
                raise TapeError("A tape of a start begins with the ticks of each of its entries.")
            start = [int(ticks) for ticks in tape[0].value]
        else:
            self._seed = self._seed + 1 if seed is None else seed
            rng = np.random.default_rng(self._seed)
            start = [int(rng.integers(press.low, press.high + 1)) for press in self.env.game.start]
        self._state = self._fresh(start)
        machine = self._there()
        return Outcome(self._observed(machine), 0.0, False, False, {}, (Draw(SITE, "ticks", start),))

    def step(self, action: Any, tape: Sequence[Draw] | None = None) -> Outcome:
        machine, held = self._before_step(action)
        machine.tick(held, self.env.ticks)
        return self._after_step(machine, held)

    def look(self) -> dict[str, Any]:
        """The state, and what can be seen of the machine in it."""
        return {**self._state, **self.machine_columns(), "max_episode_steps": self.env.max_episode_steps}

    def machine_columns(self) -> layout.Columns:
        """Everything of the machine that is compared."""
        machine = self._there()
        return layout.seen(machine.registers(), machine.cycles, machine.memory, machine.cartridge())

    def snapshot(self) -> dict[str, Any]:
        return {name: np.copy(value) if isinstance(value, np.ndarray) else value for name, value in self._state.items()}

    def machine(self) -> PyBoyMachine:
        """The machine in this state."""
        return self._there()

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        for name in snapshot:
            if name not in self._state:
                raise SnapshotError(f"{self.name} has no {name} to restore; it has {', '.join(self._state)}.")
        new = {**self._state, **snapshot}
        self._state = {
            "start": np.array(new["start"], np.int32),
            "held": np.array(new["held"], np.uint8),
            "length": int(new["length"]),
        }

    def call(self, function: str, arguments: Sequence[Any]) -> Any:
        """`instruction`: one of the processor's, from given registers and memory."""
        if self._executor is None:
            self._executor = Executor.on_pyboy()
        return self._executor.run(*arguments).tolist()

    def watch(
        self, points: Sequence[Watchpoint], action: Any, tape: Sequence[Draw] | None = None
    ) -> tuple[list[Glimpse], Outcome]:
        """A step, seen when the processor first comes to each address that a point has as its `function`."""
        machine, held = self._before_step(action)
        glimpses: list[Glimpse] = []
        ends: list[Callable[[], None]] = []
        for point in points:
            seen = self._glimpse(machine, point.phase, glimpses)
            ends.append(machine.on(int(point.function, 0), seen))
        machine.tick(held, self.env.ticks)
        for end in ends:
            end()
        return glimpses, self._after_step(machine, held)

    def record_calls(self, names: Sequence[str], play: Callable[[], None], /) -> dict[str, list[dict[str, Any]]]:
        """Nothing is called by name within a machine; every instruction is asked for, with numbers of all kinds."""
        from envwright.envs.gameboy.executor import cases

        return {name: cases() if name == "instruction" else [] for name in names}

    @contextlib.contextmanager
    def covering(self) -> Iterator[Covered]:
        yield Covered()

    def close(self) -> None:
        for machine in (self._machine, self._executor):
            if machine is not None:
                machine.close()
        self._machine = self._executor = None

    # ---- how ----

    def _fresh(self, start: Sequence[int]) -> dict[str, Any]:
        held = np.zeros(self.env.max_episode_steps, np.uint8)
        return {"start": np.array(start, np.int32), "held": held, "length": 0}

    def _there(self) -> PyBoyMachine:
        """A machine in this state: the one that is there if it has come as far on the same way, else another one."""
        start, length = self._state["start"].tobytes(), self._state["length"]
        if not 0 <= length <= self.env.max_episode_steps:
            raise ReferenceFailedError(f"An episode of {self.name} has no step {length}.")
        way = self._state["held"][:length].tobytes()
        if self._machine is None or self._played is None or self._played[0] != start or not way.startswith(
            self._played[1]
        ):  # fmt: skip
            if self._machine is not None:
                self._machine.close()
            self._machine = PyBoyMachine(self.env.game.rom)
            for held in buttons(self.env.game.start, self._state["start"]).tolist():
                self._machine.tick(held)
            self._played = start, b""
        for held in way[len(self._played[1]) :]:
            self._machine.tick(held, self.env.ticks)
        self._played = start, way
        return self._machine

    def _before_step(self, action: Any) -> tuple[PyBoyMachine, int]:
        machine = self._there()
        if self._state["length"] >= self.env.max_episode_steps:
            raise ReferenceFailedError(f"An episode of {self.name} is over after {self.env.max_episode_steps} steps.")
        self._before = self._read(machine)
        return machine, self.env.buttons[int(action)]

    def _after_step(self, machine: PyBoyMachine, held: int) -> Outcome:
        length = self._state["length"]
        after = self._state["held"].copy()
        after[length] = held
        self._state = {**self._state, "held": after, "length": length + 1}
        self._played = self._state["start"].tobytes(), after[: length + 1].tobytes()
        now = self._read(machine)
        game = self.env.game
        return Outcome(
            obs=self._observed(machine),
            reward=float(values.reward(game.rewards, self._before, now)[0]) if game.rewards else 0.0,
            terminated=bool(values.ended(game.ends, now)[0]) if game.ends else False,
            truncated=length + 1 >= self.env.max_episode_steps,
            info={},
            draws=(),
        )

    def _read(self, machine: PyBoyMachine) -> Values:
        places = np.array(values.addresses(self.env.game.values), np.intp)
        return values.read(self.env.game.values, machine.bytes_at(places)[None])

    def _observed(self, machine: PyBoyMachine) -> NDArray[Any]:
        looks = self.env.looks
        return drawn(looks.kind, machine.shades()) if looks.is_screen else looks.numbers(self._read(machine))[0]

    def _glimpse(self, machine: PyBoyMachine, phase: str, glimpses: list[Glimpse]) -> Callable[[], None]:
        def called() -> None:
            if all(seen.phase != phase for seen in glimpses):
                names = {"registers": machine.registers(), "cycles": np.int64(machine.cycles)}
                glimpses.append(Glimpse(phase, names))

        return called
