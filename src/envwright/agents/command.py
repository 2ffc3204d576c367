"""Any other program: an argument list with places to fill in, and a price that the user states."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envwright.agents.process import DEADLINE, EXITED, UNSTARTED, run_program
from envwright.agents.protocol import (
    DOLLAR,
    DONE,
    FAILED,
    FREE,
    PRICED,
    SPENT,
    TIMEOUT,
    AgentOutcome,
    Money,
    Readiness,
    Task,
    dollars,
)
from envwright.agents.workspace import collect, look, put
from envwright.core.errors import EnvwrightError

PROMPT_FILE = "PROMPT.md"
PLACES = ("prompt_file", "workspace", "grant")


class CommandError(EnvwrightError, ValueError):
    """A command cannot be run as it is written."""


@dataclass(frozen=True)
class CommandAgent:
    """A program that is told by its arguments what to do; the prompt is also on its standard input."""

    name: str
    argv: Sequence[str]
    charge: Money  # what every call costs, however it ends; 0 is free
    environment: Sequence[str] = ()

    @property
    def costs(self) -> bool:
        return self.charge > 0

    def readiness(self) -> Readiness:
        if not (path := shutil.which(self.argv[0])):
            return Readiness(False, f"{self.argv[0]} is not on the PATH; install it, or put its whole path into argv.")
        return Readiness(True, f"{path}, {dollars(self.charge)} a call" if self.charge else f"{path}, free")

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        if self.charge > grant:
            return AgentOutcome(
                SPENT, sentence=f"A call costs {dollars(self.charge)}, but only {dollars(grant)} is granted."
            )
        put(workspace, [(PROMPT_FILE, task.prompt)])
        before = look(workspace)
        values = (str(workspace / PROMPT_FILE), str(workspace), f"{grant / DOLLAR:.6f}")
        ended = run_program(
            [_fill(word, values) for word in self.argv], workspace, deadline, task.prompt, self.environment
        )
        files, strays = collect(workspace, task, before)
        if ended.how == EXITED and ended.code == 0:
            stop, sentence = DONE, ended.stdout.strip()[-300:]
        else:
            stop = TIMEOUT if ended.how == DEADLINE else FAILED
            sentence = f"{self.argv[0]} {ended.sentence}."
        paid = 0 if ended.how == UNSTARTED else self.charge
        return AgentOutcome(
            stop,
            files,
            strays,
            paid,
            PRICED if paid else FREE,
            sentence=sentence,
            transcript=ended.stdout + ended.stderr,
        )


def make_command(
    name: str = "command",
    argv: Sequence[str] = (),
    charge: float | None = None,
    free: bool = False,
    environment: Sequence[str] = (),
) -> CommandAgent:
    """A program as an agent; it has to be said what a call costs."""
    if not argv:
        raise CommandError(
            f'The agent {name} has no command; state it as argv = ["program", "{{prompt_file}}", ...], '
            f"where {', '.join(f'{{{place}}}' for place in PLACES)} are filled in."
        )
    for word in argv:
        for place in re.findall(r"\{([a-z_]+)\}", word):
            if place not in PLACES:
                known = ", ".join(f"{{{place}}}" for place in PLACES)
                raise CommandError(f"The command of the agent {name} has a place {{{place}}}; there are {known}.")
    if free == (charge is not None):
        raise CommandError(f"Say what a call of the agent {name} costs: either charge = dollars, or free = true.")
    return CommandAgent(name, tuple(argv), round((charge or 0) * DOLLAR), tuple(environment))


def _fill(word: str, values: Sequence[str]) -> str:
    """Put values into places, in one go, so that no value is searched for further places."""
    by_place: dict[str, str] = dict(zip(PLACES, values, strict=True))
    return re.sub(r"\{(" + "|".join(PLACES) + r")\}", lambda found: by_place[found[1]], word)
