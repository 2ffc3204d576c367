"""The ladder: level by level, what the verifier said last, of games agents could know and of games nobody saw."""

from collections.abc import Mapping, Sequence
from typing import Any

from envwright.recipe.events import Event, Judged
from envwright.recipe.summary import (
    HIDDEN,
    LEVELS,
    STAGES,
    TRANSFER,
    WHOLE,
    count,
    final,
    score,
    seconds_text,
    stage_kind,
)
from envwright.recipe.versions import Files
from envwright.report.html import Child, Html, details, join, section, table, tag

STATUS = {"pass": "passed", "fail": "failed", "open": "open", "note": "note", "skip": "not asked"}


def ladder(events: Sequence[Event], files: Files) -> Html:
    judged = final(events, files)
    if not judged:
        return section("ladder", "What was verified", tag("p", "Nothing yet: the modules were never put together."))
    rows: list[Sequence[Child]] = []
    for level, asked in LEVELS.items():
        known, unseen = judged.get(WHOLE), judged.get(TRANSFER if level == "L4" else HIDDEN)
        rows.append([level, asked, _rung(level, None if level == "L4" else known), _rung(level, unseen)])
    head = ["level", "check", STAGES[WHOLE], STAGES[HIDDEN]]
    stages = [
        details(
            f"Every check, {STAGES[stage]}: {score(one)} passed, {seconds_text(one.seconds)}",
            table(["check", "level", "result", "compared", ""], [_check(c) for c in one.checks], numbers=(3,)),
        )
        for stage, one in sorted(judged.items(), key=lambda item: list(STAGES).index(item[0]))
    ]
    return section("ladder", "What was verified", table(head, rows, "ladder"), stages, _failure(judged))


def _rung(level: str, judged: Judged | None) -> Html:
    checks = [c for c in judged.checks if c["level"] == level] if judged else []
    if not checks:
        word = "not asked" if judged is None or judged.passed else "not reached"
        return _mark("none", word)
    bad = [c for c in checks if c["status"] in ("fail", "open")]
    if bad:
        return _mark("fail", f"{len(bad)} of {len(checks)} not passed", str(bad[0]["name"]))
    good = sum(c["status"] == "pass" for c in checks)
    if not good:
        return _mark("none", "nothing to ask")
    return _mark("pass", f"{good} passed", f"{count(checks):,} compared" if count(checks) else "")


def _mark(status: str, word: str, more: str = "") -> Html:
    sign = {"pass": "✓", "fail": "✗"}.get(status, "·")
    return tag(
        "span",
        tag("span", sign, class_="sign", aria_hidden="true"),
        " ",
        word,
        tag("small", more) if more else None,
        class_=f"mark {status}",
    )


def _check(check: Mapping[str, Any]) -> list[Child]:
    status = check["status"]
    kind = {"pass": "pass", "fail": "fail", "open": "fail"}.get(status, "none")
    compared = f"{check['count']:,}" if check.get("count") else ""
    return [check["name"], check["level"], _mark(kind, STATUS[status]), compared, check.get("detail", "")]


def _failure(judged: Mapping[str, Judged]) -> Html | None:
    failed = [one for one in judged.values() if not one.passed]
    if not failed:
        return None
    one = failed[-1]
    told = f"What is still wrong, in {STAGES[stage_kind(one)]}; {one.blamed or 'nobody'} is to blame:"
    return join(tag("p", told), tag("pre", one.counterexample, class_="counterexample"))
