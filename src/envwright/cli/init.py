"""`envwright init`"""

import argparse
from pathlib import Path

NAME = "init"
HELP = "Look at a reference and make a project of it: a contract, a plan of modules, settings; all can be edited."
EXAMPLES = """\
examples:
  envwright init gymnasium:Taxi-v4
  envwright init gymnasium:FrozenLake-v1 --set is_slippery=false
  envwright init my_module:MyEnv --out my_project
  envwright translate my_project
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reference", help="a Gymnasium id, minatar:GAME, module:Class, file.py:Class, node:FILE.js")
    parser.add_argument("--out", type=Path, help="the project's folder (default: the short name of the reference)")
    parser.add_argument("--target", choices=("jax", "rust"), help="what to translate to (default: as suggested)")
    parser.add_argument(
        "--set", dest="options", action="append", default=[], metavar="NAME=VALUE", help="an option of the original"
    )
    parser.add_argument("--name", help="of the package, without fast_ (default: the short name of the reference)")
    parser.add_argument("--source", action="append", type=Path, default=[], help="a source file that is not Python")
    parser.add_argument("--entry", action="append", default=[], help="a function in it that resets or steps")


def run(args: argparse.Namespace) -> int:
    from envwright.recipe.naming import read_options, short_name
    from envwright.recipe.new_project import init_project

    options = read_options(args.options)
    folder = args.out or Path(args.name or short_name(args.reference, options))
    project = init_project(
        args.reference, folder, target=args.target, sources=args.source, entries=args.entry, options=options,
        name=args.name,
    )  # fmt: skip
    print(f"{folder} translates {project.reference} to {project.target}. Look at contract.toml and plan.toml, then:")
    print(f"  envwright translate {folder}")
    return 0
