"""`envwright contract`"""

import argparse
from pathlib import Path

from envwright.core.errors import EnvwrightError

NAME = "contract"
HELP = "Begin a contract: what must be equal between an environment and its translation."
EXAMPLES = """\
examples:
  envwright contract init gymnasium:Taxi-v4 --out contract.toml
  envwright contract init gymnasium:CartPole-v1 --candidate gymnax:CartPole-v1 --out contract.toml

Plays the reference a little and writes down what it found: the parts of its state with their types, shapes and ranges,
where it draws at random, and its functions. With a candidate it also proposes which field is which. What it cannot know
is marked TODO.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["init"], help="init: write a first contract")
    parser.add_argument("reference", help="for example gymnasium:Taxi-v4 or path/to/file.py:Class")
    parser.add_argument("--candidate", default="TODO.py:TODO", help="for example gymnax:CartPole-v1 or file.py:Class")
    parser.add_argument(
        "--out", type=Path, default=Path("contract.toml"), help="the file to write (default contract.toml)"
    )


def run(args: argparse.Namespace) -> int:
    from envwright.recipe.drafting.first_contract import draft_contract

    if args.out.exists():
        raise EnvwrightError(f"{args.out} exists already; choose another name with --out.")
    text = draft_contract(args.reference, args.candidate)
    try:
        args.out.write_text(text)
    except OSError as error:
        raise EnvwrightError(
            f"{args.out} cannot be written: {error.strerror}; choose another name with --out."
        ) from None
    print(f"Written to {args.out}; look for TODO, then: envwright verify {args.out}")
    return 0
