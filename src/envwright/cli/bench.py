"""`envwright bench`"""

import argparse
from pathlib import Path

from envwright.cli.folders import make_folder
from envwright.cli.numbers import whole_number
from envwright.cli.screen import Status
from envwright.core import NativeEnv, registry

NAME = "bench"
HELP = "Race an environment against other libraries' on this machine."
EXAMPLES = """\
examples:
  envwright bench pong                                  against every peer that is installed and has it
  envwright bench pong --against reference --quick      a first impression, in about a minute
  envwright bench cartpole --against gymnax,rejax
  envwright bench half_cheetah --against mujoco,mjx,brax,envpool
  envwright bench pong --with frameskip=8 --only random

Everybody runs on the same cores, turn by turn, in their best layout and batch. Measured are steps a second with random
actions and while PPO trains, the environment's share of PPO at 2M, 20M and 200M parameters, compile time, memory, and
how far ours is from what the machine can do. The results are a table, a JSON file and a picture.
"""

PICTURES = "pip install 'envwright[viz]'"
PARTS = ("random", "ppo", "share", "roof")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("env", metavar="ENV", help="an environment: an id or a short name")
    parser.add_argument(
        "--against",
        metavar="PEER,...",
        help="reference (or its kind: showdown), gymnax, gymnasium, rejax, mujoco, mjx, brax, envpool (default: all)",
    )
    parser.add_argument("--only", choices=PARTS, help="measure only this")
    parser.add_argument("--rounds", type=whole_number(1), help="turns of each side in the sweep (default 5; quick 3)")
    parser.add_argument("--quick", action="store_true", help="random actions only, few batches, few rounds")
    parser.add_argument(
        "--with", dest="options", action="append", default=[], metavar="NAME=VALUE", help="an option of the environment"
    )
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the results (default out)")


def run(args: argparse.Namespace) -> int:
    from envwright.bench import machine, plots, report, text
    from envwright.bench.competitor import available_cores
    from envwright.bench.plan import BenchPlan, choose_peers, parse_options, parts_of
    from envwright.bench.run import bench

    spec = registry.spec(args.env)
    options = parse_options(args.options)
    env = registry.make(spec.id, **options)  # refuses what the environment does not have
    plan = BenchPlan(
        env=spec.id,
        peers=choose_peers(spec.id, args.against),
        cores=len(available_cores()),
        rounds=args.rounds or (3 if args.quick else 5),
        quick=args.quick,
        options=options,
        native=isinstance(env, NativeEnv),
    )
    make_folder(args.out, "--out")
    status = Status()

    def show(line: str) -> None:
        status.clear()
        print(line, flush=True)

    show(text.heading(plan, machine.hardware(), machine.load()))
    parts = (args.only,) if args.only else parts_of(plan, named=args.against is not None)
    found = bench(plan, parts, status.show, show)
    status.clear()
    path = args.out / f"bench-{spec.name}.json"
    report.write(found, path)
    picture = plots.draw(found, path.with_suffix(".png"))
    print(f"Written to {path} and {picture}" if picture else f"Written to {path}; for pictures: {PICTURES}")
    return 0
