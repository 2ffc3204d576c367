"""`envwright.verify`: verdicts as an object."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from envwright.report.html import Html, details, join, table, tag
from envwright.verifier.run import verify_names
from envwright.verifier.verdict import Check, Divergence, Verdict, describe, write

COLOURS = {"pass": "#1a7f37", "fail": "#cf222e", "open": "#9a6700", "note": "#57606a", "skip": "#57606a"}


@dataclass(frozen=True)
class Verified:
    """What was found: a verdict for each form of the environment."""

    verdicts: tuple[Verdict, ...]
    file: Path | None = None  # where they are written, if anywhere

    @property
    def passed(self) -> bool:
        return all(verdict.passed for verdict in self.verdicts)

    @property
    def failed(self) -> bool:
        return any(verdict.failed for verdict in self.verdicts)

    @property
    def checks(self) -> tuple[Check, ...]:
        return tuple(check for verdict in self.verdicts for check in verdict.checks)

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """Where the two sides differ, one for each module that is blamed."""
        return tuple(divergence for check in self.checks for divergence in check.divergences)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return "\n".join(verdict.text() for verdict in self.verdicts)

    def _repr_html_(self) -> str:
        return join(*(_verdict(verdict) for verdict in self.verdicts))


def run(
    names: Sequence[str],
    contract: Path | str | None,
    levels: Sequence[int],
    episodes: int | None,
    calls: int | None,
    seed: int,
    patience: float,
    policies: Sequence[str],
    out: Path | str | None,
    progress: Callable[[str], None],
    each: Callable[[Verdict], None],
) -> Verified:
    """Verify; with a folder, what is found is written there as well."""
    verdicts: list[Verdict] = []
    folder = None if out is None else Path(out)
    path = None if folder is None else folder / f"verdict-{_label(names)}.json"
    for verdict in verify_names(
        names,
        contract=None if contract is None else Path(contract),
        levels=[f"L{level}" for level in sorted(set(levels))],
        episodes=episodes,
        calls=calls,
        seed=seed,
        patience=patience,
        policies=policies,
        out=folder,
        progress=progress,
    ):
        each(verdict)
        verdicts.append(verdict)
        if path is not None:  # already now, for the next form may take hours
            write(verdicts, path)
    if path is not None and not verdicts:
        write(verdicts, path)
    return Verified(tuple(verdicts), path)


def _label(names: Sequence[str]) -> str:
    """The pair as a part of a file's name."""
    text = "-and-".join(Path(name).stem if name.endswith(".toml") else name for name in names)
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in text)


def _verdict(verdict: Verdict) -> Html:
    colour = COLOURS["pass" if verdict.passed else "fail" if verdict.failed else "open"]
    word = tag("b", verdict.word, style=f"color:{colour}")
    rows = [[check.level, _mark(check), check.name, _detail(check)] for check in verdict.checks]
    checks = table(["level", "", "check", ""], rows)
    return tag("div", tag("p", word, f" {verdict.subject} ({verdict.seconds:.1f} s)"), checks)


def _mark(check: Check) -> Html:
    return tag("span", "ok" if check.status == "pass" else check.status, style=f"color:{COLOURS[check.status]}")


def _detail(check: Check) -> Html:
    found = [tag("pre", "\n".join(describe(divergence))) for divergence in check.divergences]
    return join(check.detail, details("where they differ", *found, open_=True) if found else None)
