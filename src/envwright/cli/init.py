"""`envwright init`"""

import argparse
from pathlib import Path

NAME = "init"
HELP = "Look at a reference and make a project of it: a contract, a plan of modules, settings; all can be edited."
EXAMPLES = """\
examples:
  envwright init gymnasium:Taxi-v4
  envwright init my_module:MyEnv --out my_project --target rust
  envwright translate my_project --agent claude
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reference", help="a Gymnasium id, minatar:GAME, module:Class, file.py:Class, node:FILE.js")
    parser.add_argument("--out", type=Path, help="the project's folder (default: the short name of the reference)")
    parser.add_argument("--target", choices=("jax", "rust"), help="what to translate to (default: as suggested)")
    parser.add_argument("--source", action="append", type=Path, default=[], help="a source file that is not Python")
    parser.add_argument("--entry", action="append", default=[], help="a function in it that resets or steps")


def run(args: argparse.Namespace) -> int:
    from envwright.recipe.begin import init_project, short_name

    folder = args.out or Path(short_name(args.reference))
    project = init_project(args.reference, folder, target=args.target, sources=args.source, entries=args.entry)
    print(f"{folder} translates {project.reference} to {project.target}. Look at contract.toml and plan.toml, then:")
    print(f"  envwright translate {folder} --agent claude --budget 10")
    return 0
