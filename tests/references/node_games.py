"""Games in JavaScript that tests play, in a real Node process."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envwright.references.protocol import Outcome, Reference

GAMES = Path(__file__).parent / "node_game"
PIG = GAMES / "pig.js"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not on PATH; install Node 18 or later.")


def a_game(folder: Path, step: str, state: str = "{ n: 0 }", extra: str = "", name: str = "toy.js") -> Path:
    """A game of one method; `step` starts on line 4."""
    script = folder / name
    script.write_text(f"""module.exports = class {{
  reset() {{ this.state = {state}; return {{ obs: [0] }}; }}
  step(action) {{
    {step}
    return {{ obs: [1] }};
  }}
  {extra}
}};
""")
    return script


def play(reference: Reference, seed: int, steps: int = 30) -> list[tuple[Outcome, dict[str, Any]]]:
    """An episode under random actions, and the state after each step."""
    rng = np.random.default_rng(seed)
    seen = [(reference.reset(seed), reference.look())]
    while len(seen) <= steps and not (seen[-1][0].terminated or seen[-1][0].truncated):
        outcome = reference.step(reference.sample_action(rng))
        seen.append((outcome, reference.look()))
    return seen


def same(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)  # the arrays are small, and -0.0 and NaN show


def with_draws(reference: Reference, action: int, count: int) -> Outcome:
    """A step that drew `count` times, found by trying seeds."""
    for seed in range(100):
        reference.reset(seed)
        outcome = reference.step(action)
        if len(outcome.draws) == count:
            return outcome
    raise AssertionError("no seed does")
