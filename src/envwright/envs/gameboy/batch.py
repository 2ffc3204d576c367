"""Many Game Boys that step together: the project's `Batch` over the emulator's."""

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import BatchStep
from envwright.core.errors import ActionError, EnvwrightError
from envwright.envs.gameboy import values
from envwright.envs.gameboy.core import EmulatorError, machines, module
from envwright.envs.gameboy.screens import GREYS
from envwright.envs.gameboy.starts import StartPool, draw
from envwright.envs.gameboy.values import Values

if TYPE_CHECKING:
    from envwright.envs.gameboy.env import GameBoy

_HEAD = struct.Struct("<4sQQI")  # of a saved game: mark, seed, episodes begun, steps of this one
_MARK = b"EWG1"


class GameBoyBatch:
    """`num_envs` games of one ROM, stepped by the emulator's own threads while Python's lock is released."""

    players = 1

    def __init__(self, env: "GameBoy", num_envs: int) -> None:
        if not isinstance(num_envs, int) or num_envs < 1:
            raise EnvwrightError(f"A batch has at least one environment, not {num_envs}.")
        self.env, self.num_envs = env, num_envs
        self.observation_space, self.action_space = env.observation_space, env.action_space
        game, looks = env.game, env.looks
        options = {"observation": looks.layout, "boot": env.boot_rom, "hardware": env.hardware}
        self.machines = machines(
            game.rom, num_envs, frame_skip=env.ticks, addresses=values.addresses(game.values), threads=env.threads,
            **options,
        )  # fmt: skip
        self._starts = StartPool(game.start, machines(game.rom, 1, threads=1, **options), self.machines)
        self._buttons = np.array(env.buttons, np.uint8)
        self._seeds = np.zeros(num_envs, np.uint64)
        self._episodes = np.zeros(num_envs, np.uint64)
        self._steps = np.zeros(num_envs, np.int64)
        self.numbers: Values = {}
        self._drawn = looks.is_screen
        self._begun = False

    # ---- the interface ----

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[Any]:
        if mask is not None and not self._begun:
            raise EnvwrightError("The first reset begins an episode in every environment; leave the mask out.")
        rows = np.arange(self.num_envs) if mask is None else np.flatnonzero(self._mask(mask))
        if seeds is not None:
            given = np.asarray(seeds)
            if given.shape != (self.num_envs,) or given.dtype.kind not in "iu" or (given < 0).any():
                raise EnvwrightError(f"{self.num_envs} environments need as many seeds, whole numbers of 0 or more.")
            self._seeds[rows], self._episodes[rows] = given[rows].astype(np.uint64), 0
        elif not self._begun:
            self._seeds[:] = np.random.SeedSequence().generate_state(self.num_envs, np.uint64)
        self._begun = True
        self._begin(rows)
        return self._seen()

    def step(self, actions: Any, restart: Any = None) -> BatchStep:
        held = self._held(actions)
        again = np.zeros(self.num_envs, bool) if restart is None else self._mask(restart)
        if not again.any():
            obs, reward, terminated, truncated = self._play(held)
            return BatchStep(obs, reward, terminated, truncated, {}, obs)
        rows = np.flatnonzero(~again)
        before = self.numbers
        if len(rows):
            self.machines.step_some(rows.tolist(), held[rows].copy(), self._room(len(rows)))
        self._steps += 1
        self._begin(np.flatnonzero(again))
        self._read()
        reward = np.where(again, np.float32(0), values.reward(self.env.game.rewards, before, self.numbers))
        terminated, truncated = self._ends()
        obs = self._seen()
        return BatchStep(obs, reward, terminated & ~again, truncated & ~again, {}, obs)

    def step_and_restart(self, actions: Any) -> BatchStep:
        obs, reward, terminated, truncated = self._play(self._held(actions))
        final, done = obs, terminated | truncated
        if done.any():
            self._begin(np.flatnonzero(done))
            obs = self._seen()
        return BatchStep(obs, reward, terminated, truncated, {}, final)

    def legal_actions(self) -> None:
        return None

    def save(self, index: int) -> bytes:
        index = self._index(index)
        numbers = int(self._seeds[index]), int(self._episodes[index]), int(self._steps[index])
        return _HEAD.pack(_MARK, *numbers) + self.machines.save(index)

    def load(self, index: int, blob: bytes) -> None:
        index = self._index(index)
        if len(blob) < _HEAD.size or blob[:4] != _MARK:
            raise EmulatorError("This is not a saved game of envwright's Game Boy; `save` makes one.")
        try:
            self.machines.load(index, bytes(blob[_HEAD.size :]))
        except module().GameBoyError as error:
            raise EmulatorError(f"{str(error).rstrip('.')}.") from None
        _, self._seeds[index], self._episodes[index], self._steps[index] = _HEAD.unpack_from(blob)
        self._begun = True
        self._read()

    def render(self, index: int) -> NDArray[np.uint8]:
        """The frame that was drawn last. Where observations are numbers, nothing is drawn before this is asked."""
        index = self._index(index)
        self._drawn = True
        shades = np.frombuffer(self.machines.screen(index), np.uint8).reshape(144, 160)
        return np.repeat(GREYS[shades][:, :, None], 3, axis=2)

    # ---- how ----

    def _play(self, held: NDArray[np.uint8]) -> tuple[Any, NDArray[np.float32], NDArray[Any], NDArray[Any]]:
        """A step of every game: one call of the emulator, which draws and reads at once."""
        game = self.env.game
        obs, ram = self._room(self.num_envs), np.empty((self.num_envs, self.machines.num_addresses), np.uint8)
        self.machines.step(held, obs, ram)
        self._steps += 1
        before, self.numbers = self.numbers, values.read(game.values, ram)
        reward = values.reward(game.rewards, before, self.numbers) if game.rewards else self._no_reward()
        seen = obs if self.env.looks.is_screen else self.env.looks.numbers(self.numbers)
        return seen, reward, *self._ends()

    def _no_reward(self) -> NDArray[np.float32]:
        return np.zeros(self.num_envs, np.float32)

    def _ends(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        game, limit = self.env.game, self.env.max_episode_steps
        none = np.zeros(self.num_envs, bool)
        over = values.ended(game.ends, self.numbers) if game.ends else none
        return over, self._steps >= limit if limit else none.copy()

    def _begin(self, rows: NDArray[np.intp]) -> None:
        """New episodes there."""
        if not len(rows):
            return
        starts = draw(self.env.game.start, self._seeds[rows], self._episodes[rows])
        self.machines.reset(rows.tolist(), self._starts.slots(starts))
        self._episodes[rows] += np.uint64(1)
        self._steps[rows] = 0
        self._read()

    def _read(self) -> None:
        ram = np.empty((self.num_envs, self.machines.num_addresses), np.uint8)
        if ram.size:
            self.machines.observe(None, ram)
        self.numbers = values.read(self.env.game.values, ram)

    def _seen(self) -> Any:
        if not self.env.looks.is_screen:
            return self.env.looks.numbers(self.numbers)
        obs = np.empty((self.num_envs, *self.machines.observation_shape), np.uint8)
        self.machines.observe(obs)
        return obs

    def _room(self, many: int) -> NDArray[np.uint8] | None:
        """For frames; None where nobody looks at them."""
        return np.empty((many, *self.machines.observation_shape), np.uint8) if self._drawn else None

    def _held(self, actions: Any) -> NDArray[np.uint8]:
        if not self._begun:
            raise EnvwrightError("Reset the batch before its first step.")
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise ActionError(
                f"This batch takes integers of shape ({self.num_envs},), but got {chosen.dtype} of shape "
                f"{chosen.shape}."
            )
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(self._buttons)):
            raise ActionError(
                f"Actions are from 0 to {len(self._buttons) - 1}, but got {chosen.min()}...{chosen.max()}."
            )
        return self._buttons[chosen]

    def _mask(self, mask: Any) -> NDArray[np.bool_]:
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise EnvwrightError(f"A mask is {self.num_envs} booleans, but got {mask.dtype} of shape {mask.shape}.")
        return mask

    def _index(self, index: int) -> int:
        if not 0 <= index < self.num_envs:
            raise EnvwrightError(f"There is no environment {index} in a batch of {self.num_envs}; they count from 0.")
        return index
