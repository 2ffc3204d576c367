"""`envwright ablate`"""

import argparse
from pathlib import Path

from envwright.cli.numbers import whole_number
from envwright.cli.screen import Status, bold

NAME = "ablate"
HELP = (
    "What the levels are worth: put faults into a translation that is right, and count repairs with and without them."
)
EXAMPLES = """\
examples:
  envwright ablate examples/recorded/blackjack          a recording, which is played first
  envwright ablate out/translate/taxi --trials 50 --faults 3

An agent that repairs only what the verdict names puts one function right at a time. With all levels the verdict names a
function or a module; whole episodes alone name a step and a field. Both get the same faults and as many repairs.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="a recording, or a finished run, translated to JAX")
    parser.add_argument("--trials", type=whole_number(1), default=20, help="sets of faults (default 20)")
    parser.add_argument("--faults", type=whole_number(1), default=2, help="faults in a set (default 2)")
    parser.add_argument("--most", type=whole_number(1), default=20, help="repairs allowed (default 20)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the results (default out)")


def run(args: argparse.Namespace) -> int:
    from envwright.recipe.ablate.finished import open_finished
    from envwright.recipe.ablate.table import NAMES, ratio, run_trials, summarise, text, write
    from envwright.recipe.ablate.trial import AblationTrial

    folder = _played(args.folder)
    status = Status()

    def tell(trial: AblationTrial) -> None:
        end = "right" if trial.right else "green but wrong" if trial.green else "not there"
        status.clear()
        print(f"  {trial.seed:3} {NAMES[trial.arm]:15} {trial.iterations:3} repairs, {end}: {'; '.join(trial.faults)}")

    with open_finished(folder, status.show) as finished:
        print(bold(f"{finished.name}: {args.trials} sets of {args.faults} faults, at most {args.most} repairs"))
        trials = run_trials(
            finished.judge_for, finished.files, finished.modules,
            trials=args.trials, count=args.faults, most=args.most, tell=tell,
        )  # fmt: skip
    rows = summarise(trials, args.most)
    print(text(rows, ratio(trials, args.most)))
    path = args.out / f"ablation-{finished.name}.json"
    write(trials, rows, path)
    print(f"Written to {path}")
    return 0


def _played(folder: Path) -> Path:
    """The folder of a finished run; a recording is played first."""
    from envwright.cli.running import carry_out
    from envwright.recipe.new_project import begin
    from envwright.recipe.recorded import FILE

    if not (folder / FILE).is_file() or (folder / "package").is_dir():
        return folder
    project = begin(str(folder), None)
    carry_out(project)
    return project.folder
