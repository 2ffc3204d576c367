"""`envwright verify`"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from envwright import api
from envwright.cli.folders import make_folder
from envwright.cli.numbers import LARGEST_SEED, whole_number
from envwright.cli.screen import Status, coloured
from envwright.core import tune_cpu

if TYPE_CHECKING:
    from envwright.api.verified import Verified
    from envwright.verifier.verdict import Verdict

NAME = "verify"
HELP = "Compare an environment with the reference that it was translated from."
EXAMPLES = """\
examples:
  envwright verify pong                                    a registered environment against its reference
  envwright verify fast_cart_pole                          one of an installed wheel, by the contract that it ships
  envwright verify gymnasium:CartPole-v1 gymnax:CartPole-v1
  envwright verify examples/blackjack.toml                 your own, by its contract
  envwright verify pong --episodes 10000 --levels 3
  envwright verify cartpole --levels 4                     train on both sides, play on both

Five levels: L0 the contract fits, L1 single steps and functions from recorded and invented states, L2 phase by phase
within a step, L3 whole episodes, L4 policies trained on either side and played on both (takes minutes, so only when
asked for). Random draws of the reference are recorded and replayed, so stochastic environments are compared exactly.
A difference is traced to a module, shrunk to its smallest input and written down with the command that replays it.
Exit code 0: no difference; 1: there is one; 2: the comparison could not be made; 3: L4 could not tell.
"""

LEVELS = (0, 1, 2, 3, 4)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="+", metavar="NAME", help="an environment, a contract's file, or REFERENCE CANDIDATE"
    )
    parser.add_argument("--contract", type=Path, help="the contract's file, for a pair that envwright has none for")
    parser.add_argument(
        "--levels", type=int, nargs="+", choices=LEVELS, default=list(api.LEVELS), help="default: 0 1 2 3"
    )
    parser.add_argument(
        "--episodes",
        type=whole_number(1),
        help="whole episodes in L3 (default 100; 1,000 of each form where the reference plays many at once); "
        "of each policy where the reference says so",
    )
    parser.add_argument(
        "--calls",
        type=whole_number(1),
        help="calls in L1 of each function whose arguments the contract makes (default 3,000)",
    )
    parser.add_argument(
        "--seed", type=whole_number(0, LARGEST_SEED), default=0, help="another seed, other games (default 0)"
    )
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the verdict file (default out)")
    parser.add_argument(
        "--patience", type=float, default=60.0, help="seconds without a step before giving up (default 60)"
    )
    parser.add_argument(
        "--policy", action="append", default=[], metavar="FILE:FUNCTION", help="another player, function(obs, rng)"
    )


def run(args: argparse.Namespace) -> int:
    if len(args.names) == 1 and not args.names[0].endswith(".toml"):
        tune_cpu()  # ours; XLA fails to compile some environments of others with these settings
    make_folder(args.out, "--out")  # before the work, so that none is lost
    status = Status()

    def show(verdict: "Verdict") -> None:
        status.clear()
        print(coloured(verdict.text()), flush=True)

    found = api.verify(
        *args.names,
        contract=args.contract,
        levels=args.levels,
        episodes=args.episodes,
        calls=args.calls,
        seed=args.seed,
        patience=args.patience,
        policies=args.policy,
        out=args.out,
        progress=status.show,
        each=show,
    )
    print(f"Written to {found.file}")
    return _exit_code(found)


def _exit_code(found: "Verified") -> int:
    if found.passed:
        return 0
    if not found.failed:
        return 3
    blamed = {divergence.module for divergence in found.divergences}
    return 1 if blamed - {"contract"} else 2  # a contract that does not fit is the user's to put right
