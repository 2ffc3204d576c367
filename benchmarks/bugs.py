"""Bugs on purpose: one edit of one file each, in a copy of the package, which is then verified in a process of its own.

A bug counts as caught if the verdict fails, and as blamed if the first module named is the one that it is in.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"


class Bug(NamedTuple):
    what: str
    module: str  # of the contract, or a phase
    file: str
    old: str
    new: str
    env: str


def compare(about: str | None, bugs: Sequence[Bug], rules: Path, program: str, watched: int) -> None:
    """Try them one after another and print a table.

    `rules` is the folder of the files, from the package's own. `program` is Python that verifies an environment: its
    arguments are the environment's name, how many steps to look at and a folder for recordings, which all bugs share;
    its last line is {"caught": ..., "blamed": [...], "level": ...}. It can import what is beside this file.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watched", type=int, default=watched, help=f"steps looked at (default {watched})")
    parser.add_argument("--only", default="", help="bugs whose name contains this")
    parser.add_argument("--first", type=int, default=1, help="the number of the bug to begin with")
    parser.add_argument("--recordings", type=Path, help="a folder that keeps them for another run of the same source")
    parser.add_argument("--check", action="store_true", help="only see whether every edit can be made")
    asked = parser.parse_args()
    chosen = [bug for bug in bugs[asked.first - 1 :] if asked.only in bug.what]
    for bug in chosen:
        edited(bug, SOURCE / "envwright" / rules)
    if asked.check:
        print(f"{len(chosen)} bugs can be put in.")
        return
    caught = right = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        kept = folder if asked.recordings is None else str(asked.recordings.resolve())
        given = [copy, rules, program, str(asked.watched), kept]
        for env in dict.fromkeys(bug.env for bug in chosen):
            if _tried(None, env, *given)["caught"]:
                raise SystemExit(f"{env} fails without a bug already.")
        print("| bug | environment | in | caught by | blamed |\n|---|---|---|---|---|", flush=True)
        for bug in chosen:
            found = _tried(bug, bug.env, *given)
            caught += found["caught"]
            right += found["caught"] and found["blamed"][:1] == [bug.module]
            level, blamed = found["level"] or "nothing", ", ".join(dict.fromkeys(found["blamed"]))
            print(f"| {bug.what} | {bug.env} | {bug.module} | {level} | {blamed} |", flush=True)
    print(f"\n{caught} of {len(chosen)} caught, {right} blamed on what they are in.")


def edited(bug: Bug, folder: Path) -> str:
    """The file with the bug in it."""
    text = (folder / bug.file).read_text()
    if text.count(bug.old) != 1:
        raise SystemExit(f"'{bug.what}' wants to edit {bug.file} at {bug.old!r}, found {text.count(bug.old)} times.")
    return text.replace(bug.old, bug.new)


def _tried(
    bug: Bug | None, env: str, copy: Path, rules: Path, program: str, watched: str, recordings: str
) -> dict[str, Any]:
    """The verdict on the copy of the package with the bug in it, which is taken out again."""
    home = copy / "envwright" / rules
    whole = None if bug is None else (home / bug.file).read_text()
    # Sets are in the same order in all processes, so that what they ask can be recognised.
    environment = {**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{HERE}", "PYTHONHASHSEED": "0"}
    Path(recordings).mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-B", "-c", program, env, watched, str(Path(recordings) / env)]
    try:
        if bug is not None:
            (home / bug.file).write_text(edited(bug, home))
        done = subprocess.run(command, env=environment, cwd=recordings, capture_output=True, text=True, check=False)
    finally:
        if bug is not None and whole is not None:
            (home / bug.file).write_text(whole)
    if done.returncode:
        raise SystemExit(f"'{bug.what if bug else 'no bug'}' could not be verified:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])
