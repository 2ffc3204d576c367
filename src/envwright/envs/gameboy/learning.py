"""Games on PyBoy that nobody watches, for learners and for races: many at once in a thread pool, its sound off.

Its `tick` gives up Python's lock, so threads share the cores.
"""

import io
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import BatchStep
from envwright.core.errors import ActionError
from envwright.core.spaces import Space
from envwright.envs.gameboy import values
from envwright.envs.gameboy.env import GameBoy
from envwright.envs.gameboy.pyboy_machine import PyBoyMachine
from envwright.envs.gameboy.screens import drawn
from envwright.envs.gameboy.starts import buttons, draw
from envwright.envs.gameboy.values import Values


class _UnwatchedGame:
    """One PyBoy. Starts are saved states, as its users have them."""

    def __init__(self, env: GameBoy, starts: dict[tuple[int, ...], bytes]) -> None:
        self.env, self._starts = env, starts
        self.machine = PyBoyMachine(env.game.rom, sound=False)
        self._places = np.array(values.addresses(env.game.values), np.intp)
        self.seed, self.episode, self.steps = np.uint64(0), np.uint64(0), 0
        self.now: Values = {}

    def begin(self) -> Any:
        script = self.env.game.start
        start = draw(script, np.array([self.seed]), np.array([self.episode]))[0]
        key = tuple(start.tolist())
        if key not in self._starts:
            fresh = PyBoyMachine(self.env.game.rom, sound=False)
            for held in buttons(script, start.tolist()).tolist():
                fresh.tick(held)
            saved = io.BytesIO()
            fresh.pyboy.save_state(saved)
            fresh.close()
            self._starts[key] = saved.getvalue()
        self.machine.load(self._starts[key])
        self.episode, self.steps, self.now = self.episode + np.uint64(1), 0, self._read()
        return self.seen()

    def step(self, action: int) -> tuple[Any, Any, bool, bool, Any]:
        """What is seen of it, reward and ends; and what is seen next, of a new game where this one has ended."""
        self.machine.tick(self.env.buttons[action], self.env.ticks, draw=self.env.looks.is_screen)
        self.steps += 1
        before, self.now = self.now, self._read()
        game, limit = self.env.game, self.env.max_episode_steps
        reward = values.reward(game.rewards, before, self.now)[0] if game.rewards else np.float32(0)
        terminated = bool(values.ended(game.ends, self.now)[0]) if game.ends else False
        truncated = bool(limit) and self.steps >= limit
        final = self.seen()
        return final, reward, terminated, truncated, self.begin() if terminated or truncated else final

    def seen(self) -> Any:
        looks = self.env.looks
        if not looks.is_screen:
            return looks.numbers(self.now)[0]
        if looks.kind == "grey":
            return self.machine.pyboy.screen.ndarray[:, :, 0].copy()
        if looks.kind == "half":
            return self.machine.pyboy.screen.ndarray[::2, ::2, 0].copy()
        return drawn(looks.kind, self.machine.shades())

    def _read(self) -> Values:
        return values.read(self.env.game.values, self.machine.bytes_at(self._places)[None])


class PyBoyBatch:
    """PyBoys behind the batch interface."""

    players = 1

    def __init__(self, env: GameBoy, num_envs: int, threads: int | None = None) -> None:
        starts: dict[tuple[int, ...], bytes] = {}
        self.num_envs = num_envs
        self.observation_space: Space = env.observation_space
        self.action_space: Space = env.action_space
        self._games = [_UnwatchedGame(env, starts) for _ in range(num_envs)]
        self._threads = min(num_envs, threads or os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(self._threads)

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[Any]:
        if mask is not None:
            raise ActionError("Games on PyBoy are reset all together; leave the mask out.")
        if seeds is not None:
            for game, seed in zip(self._games, seeds, strict=True):
                game.seed, game.episode = np.uint64(seed), np.uint64(0)
        return np.stack([game.begin() for game in self._games])

    def step_and_restart(self, actions: Any) -> BatchStep:
        chosen = np.asarray(actions).tolist()
        shares = [range(i, self.num_envs, self._threads) for i in range(self._threads)]

        def step(share: range) -> list[tuple[int, Any]]:
            return [(i, self._games[i].step(chosen[i])) for i in share]

        done = dict(pair for pairs in self._pool.map(step, shares) for pair in pairs)
        final, reward, terminated, truncated, seen = zip(*(done[i] for i in range(self.num_envs)), strict=True)
        return BatchStep(
            np.stack(seen), np.array(reward, np.float32), np.array(terminated), np.array(truncated), {}, np.stack(final)
        )

    def legal_actions(self) -> None:
        return None


class PyBoyRace:
    """PyBoys of one thread that take random actions."""

    def __init__(self, env: GameBoy, num_envs: int) -> None:
        starts: dict[tuple[int, ...], bytes] = {}
        self._games = [_UnwatchedGame(env, starts) for _ in range(num_envs)]
        self._actions = len(env.buttons)
        for i, game in enumerate(self._games):
            game.seed = np.uint64(i)
            game.begin()

    def race(self, steps: int, seed: int) -> None:
        chosen = np.random.default_rng(seed).integers(self._actions, size=(steps, len(self._games))).tolist()
        for row in chosen:
            for game, action in zip(self._games, row, strict=True):
                game.step(action)
