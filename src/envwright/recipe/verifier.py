"""The verifier of a run: what it says of a version of the candidate. No agent's word counts here.

    module NAME    the module's functions, each alone: L1, before the others are even written
    whole          L0 to L3 with the games that agents may be told of; stops at the first level that fails
    hidden N       the same with games that no agent has seen: decides. What it finds is told, and then N goes up
    transfer       L4, if asked for: policies trained on either side, played on both
    episodes       L3 alone, for measuring what the other levels are worth

A reference lives in one process, every version of the candidate in another, and what is expected only here. There are
two of the reference, so that two cases can be judged at a time.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import LifoQueue
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.recipe.events import Judged
from envwright.recipe.targets import TranslationTarget
from envwright.recipe.transfer import transfer_checks
from envwright.recipe.versions import digest, write_files
from envwright.sandbox.process import Limits
from envwright.verifier.contract import Contract
from envwright.verifier.engine import ELSEWHERE, ask, pair_of, verify
from envwright.verifier.host import Host, Result
from envwright.verifier.interface import Interface
from envwright.verifier.levels.l1_functions import check_functions
from envwright.verifier.session import Effort, Session
from envwright.verifier.verdict import DEFAULT_LEVELS, Check, Divergence, describe

WHOLE, HIDDEN, TRANSFER, MODULE, EPISODES = "whole", "hidden", "transfer", "module", "episodes"
LEVELS = {WHOLE: DEFAULT_LEVELS, HIDDEN: DEFAULT_LEVELS, EPISODES: ("L3",)}


NOT_THE_CANDIDATES = ("reference itself", "every field has its counterpart", "every name is known")


class VerifierError(EnvwrightError, RuntimeError):
    """The verifier cannot judge, through no fault of the candidate."""


@dataclass(eq=False)
class Verifier:
    """Some copies of a reference, one contract, and versions of the candidate that come and go."""

    contract: Contract
    hosts: Sequence[Host]
    interface: Interface
    target: TranslationTarget
    folder: Path  # for traces, regressions, and the versions under test
    seed: int
    secret: int
    effort: Effort = field(default_factory=Effort)
    limits: Limits = field(default_factory=Limits)
    progress: Callable[[str], None] = lambda what: None
    traces: Path | None = None  # recorded games to read again

    def __post_init__(self) -> None:
        self._free: LifoQueue[Host] = LifoQueue()
        for host in reversed(self.hosts):
            self._free.put(host)

    def judge(self, stage: str, files: Mapping[str, str], modules: Sequence[str], *, ahead: bool = False) -> Judged:
        """What is to be said of these files at this stage. If it is judged `ahead`, before it is known whether anybody
        will ask, then no regression is kept or read, and nothing is said meanwhile."""
        began, version = time.monotonic(), digest(files)
        place = self.folder / "versions" / stage.replace(" ", "-") / version[:16]
        write_files(place, files)
        with self.host() as host:
            checks = self._checks(stage, place, host, ahead)
            if self.contract.tolerances:
                host.close()  # it was nudged to learn how it rounds; the next check gets one as good as new
        _must_be_the_candidates(checks)
        return Judged(
            version=version,
            stage=stage,
            passed=all(check.passed for check in checks),
            checks=tuple(_plain(check) for check in checks),
            blamed=blame(checks, modules, self.target, self.interface),
            counterexample=counterexample(checks),
            seconds=round(time.monotonic() - began, 3),
        )

    def beside(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Run work beside a reference."""
        with self.host() as host:
            return host.run(work, *arguments)

    @contextmanager
    def host(self) -> Iterator[Host]:
        """A reference with which nobody judges meanwhile."""
        host = self._free.get()  # waits until there is one
        try:
            yield host
        finally:
            self._free.put(host)

    def _checks(self, stage: str, place: Path, host: Host, ahead: bool) -> list[Check]:
        kind, _, which = stage.partition(" ")
        regressions = None if ahead else self.folder / "regressions"
        progress = (lambda what: None) if ahead else self.progress
        if kind == TRANSFER:
            assert self.contract.path is not None, "a project's contract is a file"
            return transfer_checks(self.contract.path, place)
        contract = replace(self.contract, candidate=self.target.called(self.interface))
        options = self.contract.candidate_options
        candidate, problem = self.target.candidate(self.interface, place, options, self.limits)
        if candidate is None:
            return [Check("L0", "build", "fail", problem)]
        try:
            if kind == MODULE:
                own = tuple(f for f in contract.functions if f.module == which)
                session = Session(
                    replace(contract, functions=own), host, candidate, self._effort(self.seed), progress,
                    pair_of(contract), regressions,
                )  # fmt: skip
                return ask("L1", check_functions, session)
            seed = self.secret + int(which) if kind == HIDDEN else self.seed
            verdict = verify(
                contract,
                host,
                candidate,
                effort=self._effort(seed),
                levels=LEVELS[kind],
                regressions=regressions,
                traces=None if kind == HIDDEN else self.traces or self.folder / "seen.trace",
                progress=progress,
                stop_at_failure=True,
            )
            return list(verdict.checks)
        finally:
            candidate.close()

    def _effort(self, seed: int) -> Effort:
        return replace(self.effort, seed=seed)


def _must_be_the_candidates(checks: Sequence[Check]) -> None:
    """A fault of the reference, of the contract or of this machine is nobody's to repair but the user's."""
    for check in checks:
        if check.status == "fail" and check.numbers.get("fault") == ELSEWHERE:
            raise VerifierError(f"The candidate cannot be judged: {check.detail.removeprefix('could not be made: ')}")
        if check.status == "fail" and check.name in NOT_THE_CANDIDATES:
            said = counterexample([check]).replace("\n", " ")
            raise VerifierError(
                f"No translation could be right: {said}. Correct contract.toml, and begin anew with --fresh."
            )


def blame(checks: Sequence[Check], modules: Sequence[str], target: TranslationTarget, interface: Interface) -> str:
    """The module to repair: whom the first failed check blames, or whose file it names; else the last one."""
    for check in checks:
        if check.passed:
            continue
        for divergence in check.divergences:
            if divergence.module in modules:
                return divergence.module
        for module in modules:
            if target.written(interface, module) in check.detail:
                return module
        return modules[-1]
    return ""


def counterexample(checks: Sequence[Check]) -> str:
    """The first failure as an agent is told of it: the check, then one smallest input."""
    for check in checks:
        if check.passed:
            continue
        lines = [f"{check.level} {check.name}: {check.detail}"]
        lines += [line for d in check.divergences[:1] for line in describe(_bare(d))]
        return "\n".join(lines)
    return ""


def _bare(divergence: Divergence) -> Divergence:
    """Without the command that replays it, which only works where the run is."""
    return replace(divergence, replay="")


def _plain(check: Check) -> dict[str, Any]:
    return {
        "level": check.level,
        "name": check.name,
        "status": check.status,
        "detail": check.detail,
        "count": check.count,
        "divergences": [line for d in check.divergences for line in describe(d)],
    }
