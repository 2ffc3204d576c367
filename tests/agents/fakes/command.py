"""A program that reads its prompt from a file and prints prose."""

import sys
from pathlib import Path

from behaviour import misbehave, say  # pyright: ignore[reportMissingImports]

what = misbehave(Path(sys.argv[1]).read_text())
say("I wrote rules.py.", what)
sys.exit(1 if what in ("error", "key") else 0)
