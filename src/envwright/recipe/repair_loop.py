"""Translate, verify, repair: Algorithm 1.

    for each module, those it needs first:  translate ─► its functions alone ─► repair until they are right
    then all together:                      whole ─► repair whom it blames ─► hidden, with games nobody saw
                                              ▲                                  │ what fails is told, new games decide
                                              └──────────────────────────────────┘

A repair that breaks what was green is taken back. A module that makes no progress goes to a person; but where only
rules are left to ask, the run stops, for they would answer the same again.
"""

from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from envwright.agents.protocol import REFUSED
from envwright.core.errors import EnvwrightError
from envwright.recipe.briefing import Briefing
from envwright.recipe.events import HandedOver, Judged, Kept, RolledBack, Settled
from envwright.recipe.journaled_run import JournaledRun, TaskRefusedError
from envwright.recipe.verifier import HIDDEN, MODULE, TRANSFER, WHOLE
from envwright.recipe.versions import Files


class NotConvergedError(EnvwrightError, RuntimeError):
    """New games go on finding new faults."""


@dataclass(frozen=True)
class LoopRules:
    """When to give up, and how much at once."""

    repairs: int = 12  # of one module by agents; then a person is asked
    useless: int = 3  # of them in a row that were taken back or changed nothing
    rounds: int = 5  # of games that nobody saw
    together: int = 2  # modules at a time
    transfer: bool = False  # whether policies are trained on both sides and compared: L4, which takes its time


def translate(run: JournaledRun, brief: Briefing, rules: LoopRules) -> dict[str, str]:
    """The files of a verified translation."""
    loop = RepairLoop(run, brief, rules)
    files = loop.all_modules(brief.scaffold)
    for nth in range(1, rules.rounds + 1):
        run.judge_ahead(f"{HIDDEN} {nth}", files, brief.names)
        files = loop.until_green(WHOLE, files)
        if rules.transfer:
            files = loop.until_green(TRANSFER, files)
        if run.judge(f"{HIDDEN} {nth}", files, brief.names).passed:
            return files
        files = loop.until_green(f"{HIDDEN} {nth}", files)  # it is told what was found: from now on a test of L1
    raise NotConvergedError(
        f"After {rules.rounds} rounds new games still find new faults; look at the contract, or use a stronger agent."
    )


@dataclass(eq=False)
class RepairLoop:
    """The steps of the algorithm."""

    run: JournaledRun
    brief: Briefing
    rules: LoopRules
    repairs: Counter[str] = field(default_factory=Counter)  # of each module so far, whether resumed or not

    # ---- module by module ----

    def all_modules(self, files: Files) -> dict[str, str]:
        """Every module translated, and right as far as it can be judged alone; independent ones at the same time."""
        done: dict[str, dict[str, str]] = {}
        waiting = list(self.brief.names)
        running: dict[Future[dict[str, str]], str] = {}
        with ThreadPoolExecutor(self.rules.together) as pool:
            while waiting or running:
                for name in [n for n in waiting if all(need in done for need in self.brief.needs(n))]:
                    waiting.remove(name)
                    needed = {path: text for need in self.brief.needs(name) for path, text in done[need].items()}
                    running[pool.submit(self.module, name, {**files, **needed})] = name
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    done[running.pop(future)] = future.result()
        return {**files, **{path: text for name in self.brief.names for path, text in done[name].items()}}

    def module(self, name: str, files: Files) -> dict[str, str]:
        """One module, from nothing to green; gives the files that it wrote and those that it needs."""
        task = self.brief.translate(name, files)
        answer = self.run.ask(task, files, self.brief.rest)
        if answer.stop == REFUSED and self.run.only_rules_are_left:
            first = (answer.sentence.splitlines() or ["it says nothing more"])[0].rstrip(".")
            again = f"or change contract.toml and begin again: envwright translate {self.run.folder} --fresh"
            raise TaskRefusedError(f"The builtin agent refuses the module {name}: {first}. {self._way_out()}; {again}.")
        after = {**files, **answer.files}
        if answer.files:
            self.run.note(Kept(task.name, name))
        if self.brief.has_functions(name):
            after = self.until_green(f"{MODULE} {name}", after)
        return {path: text for path, text in after.items() if self.brief.scaffold.get(path) != text}

    # ---- repair ----

    def until_green(self, stage: str, files: Files) -> dict[str, str]:
        """Repair whom the verifier blames at this stage, until nobody is left to blame."""
        files = dict(files)
        judged = self.run.judge(stage, files, self.brief.names)
        useless: dict[str, list[str]] = {}  # of each module, why its last repairs did not help
        while not judged.passed:
            name = judged.blamed
            failed = useless.setdefault(name, [])
            answer = self._repair(name, files, judged, failed)
            repaired = {**files, **answer.files}
            if repaired == files:
                failed.append(f"it changed nothing ({answer.sentence or answer.stop})")
                continue
            after, broke = self._compare(stage, name, repaired, judged)
            if broke:
                self.run.note(RolledBack(answer.task, name, tuple(sorted(broke))))
                failed.append(f"it broke what was right: {after.counterexample}")
                continue
            self.run.note(Kept(answer.task, name))
            if not after.passed and after.counterexample == judged.counterexample:
                failed.append("the same input still fails")
            else:
                failed.clear()
            files, judged = repaired, after
        return files

    def _repair(self, name: str, files: Files, judged: Judged, failed: list[str]) -> Settled:
        """A new version of a module: from an agent, or from a person if agents had their chances."""
        self.repairs[name] += 1
        reason = ""
        if len(failed) >= self.rules.useless:
            reason = f"{len(failed)} repairs in a row did not help; the last: {failed[-1]}"
        elif self.repairs[name] > self.rules.repairs:
            reason = f"{self.rules.repairs} repairs were not enough"
        task = self.brief.repair(name, self.repairs[name], files, judged, failed)
        if not reason:
            answer = self.run.ask(task, files)
            if answer.stop == REFUSED and self.run.only_rules_are_left:
                raise TaskRefusedError(self._wrong(judged))
            return answer
        self.run.note(HandedOver(name, reason, task.prompt))
        failed.clear()
        return self.run.ask_person(task, files, f"The module {name} needs a person, for {reason}")

    def _wrong(self, judged: Judged) -> str:
        found = (judged.counterexample.splitlines() or [judged.stage])[0].rstrip(".:")
        return f"The builtin translation is wrong and was not accepted: {found}. {self._way_out()}."

    def _way_out(self) -> str:
        return f"Let a coding agent go on with: envwright resume {self.run.folder} --agent builtin,claude"

    def _compare(self, stage: str, name: str, repaired: Files, before: Judged) -> tuple[Judged, frozenset[str]]:
        """What the verifier says of a repair, and what the repair broke; what the module does alone is judged first."""
        alone = f"{MODULE} {name}"
        if stage != alone and self.brief.has_functions(name):
            judged = self.run.judge(alone, repaired, self.brief.names)
            if not judged.passed:
                return judged, judged.red
        judged = self.run.judge(stage, repaired, self.brief.names)
        return judged, before.green & judged.red
