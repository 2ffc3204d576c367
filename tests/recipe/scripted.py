"""A verifier and an agent for trying the loop itself: files are texts of faults, and the verifier looks them up.

A file's text is a list of words. The word `wrong:STAGE` in a module's file makes that stage fail and blames the module;
`breaks:CHECK` makes a check fail that passes otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envwright.agents import protocol
from envwright.agents.protocol import AgentOutcome, Money, Readiness, Task
from envwright.core.spaces import Discrete
from envwright.recipe.briefing import Briefing, ModuleBrief
from envwright.recipe.events import Judged
from envwright.recipe.targets import find_target
from envwright.recipe.versions import digest
from envwright.verifier.interface import Field, Interface, Signature

NUMBER = Field("x", (), "int64")


def interface(modules: Sequence[str]) -> Interface:
    """A game in which every module has one function."""
    functions = tuple(Signature(name, f"{name}.f", "f", (NUMBER,), NUMBER) for name in modules)
    return Interface(
        "fast_game", "Game", (NUMBER,), (), (), Field("observation", (), "int64", "obs"), (),
        Discrete(2), Discrete(2), functions,
    )  # fmt: skip


def briefing(needs: Mapping[str, Sequence[str]]) -> Briefing:
    """Modules and what each of them needs."""
    jax = find_target("jax")
    shape = interface(list(needs))
    pieces = [ModuleBrief(name, f"the source of {name}", 10, tuple(needed)) for name, needed in needs.items()]
    return Briefing("a game", shape, jax, pieces, scaffold=jax.scaffold(shape, list(needs)))


@dataclass
class ScriptedVerifier:
    """Judges by the words in the files."""

    judged: list[tuple[str, str]] = field(default_factory=list)
    looks_ahead: bool = False  # else it judges only when it is asked, so that the order is always the same

    def judge(self, stage: str, files: Mapping[str, str], modules: Sequence[str], *, ahead: bool = False) -> Judged:
        if ahead and not self.looks_ahead:
            raise NotImplementedError
        self.judged.append((stage, digest(files)))
        words = {name: files.get(f"fast_game/{name}.py", "").split() for name in modules}
        kind, _, which = stage.partition(" ")
        asked = [which] if kind == "module" else list(modules)
        checks = [{"level": "L1", "name": f"function {n}", "status": "pass"} for n in asked]
        blamed, why = "", ""
        for name in asked:
            for word in words[name]:
                if word in (f"wrong:{stage.replace(' ', '_')}", f"wrong:{kind}") and not blamed:
                    blamed, why = name, f"{name} is wrong: {' '.join(words[name])}"
                    checks.append({"level": "L3", "name": "episodes", "status": "fail"})
                if word.startswith("breaks:") and any(c["name"].endswith(word[7:]) for c in checks):
                    blamed = blamed or name
                    why = why or f"{name} broke {word}"
                    checks = [c | {"status": "fail"} if c["name"].endswith(word[7:]) else c for c in checks]
        return Judged(digest(files), stage, not blamed, tuple(checks), blamed, why)


@dataclass
class ScriptedAgent:
    """Answers each task with the text it was given for it."""

    answers: Mapping[str, str]  # task -> the module's new text; a task that is not there is answered with nothing
    price: Money = 0
    name: str = "scripted"
    asked: list[str] = field(default_factory=list)
    prompts: dict[str, str] = field(default_factory=dict)

    @property
    def costs(self) -> bool:
        return self.price > 0

    def readiness(self) -> Readiness:
        return Readiness(True, "scripted")

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        assert (workspace / "PROMPT.md").read_text() == task.prompt
        self.asked.append(task.name)
        self.prompts[task.name] = task.prompt
        text = self.answers.get(task.name)
        if text == "refuse":
            return AgentOutcome(protocol.REFUSED, sentence="too hard")
        if text == "fail":
            return AgentOutcome(protocol.FAILED, sentence="no key; set KEY")
        files = {} if text is None else {task.writes[0]: text}
        return AgentOutcome(protocol.DONE, files, cost=self.price, cost_source=protocol.REPORTED)
