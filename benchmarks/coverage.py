"""What envwright translates by rule, and what not: every environment of coverage.toml, one after the other.

Run: python benchmarks/coverage.py [--only TEXT] [--missing]; make coverage installs the environments first.
Each is run as a user would, by the command line in an empty folder. The results are kept in coverage.json, where rows
that were not run again stay as they were; docs/coverage.md is written from it.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from coverage_page import page
from envwright.bench.machine import hardware, versions

HERE = Path(__file__).parent
LIST, RESULTS, PAGE = HERE / "coverage.toml", HERE / "coverage.json", HERE.parent / "docs" / "coverage.md"
ENVWRIGHT = Path(sys.executable).with_name("envwright")
LIMIT = 900.0  # seconds for one environment
VERIFIED, REFUSED, WRONG, LATE, FAILED = "verified", "refused", "wrong", "out of time", "failed"
ADVICE = (". Let a coding agent", " Then: envwright translate")  # what follows is for the one who typed the command

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="TEXT", help="only the environments whose reference or options have this")
    parser.add_argument("--missing", action="store_true", help="only those that have no result yet")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds for one (default {LIMIT:.0f})")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to leave the runs (default: nowhere)")
    parser.add_argument("--page", action="store_true", help="run nothing, only write the page again")
    args = parser.parse_args()
    libraries = tomllib.loads(LIST.read_text())["library"]
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"rows": []}
    found = {row["run"]: row for row in results["rows"]}
    every = [run for library in libraries for run in library["runs"]]
    chosen = [run for run in every if (args.only or "") in run and not (args.missing and run in found)]
    if args.only and not chosen:
        sys.exit(f"No environment in {LIST.name} has '{args.only}' in it.")
    for number, run in enumerate([] if args.page else chosen, 1):
        print(f"{number}/{len(chosen)} {run} ... ", end="", flush=True)
        found[run] = row = try_one(run, args.limit, args.keep)
        print(summary(row), flush=True)
        results = {
            "machine": hardware(),
            "versions": versions(["envwright", "jax", "numpy", *(library["package"] for library in libraries)]),
            "rows": [found[known] for known in every if known in found],
        }
        write(RESULTS, results)  # after each, for the whole takes long
    PAGE.write_text(page(libraries, results))
    print(f"Written to {PAGE}")


def try_one(run: str, limit: float, keep: Path | None) -> Row:
    """Translate an environment in a folder of its own; what came of it."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary) if keep is None else keep.resolve() / re.sub(r"\W+", "_", run)
        home.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        code, said = command(run, home, limit)
        seconds = time.monotonic() - began
        return {"run": run, "on": f"{date.today()}", "seconds": round(seconds, 1), **judge(home / "run", code, said)}


def command(run: str, home: Path, limit: float) -> tuple[int | None, str]:
    """The exit code, none if it was stopped for the time it took, and everything that was said."""
    reference, *options = run.split()
    sets = [word for option in options for word in ("--set", option)]
    argv = [str(ENVWRIGHT), "translate", reference, *sets, "--out", "run", "--fresh"]
    process = subprocess.Popen(
        argv, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        said, _ = process.communicate(timeout=limit)
        return process.returncode, said
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with the processes that it started
        process.wait()
        return None, ""


def judge(folder: Path, code: int | None, said: str) -> Row:
    """What a run came to, from its journal; or from its last sentence, if it never got that far."""
    journal = folder / "journal.jsonl"
    events = [json.loads(line) for line in journal.read_text().splitlines()[1:]] if journal.exists() else []
    answers = [e for e in events if e["event"] == "Settled" and e["task"].startswith("translate-")]
    judged = [e for e in events if e["event"] == "Judged"]
    measured = next((e for e in events if e["event"] == "Measured"), None)
    row: Row = {"result": VERIFIED if code == 0 else FAILED, "levels": levels(judged[-1]["checks"]) if judged else []}
    if answers:
        row["translate"] = round(sum(answer["seconds"] for answer in answers), 2)
    if measured is not None:
        row |= {name: float(f"{measured[name]:.4g}") for name in ("reference", "candidate")}
        row["ratio"] = [float(f"{value:.4g}") for value in measured["ratio"]]
    if code == 0:
        return row
    refusals = [line for answer in answers if answer["stop"] == REFUSED for line in answer["sentence"].splitlines()]
    if code is None:
        row["result"] = LATE
    elif refusals:
        row |= {"result": REFUSED, "why": unique(map(plain, refusals))}
    else:
        wrong = judged and not judged[-1]["passed"]
        began = bool(answers) or code != 2  # 2 is for what cannot be begun like this
        row |= {"result": WRONG if wrong else FAILED if began else REFUSED, "why": [last_sentence(said)]}
    return row


def levels(checks: Iterable[Mapping[str, Any]]) -> list[str]:
    """The levels of which something was asked and nothing went wrong."""
    status: dict[str, set[str]] = {}
    for check in checks:
        status.setdefault(check["level"], set()).add(check["status"])
    return sorted(name for name, found in status.items() if "pass" in found and not found & {"fail", "open"})


def last_sentence(said: str) -> str:
    lines = said.strip().splitlines() or ["it said nothing."]
    sentence = lines[-1].removeprefix("envwright: ")
    sentence = re.sub(r"\brun/", "", sentence)  # the folder it was in
    for advice in ADVICE:
        sentence = sentence.partition(advice)[0]
    return plain(sentence)


def plain(sentence: str) -> str:
    """A sentence without what is only true of this machine."""
    return re.sub(r"(?<![\w.])/[\w./-]+/", "", sentence).rstrip(".") + "."


def unique(sentences: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(sentences))


def summary(row: Row) -> str:
    speed = f", {row['ratio'][0]:,.1f} times" if "ratio" in row else ""
    return f"{row['result']} in {row['seconds']:.0f} s{speed}" + "".join(f"\n    {why}" for why in row.get("why", []))


def write(path: Path, results: Mapping[str, Any]) -> None:
    """As JSON, a line a row, so that a change of one is a change of one line."""
    head = [f'"{name}": {json.dumps(results[name])}' for name in ("machine", "versions")]
    rows = ",\n".join(json.dumps(row) for row in results["rows"])
    path.write_text("{\n" + ",\n".join([*head, f'"rows": [\n{rows}\n]']) + "\n}\n")


if __name__ == "__main__":
    main()
