"""Games as functions of their state, for the verifier: a state is what was done since power-on, as in reference.py.

Machines that were there lately are kept, so that playing on from a state does not mean to play all of it again.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.envs.gameboy import layout, values
from envwright.envs.gameboy.core import machines, module
from envwright.envs.gameboy.executor import Executor
from envwright.envs.gameboy.starts import buttons, draw, played

if TYPE_CHECKING:
    from envwright.envs.gameboy.env import GameBoy

_KEPT = 512  # machines, of some 50 KB each
VECTORS = {"vblank": 0x40, "stat": 0x48, "timer": 0x50, "serial": 0x58, "joypad": 0x60}
_LONGEST = 200_000  # instructions of a step that is looked into

Columns = dict[str, NDArray[Any]]
Way = tuple[bytes, bytes]  # the ticks of the start, the buttons of each step


class GameBoyColumns:
    """The rules of one game."""

    def __init__(self, env: "GameBoy") -> None:
        if not env.max_episode_steps:
            raise EnvwrightError("Give `max_episode_steps`: a state holds what was done in every step of an episode.")
        self.env, self._rom = env, env.game.rom
        self._options = {"observation": env.looks.layout, "boot": env.boot_rom, "hardware": env.hardware}
        self._known: OrderedDict[Way, bytes] = OrderedDict()
        self._one = machines(self._rom, 1, threads=1, **self._options)
        self._many: Any = None
        self._executor: Executor | None = None

    def kinds(self) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
        space, flag = self.env.observation_space, np.dtype(bool)
        return {
            "state.start": ((len(self.env.game.start),), np.dtype(np.int32)),
            "state.held": ((self.env.max_episode_steps,), np.dtype(np.uint8)),
            "state.length": ((), np.dtype(np.int32)),
            "observation": (space.shape, space.dtype),
            "reward": ((), np.dtype(np.float32)),
            "terminated": ((), flag),
            "truncated": ((), flag),
            **{f"info.{name}": kind for name, kind in layout.kinds(self._rom).items()},
        }

    def chance_kinds(self) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
        return {"start": ((len(self.env.game.start),), np.dtype(np.int32))}

    def provenance(self) -> dict[str, Any]:
        return {
            "options": repr(self.env),
            "rom sha256": hashlib.sha256(self._rom).hexdigest(),
            "state version": module().STATE_VERSION,
        }

    # ---- in batches ----

    def draw_start(self, seeds: NDArray[np.uint32]) -> Columns:
        return {"start": draw(self.env.game.start, seeds.astype(np.uint64), np.zeros(len(seeds), np.uint64))}

    def start(self, chance: Columns, games: int) -> Columns:
        start = np.ascontiguousarray(chance["start"], np.int32)
        state = {
            "start": start,
            "held": np.zeros((games, self.env.max_episode_steps), np.uint8),
            "length": np.zeros(games, np.int32),
        }
        self._put(state)
        _, observed = self._look(games)
        return {**{f"state.{name}": column for name, column in state.items()}, "observation": observed}

    def step(self, state: Columns, actions: NDArray[Any]) -> Columns:
        state = _typed(state)
        games = len(actions)
        self._put(state)
        before, _ = self._look(games)
        after = self._gone(state, actions)
        held = np.array(self.env.buttons, np.uint8)[actions]
        obs = np.empty((games, *self._many.observation_shape), np.uint8)
        self._many.step_some(list(range(games)), held, obs, ticks=self.env.ticks)
        now, observed = self._look(games)
        for i, way in enumerate(_ways(after)):
            self._keep(way, self._many.save(i))
        game = self.env.game
        none = np.zeros(games, bool)
        info = [machine_columns(self._many, i, self._rom) for i in range(games)]
        return {
            **{f"state.{name}": column for name, column in after.items()},
            "observation": observed,
            "reward": values.reward(game.rewards, before, now) if game.rewards else np.zeros(games, np.float32),
            "terminated": values.ended(game.ends, now) if game.ends else none,
            "truncated": after["length"] >= self.env.max_episode_steps,
            **{f"info.{name}": np.stack([one[name] for one in info]) for name in info[0]},
        }

    def phases(self, state: Columns, actions: NDArray[Any]) -> dict[str, Columns]:
        """Registers and cycles when the processor first comes to each interrupt's handler; zeros where it does not."""
        state = _typed(state)
        self._put(state)
        held = np.array(self.env.buttons, np.uint8)[actions]
        found = [self._passed(i, int(held[i])) for i in range(len(actions))]
        return {
            name: {
                "registers": np.stack([one[name][0] for one in found]),
                "cycles": np.array([one[name][1] for one in found], np.int64),
            }
            for name in VECTORS
        }

    def call(self, function: str, arguments: Sequence[NDArray[Any]]) -> NDArray[Any]:
        if function != "instruction":
            raise EnvwrightError(f"A Game Boy has no function {function}; it has instruction. Correct the contract.")
        if self._executor is None:
            self._executor = Executor.on_ours(self.env.hardware)
        return np.stack([self._executor.run(*given) for given in zip(*arguments, strict=True)])

    def machines_at(self, state: Columns) -> Any:
        """The emulator with a machine in each of these states."""
        self._put(_typed(state))
        return self._many

    # ---- how ----

    def _put(self, state: Columns) -> None:
        """A machine in each of these states, in the first places of the batch."""
        games = len(state["length"])
        if self._many is None or len(self._many) < games:
            self._many = machines(self._rom, games, addresses=values.addresses(self.env.game.values), **self._options)
        for i, way in enumerate(_ways(state)):
            self._many.load(i, self._state_after(way))

    def _state_after(self, way: Way) -> bytes:
        if way in self._known:
            self._known.move_to_end(way)
            return self._known[way]
        start, held = way
        for done in range(len(held) - 1, max(-1, len(held) - 3), -1):  # a step or two before is often there
            if (start, held[:done]) in self._known:
                return self._played_on(way, done, self._known[start, held[:done]])
        began = self._known.get((start, b""))
        if began is None:
            ticks = np.frombuffer(start, np.int32)
            began = played(self._one, buttons(self.env.game.start, ticks.tolist()))
            self._keep((start, b""), began)
        return self._played_on(way, 0, began)

    def _played_on(self, way: Way, done: int, state: bytes) -> bytes:
        start, held = way
        if done == len(held):
            return state
        self._one.load(0, state)
        obs = np.empty((1, *self._one.observation_shape), np.uint8)
        for button in held[done:]:
            self._one.step(np.array([button], np.uint8), obs, ticks=self.env.ticks)
        found = self._one.save(0)
        self._keep((start, held), found)
        return found

    def _keep(self, way: Way, state: bytes) -> None:
        self._known[way] = state
        self._known.move_to_end(way)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)

    def _gone(self, state: Columns, actions: NDArray[Any]) -> Columns:
        """The state after these actions."""
        if (state["length"] >= self.env.max_episode_steps).any():
            raise EnvwrightError(f"An episode is over after {self.env.max_episode_steps} steps.")
        held = state["held"].copy()
        held[np.arange(len(held)), state["length"]] = np.array(self.env.buttons, np.uint8)[actions]
        return {"start": state["start"], "held": held, "length": state["length"] + np.int32(1)}

    def _look(self, games: int) -> tuple[values.Values, NDArray[Any]]:
        rows = list(range(games))
        obs = np.empty((games, *self._many.observation_shape), np.uint8)
        ram = np.empty((games, self._many.num_addresses), np.uint8)
        self._many.observe(obs, ram if ram.size else None, rows)
        now = values.read(self.env.game.values, ram)
        return now, obs if self.env.looks.is_screen else self.env.looks.numbers(now)

    def _passed(self, i: int, held: int) -> dict[str, tuple[NDArray[np.uint16], int]]:
        none = np.zeros(len(layout.REGISTERS), np.uint16), 0
        found: dict[str, tuple[NDArray[np.uint16], int]] = {}
        places = {address: name for name, address in VECTORS.items()}
        for file in instructions(self._many, i, held, self.env.ticks):
            name = places.get(file["pc"])
            if name is not None and name not in found:
                found[name] = registers(file), file["cycles"]
        return {name: found.get(name, none) for name in VECTORS}


