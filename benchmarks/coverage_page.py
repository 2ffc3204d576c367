"""docs/coverage.md, from what coverage.py found."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

RESULTS = ("verified", "refused", "wrong", "out of time", "failed")
GIGABYTE = 2**30

INTRODUCTION = """\
# What is translated by rule

    make coverage                                          # regenerates everything below; takes an hour or more
    .venv/bin/python benchmarks/coverage.py --only Taxi    # a part of it; the other rows are kept

Each row is the result of `envwright translate REFERENCE --set NAME=VALUE` with the builtin agent, run as a user would,
without intervention, one after the other. The list is `benchmarks/coverage.toml`, the figures are in
`benchmarks/coverage.json`, and this page is generated from them.

The rules were developed on environments like these. Elsewhere expect far fewer: of code that nobody had prepared for,
tried as a new user would, 3 of 35 ids in 14 packages and 4 of 13 small games in ordinary Python were translated.

- Machine: {machine}, no GPU.
- Versions: {versions}.
- When: {when}.
"""

WORDS = """\
- **verified**: L0 to L3 agree with the original, and so do held-out games that were drawn after the translation was
  written. Nothing else is accepted.
- **refused**: the rules do not cover it. What, and where, is listed below the table.
- **wrong**: the rules produced a translation, and the verifier found a difference, so it was not accepted. A bug.
- **levels**: those that had checks, all of which passed, see [verify.md](verify.md). L2, the phases of a
  step, is checked only where a contract names phases.
- **translating**: seconds taken by the rules. **in all**: seconds of the whole command: the original is played, the
  translation is verified twice, both are timed, and the package is built.
- **original, translation**: steps per second, with random actions. The original runs as its users run it, one
  environment in one process; the translation 4,096 at a time on all cores, without compile time. A step is one
  decision, with observation, reward and flags; where an episode ended, the reset is part of it.
- **speed-up**: translation over original, timed in alternating rounds in one run: the median of five rounds and its 95%
  interval.
"""

COLUMNS = ("environment", "options", "result", "levels")
FIGURES = ("translating, s", "in all, s", "original, steps/s", "translation, steps/s", "speed-up")


def page(libraries: Sequence[Mapping[str, Any]], results: Mapping[str, Any]) -> str:
    """The whole page: counts, what the words mean, a table a library."""
    found = {row["run"]: row for row in results["rows"]}
    versions = results.get("versions", {})
    by_library = [(library, [found[run] for run in library["runs"] if run in found]) for library in libraries]
    parts = [
        INTRODUCTION.format(
            machine=_machine(results.get("machine", {})), versions=_versions(versions), when=_when(results["rows"])
        ),
        "\n".join(_counts(by_library, versions)),
        WORDS,
        *(_section(library, rows) for library, rows in by_library),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _machine(facts: Mapping[str, Any]) -> str:
    memory = facts.get("memory_bytes")
    gigabytes = f" with {memory / GIGABYTE:.0f} GB" if memory else ""
    return f"{facts.get('cores_used', '?')} cores of {facts.get('processor', 'an unknown processor')}{gigabytes}"


def _when(rows: Sequence[Mapping[str, Any]]) -> str:
    days = sorted({row["on"] for row in rows})
    return "never" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _versions(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _counts(
    by_library: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]], versions: Mapping[str, str]
) -> Iterable[str]:
    every = [row for _, rows in by_library for row in rows]
    shown = [result for result in RESULTS if any(row["result"] == result for row in every)]
    yield "| library | version | tried | " + " | ".join(shown) + " | speed-up, median |"
    yield "|---|---|" + "---:|" * (len(shown) + 2)
    for name, version, rows in [
        *((library["name"], versions.get(library["package"], ""), rows) for library, rows in by_library),
        ("**all**", "", every),
    ]:
        counts = Counter(row["result"] for row in rows)
        speeds = [row["ratio"][0] for row in rows if row["result"] == "verified" and "ratio" in row]
        speed = _times(median(speeds)) if speeds else "-"
        cells = [name, version, str(len(rows)), *(str(counts[result]) for result in shown), speed]
        yield "| " + " | ".join(cells) + " |"


def _section(library: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"## {library['name']}", ""]
    if "note" in library:
        lines += [library["note"], ""]
    lines += ["| " + " | ".join((*COLUMNS, *FIGURES)) + " |", "|" + "---|" * len(COLUMNS) + "---:|" * len(FIGURES)]
    lines += map(_row, rows)
    reasons: dict[str, list[str]] = {}
    for row in rows:
        for why in row.get("why", ()):
            reasons.setdefault(why, []).append(_short(row["run"]))
    if reasons:
        lines += ["", "Why not:", ""]
        lines += [f"- {', '.join(f'`{name}`' for name in names)}: {why}" for why, names in reasons.items()]
    return "\n".join(lines)


def _row(row: Mapping[str, Any]) -> str:
    reference, *options = row["run"].split()
    ratio = row.get("ratio")
    cells = [
        f"`{reference}`",
        " ".join(f"`{option}`" for option in options),
        row["result"] if row["result"] == "verified" else f"**{row['result']}**",
        " ".join(row["levels"]) or "-",
        f"{row['translate']:.1f}" if "translate" in row else "-",
        f"{row['seconds']:.0f}",
        _rate(row.get("reference")),
        _rate(row.get("candidate")),
        f"{_times(ratio[0])} [{_times(ratio[1])}, {_times(ratio[2])}]" if ratio else "-",
    ]
    return "| " + " | ".join(cells) + " |"


def _rate(steps: float | None) -> str:
    """Steps a second, in three digits."""
    if steps is None:
        return "-"
    return f"{steps / 1e6:,.3g} million" if steps >= 1e6 else f"{float(f'{steps:.3g}'):,.0f}"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"


def _short(run: str) -> str:
    """An environment in a sentence: without the way to it."""
    reference, *options = run.split()
    return " ".join([reference.rpartition(":")[2], *options])
