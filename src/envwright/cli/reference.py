"""`envwright reference`"""

import argparse
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec
from envwright.references.registry import find_kind

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
    reference = chosen.reference
    if reference is None:
        raise EnvwrightError(f"{chosen.id} has no contract, so envwright does not know what it was translated from.")
    print(f"{chosen.id} is compared with {find_kind(reference, chosen.folder).obtain(args.archive)}")
    return 0
