"""Command-line agents: a program is started in the workspace, and tells at the end what it used.

    prompt ──standard input──► program in the workspace ──► files there, and a report on its standard output

What differs between the programs is a `Program`: its arguments, its keys, and how its report is read.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from envwright.agents.prices import Price, PriceError, cost, find_price, has_list
from envwright.agents.process import DEADLINE, EXITED, NETWORK, UNSTARTED, Ended, run_program
from envwright.agents.protocol import (
    CHARGED,
    DONE,
    FAILED,
    FREE,
    PRICED,
    REPORTED,
    SPENT,
    TIMEOUT,
    AgentOutcome,
    Money,
    Readiness,
    Task,
    Usage,
)
from envwright.agents.workspace import collect, look


class Report(NamedTuple):
    """What a program said about its own run."""

    stop: str
    used: Mapping[str, Usage]  # by model; "" is the model it was told to use
    paid: Money | None = None  # what it says it cost, if it says so
    sentence: str = ""


@dataclass(frozen=True)
class Program:
    """A command-line agent."""

    name: str
    install: str  # the command that installs it
    provider: str  # whose prices, in genai-prices' names
    keys: tuple[str, ...]  # variables any of which lets it in
    variables: tuple[str, ...]  # others of its own
    home: tuple[str, str]  # the variable that says where its own folder is, and where else it is below the user's
    sign_in: tuple[str, ...]  # files there, any of which says that somebody signed in
    way_in: str  # what to do if nobody did
    arguments: Callable[[str, Money], list[str]]  # from the model ("" for its own choice) and the grant
    read: Callable[[Ended], Report | None]  # None: it said nothing that can be understood
    extra: Mapping[str, str] = field(default_factory=dict)
    reports_cost: bool = False
    names_model: bool = True  # its report says which model was used


@dataclass(frozen=True)
class HeadlessAgent:
    """A program as an agent."""

    program: Program
    name: str
    model: str = ""
    free: bool = False  # nothing is paid per call: a subscription, a local model
    price: Mapping[str, Any] | None = None
    environment: Sequence[str] = ()  # further variables that it may see
    arguments: Sequence[str] = ()  # further arguments

    @property
    def costs(self) -> bool:
        return not self.free

    def readiness(self) -> Readiness:
        program = self.program
        if not (path := shutil.which(program.name)):
            return Readiness(False, f"{program.name} is not installed; install it with: {program.install}")
        if problem := self._price_problem():
            return Readiness(False, problem)
        with tempfile.TemporaryDirectory() as nowhere:
            ended = run_program([path, "--version"], Path(nowhere), time.monotonic() + 30)
        if ended.how != EXITED or ended.code:
            return Readiness(False, f"{program.name} --version {ended.sentence}; reinstall it: {program.install}")
        found = (ended.stdout.strip().splitlines() or ["of unknown version"])[0]
        if any(os.environ.get(key) for key in program.keys):
            return Readiness(True, f"{program.name} {found}, with a key")
        variable, usual = program.home
        folder = Path(os.environ.get(variable) or Path.home() / usual)
        if any((folder / file).exists() for file in program.sign_in):
            return Readiness(True, f"{program.name} {found}, signed in")
        return Readiness(False, f"{program.name} {found} is installed, but nobody is signed in; {program.way_in}")

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        program = self.program
        if not (path := shutil.which(program.name)):
            return AgentOutcome(FAILED, sentence=f"{program.name} is not installed; install it with: {program.install}")
        if problem := self._price_problem():
            return AgentOutcome(FAILED, sentence=problem)
        if self.costs and grant <= 0:
            return AgentOutcome(SPENT, sentence=f"{self.name} costs money, and none is granted.")
        before = look(workspace)
        ended = run_program(
            [path, *program.arguments(self.model, grant), *self.arguments],
            workspace,
            deadline,
            stdin=task.prompt,
            names=(*program.keys, *program.variables, program.home[0], *NETWORK, *self.environment),
            extra=program.extra,
        )
        files, strays = collect(workspace, task, before)
        report = program.read(ended)
        money, source = self._charge(ended, report, grant)
        stop, sentence = _judge(program.name, ended, report)
        used = report.used if report else {}
        return AgentOutcome(
            stop,
            files,
            strays,
            money,
            source,
            sum(used.values(), Usage()),
            ", ".join(name for name in used if name) or self.model,
            sentence,
            ended.stdout + ended.stderr,
        )

    def _price(self, model: str) -> Price:
        return find_price(self.program.provider, model or self.model, self.price, self.free)

    def _price_problem(self) -> str:
        """Why the cost of a run could not be worked out afterwards, if that is known before."""
        if self.program.reports_cost or self.free:
            return ""
        if self.price is None and not self.model and not self.program.names_model:
            return (
                f"{self.program.name} does not say which model it used; state one as model = ..., or free = true "
                "if nothing is paid per call."
            )
        try:
            if self.model or self.price is not None or not has_list():  # else the model is known afterwards only
                self._price(self.model)
        except PriceError as error:
            return str(error)
        return ""

    def _charge(self, ended: Ended, report: Report | None, grant: Money) -> tuple[Money, str]:
        """What a run is charged. Whoever does not say what it used is charged all it could have used."""
        if self.free or ended.how == UNSTARTED:
            return 0, FREE
        if report and report.paid is not None:
            return report.paid, REPORTED
        if report and report.used:
            try:
                return sum(cost(usage, self._price(model)) for model, usage in report.used.items()), PRICED
            except PriceError:
                return grant, CHARGED
        return grant, CHARGED


def _judge(name: str, ended: Ended, report: Report | None) -> tuple[str, str]:
    """How a run ended, and the sentence for it."""
    said = report.sentence if report else ""
    if ended.how == DEADLINE:
        return TIMEOUT, f"{name} {ended.sentence}."
    if report and report.stop != DONE:
        return report.stop, said or f"{name} {ended.sentence}."
    if ended.how != EXITED or ended.code:
        return FAILED, f"{name} {ended.sentence}{_last_words(ended)}."
    if report is None:
        return FAILED, f"{name} {ended.sentence} and printed no report that can be read{_last_words(ended)}."
    return DONE, said


def _last_words(ended: Ended) -> str:
    """The end of what it printed, to put into a sentence."""
    if ended.how == UNSTARTED:
        return ""
    lines = [line.strip() for line in (ended.stderr.strip() or ended.stdout.strip()).splitlines() if line.strip()]
    return f": {lines[-1][:300].rstrip('.')}" if lines else ""


def count(value: Any) -> int:
    """A number of tokens out of a report; what is not one counts as none."""
    return value if isinstance(value, int) and value > 0 else 0