def machine_columns(batch: Any, i: int, rom: bytes) -> Columns:
    """Everything of one machine that is compared."""

    def memory(low: int, high: int) -> NDArray[np.uint8]:
        return np.frombuffer(batch.memory(i, low, high), np.uint8)

    numbered = layout.cartridge_banks(rom)
    cartridge = np.frombuffer(batch.cartridge_ram(i), np.uint8) if numbered else memory(0xA000, 0xC000)
    file = batch.registers(i)
    return layout.seen(registers(file), file["cycles"], memory, cartridge)


def registers(file: dict[str, Any]) -> NDArray[np.uint16]:
    """In the order of `layout.REGISTERS`."""
    double = file["h"] << 8 | file["l"]
    return np.array([*(file[name] for name in "afbcde"), double, file["sp"], file["pc"]], np.uint16)


def instructions(batch: Any, i: int, held: int, ticks: int) -> Any:
    """The registers before each instruction of a step."""
    batch.hold(i, held)
    for _ in range(_LONGEST):
        yield batch.registers(i)
        if batch.run_instruction(i):
            ticks -= 1
            if not ticks:
                return


def _typed(state: Columns) -> Columns:
    kinds = {"start": np.int32, "held": np.uint8, "length": np.int32}
    return {name: np.ascontiguousarray(state[name], kind) for name, kind in kinds.items()}


def _ways(state: Columns) -> list[Way]:
    """Each game's start and steps so far, as a key."""
    return [
        (start.tobytes(), held[:length].tobytes())
        for start, held, length in zip(state["start"], state["held"], state["length"].tolist(), strict=True)
    ]
