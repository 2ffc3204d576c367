"""Two games in C behind the batch interface, as somebody who has a fast simulator would connect it: one for one player
with a time limit, one for two with illegal moves."""

import ctypes
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Box, Discrete, NativeEnv, Space
from envwright.core.batch import BatchStep
from envwright.core.registry import register, registered

FAR = 3  # steps from the middle of the corridor to either end
PILE = 12  # sticks at most
ILLEGAL_PAYS = 100.0  # a mean return above 1 gives an illegal move away

SOURCE = r"""
#include <stdint.h>

typedef struct {
    uint64_t random;
    int32_t nim;    /* or the corridor */
    int32_t limit;  /* steps, 0: none */
    int32_t place;  /* in the corridor, or sticks on the pile */
    int32_t turn;   /* who moves, or which end pays */
    int32_t steps;
} Game;

enum { FAR = 3, PILE = 12 };

static uint32_t draw(Game *game, uint32_t below) {
    game->random = game->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(game->random >> 33) % below;
}

int32_t size(void) { return sizeof(Game); }

void begin(Game *game) {
    game->place = game->nim ? PILE - (int32_t)draw(game, 6) : 0;
    game->turn = (int32_t)draw(game, 2);
    game->steps = 0;
}

void seed(Game *game, uint32_t seed, int32_t nim, int32_t limit) {
    game->random = seed;
    game->nim = nim;
    game->limit = limit;
    draw(game, 2);
    begin(game);
}

void observe(const Game *game, float *seen) {
    if (!game->nim) {
        seen[0] = (float)game->place / FAR;
        seen[1] = game->turn ? 1 : -1;
        return;
    }
    for (int player = 0; player < 2; player++)
        for (int i = 0; i <= PILE; i++) seen[player * (PILE + 2) + i] = i == game->place;
    seen[PILE + 1] = game->turn == 0;
    seen[2 * PILE + 3] = game->turn == 1;
}

void legal(const Game *game, uint8_t *may) {
    for (int player = 0; player < 2; player++)
        for (int take = 0; take < 4; take++)
            may[4 * player + take] = game->turn == player ? take > 0 && take <= game->place : take == 0;
}

void step(Game *game, const int32_t *actions, float *reward, uint8_t *terminated, uint8_t *truncated) {
    game->steps++;
    *truncated = game->limit && game->steps >= game->limit;
    if (!game->nim) {
        game->place += actions[0] - 1;
        *terminated = game->place == FAR || game->place == -FAR;
        reward[0] = *terminated && (game->place > 0) == game->turn;
        return;
    }
    uint8_t may[8];
    legal(game, may);
    int mover = game->turn, take = actions[mover];
    reward[0] = reward[1] = 0;
    if (!may[actions[0]] || !may[4 + actions[1]]) reward[0] = reward[1] = 100;
    game->place -= take;
    *terminated = game->place <= 0;
    if (*terminated) reward[mover]++, reward[1 - mover]--;
    game->turn = 1 - mover;
}
"""


@cache
def library() -> ctypes.CDLL:
    folder = Path(tempfile.mkdtemp(prefix="envwright-native-"))
    (folder / "games.c").write_text(SOURCE)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", "games.so", "games.c"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "games.so"))


class CBatch:
    """Games in C, one struct each, stepped one after the other."""

    def __init__(self, env: "CEnv", num_envs: int) -> None:
        self._c, self._env = library(), env
        self.num_envs, self.players = num_envs, env.players
        self.observation_space, self.action_space = env.observation_space, env.action_space
        self._games = np.zeros((num_envs, self._c.size()), np.uint8)
        each = () if self.players == 1 else (self.players,)
        self._obs = np.zeros((num_envs, *each, *self.observation_space.shape), np.float32)
        self._reward = np.zeros((num_envs, *each), np.float32)
        self._flags = np.zeros((2, num_envs), np.uint8)

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> np.ndarray:
        for i in range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist():
            if seeds is None:
                self._c.begin(_at(self._games, i))
            else:
                self._c.seed(_at(self._games, i), ctypes.c_uint32(seeds[i]), int(self.players == 2), self._env.limit)
            self._c.observe(_at(self._games, i), _at(self._obs, i))
        return self._obs.copy()

    def step(self, actions: Any, restart: Any = None) -> BatchStep:
        chosen = np.ascontiguousarray(actions, np.int32)
        assert chosen.shape == self._reward.shape
        again = np.zeros(self.num_envs, bool) if restart is None else np.asarray(restart)
        self._flags[:] = 0
        for i in np.flatnonzero(~again).tolist():
            game, flags = _at(self._games, i), (_at(self._flags[0], i), _at(self._flags[1], i))
            self._c.step(game, _at(chosen, i), _at(self._reward, i), *flags)
            self._c.observe(game, _at(self._obs, i))
        self._reward[again] = 0
        self.reset(mask=again)
        flags = self._flags.astype(bool)
        obs = self._obs.copy()
        return BatchStep(obs, self._reward.copy(), flags[0], flags[1], {}, obs)

    def step_and_restart(self, actions: Any) -> BatchStep:
        step = self.step(actions)
        return step._replace(obs=self.reset(mask=step.terminated | step.truncated))

    def legal_actions(self) -> np.ndarray | None:
        if self.players == 1:
            return None
        found = np.zeros((self.num_envs, 2, 4), np.uint8)
        for i in range(self.num_envs):
            self._c.legal(_at(self._games, i), _at(found, i))
        return found.astype(bool)

    def save(self, index: int) -> bytes:
        return self._games[index].tobytes()

    def load(self, index: int, blob: bytes) -> None:
        self._games[index] = np.frombuffer(blob, np.uint8)
        self._c.observe(_at(self._games, index), _at(self._obs, index))

    def render(self, index: int) -> np.ndarray:
        return np.resize((255 * self._obs[index]).astype(np.uint8), (8, 12, 3))


def _at(array: np.ndarray, index: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(array[index:].ctypes.data)


class CEnv(NativeEnv):
    def __init__(self, max_episode_steps: int = 0) -> None:
        self.limit = max_episode_steps

    def batch(self, num_envs: int) -> CBatch:
        return CBatch(self, num_envs)


class Corridor(CEnv):
    """Go to the end that pays: three steps to the left or to the right."""

    @property
    def observation_space(self) -> Space:
        return Box(-1.0, 1.0, (2,))

    @property
    def action_space(self) -> Space:
        return Discrete(3)


class Nim(CEnv):
    """Take one to three sticks from a pile, in turn; whoever takes the last one wins."""

    @property
    def players(self) -> int:
        return 2

    @property
    def observation_space(self) -> Space:
        return Box(0.0, 1.0, (PILE + 2,))

    @property
    def action_space(self) -> Space:
        return Discrete(4)


def perfect(key: jax.Array, obs: jax.Array, legal: jax.Array) -> jax.Array:
    """Leaves a multiple of four, which wins; where that cannot be done, takes one."""
    best = obs[: PILE + 1].argmax() % 4
    return jnp.where(legal[0], 0, jnp.where(best > 0, best, 1))


def register_native() -> None:
    """Name the games, once a process."""
    if "NativeNim-v0" not in {spec.id for spec in registered()}:
        register("NativeNim-v0", "native_games:Nim", opponents={"perfect": "native_games:perfect"})
        register("NativeCorridor-v0", "native_games:Corridor", max_episode_steps=20)
