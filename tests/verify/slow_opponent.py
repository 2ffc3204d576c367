"""Pong whose opponent is a fifth slower: a fault that changes how one should play."""

import re
from pathlib import Path

from planting import ROOT, Planted, replaced

PONG = ROOT / "src" / "envwright" / "envs" / "pong"
FAULT = ("clamp(chase, -p.paddle_speed, p.paddle_speed)", "clamp(chase, -0.8 * p.paddle_speed, 0.8 * p.paddle_speed)")
SMALL = """\
num_envs = 16
steps = 64
learning_rate = 1e-3
epochs = 2
minibatches = 2
[network]
hidden = [16]
"""


def plant_slow_opponent(folder: Path, transfer: str, *, fault: bool = True, config: str = SMALL) -> Planted:
    """Pong in one file and its contract, at eight frames a step, with a [transfer] section of its own."""
    env = replaced((PONG / "env.py").read_text(), [("from envwright.envs.pong import rules\n", "import sys\n")])
    itself = "\nrules = sys.modules[__name__]\n\nSTILL, UP, DOWN = 0, 1, 2\n"
    code = (PONG / "rules.py").read_text() + replaced(env, [("\nSTILL, UP, DOWN = 0, 1, 2\n", itself)])
    planted = Planted(folder / "slow_pong.py", folder / "slow_pong.toml", code)
    planted.code.write_text(replaced(code, [FAULT] if fault else []))
    (folder / "ppo.toml").write_text(config)
    terms = (PONG / "contract.toml").read_text().replace("frameskip = 1", "frameskip = 8")
    terms = re.sub(r"\npolicies = .*", "", terms)
    terms = re.sub(r"(?s)\n\[\[phase\]\].*?(?=\n\[\[(?:module|invariant)\]\])", "", terms)
    terms = re.sub(r"(?s)\n\[transfer\].*?(?=\n# A little)", f"\n[transfer]\nconfig = 'ppo.toml'\n{transfer}\n", terms)
    planted.contract.write_text(replaced(terms, [('"envwright:pong"', '"slow_pong.py:Pong"')]))
    return planted
