"""PufferLib's interface: the same games as the batch, in buffers that are the caller's."""

from typing import Any

import numpy as np
import pytest

import envwright
from envwright.adapters.puffer import PufferBuffers
from native_games import register_native

register_native()


def test_buffers_have_what_the_batch_gives() -> None:
    env, batch = (envwright.batch("NativeCorridor-v0", 4) for _ in range(2))
    room = np.full((4, 2), 9, np.float32)
    puffer = PufferBuffers(env, {"observations": room})
    seen, _ = puffer.reset(seed=3)
    assert seen is room
    assert np.array_equal(seen, batch.reset(seeds=range(3, 7)))
    rng = np.random.default_rng(0)
    for _ in range(30):
        actions = rng.integers(3, size=4)
        puffer.step(actions)
        want = batch.step_and_restart(actions)
        assert np.array_equal(room, want.obs)
        for name, wanted in (("rewards", want.reward), ("terminals", want.terminated), ("truncations", want.truncated)):
            assert np.array_equal(getattr(puffer, name), wanted)


@pytest.mark.parametrize("buffers", [{"rewards": np.zeros(3, np.float32)}, {"terminals": np.zeros(4, np.uint8)}])
def test_a_buffer_that_does_not_fit_is_refused_in_a_sentence(buffers: dict[str, Any]) -> None:
    with pytest.raises(envwright.EnvwrightError, match=r"The buffer `(rewards|terminals)` has to be"):
        PufferBuffers(envwright.batch("NativeCorridor-v0", 4), buffers)


def test_a_game_for_two_is_refused() -> None:
    with pytest.raises(envwright.EnvwrightError, match="one player an environment; this has 2"):
        PufferBuffers(envwright.batch("NativeNim-v0", 4))
