"""`envwright reference`"""

import argparse
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec

NAME = "reference"
HELP = "Fetch and build the slow original that an environment was translated from."
EXAMPLES = """\
examples:
  envwright reference pong
  envwright reference pong --archive pufferlib-3.0.0.tar.gz     without a network

The original is kept outside this project, in $ENVWRIGHT_CACHE or your cache folder.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("env", help="id or short name, see: envwright list")
    parser.add_argument("--archive", type=Path, help="a copy of the source archive, instead of downloading it")


def run(args: argparse.Namespace) -> int:
    chosen = spec(args.env)
    if chosen.name != "pong":
        raise EnvwrightError(f"The reference of {chosen.id} is a Python package: pip install 'envwright[reference]'")
    from envwright.envs.pong.reference import ARCHIVE, library

    path = library(args.archive)
    print(f"{chosen.id} is compared with {ARCHIVE.requirement}, compiled to {path}")
    return 0
