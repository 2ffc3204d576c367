"""Stand-ins for the compiler, for trying the builtin agent and the loop around it: what it gives is told beforehand."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import scripted

from envwright.recipe.analyse.modules import ModulePlan, Part, PlannedModule
from envwright.recipe.builtin import BuiltinAgent, BuiltinTranslation, Lesson
from envwright.verifier.contract import Contract

WALK = Path(__file__).parent / "walk"
GAP = "game.py:12 in Game.step: the library 'zlib' is not known."
OTHER_GAP = "game.py:40 in Game.reset: a thread is started."


def lesson(made: BuiltinTranslation, target: str = "jax", language: str = "python") -> Lesson:
    """Two modules, whose translation is this one."""
    modules = tuple(PlannedModule(name, (Part("game.py", 1, 9, (f"{name}.f",)),), 9) for name in ("cards", "rules"))
    plan = ModulePlan("jax", "", (), modules)
    shape = scripted.interface(["cards", "rules"])
    return Lesson(Contract("game.py:Game", "x"), shape, plan, target, language, lambda work, *arguments: made)


def builtin(files: Mapping[str, str], refusals: Mapping[str, tuple[str, ...]] | None = None) -> BuiltinAgent:
    """The builtin agent with a translation of the modules cards and rules."""
    agent = BuiltinAgent()
    agent.learn(
        lesson(BuiltinTranslation({f"fast_game/{name}.py": text for name, text in files.items()}, refusals or {}))
    )
    return agent


# ---- translations of the walk, made where the reference is: importable, so that a child process can call them ----


def right(reference: Any, contract: Any, interface: Any, modules: Any, beat: Any) -> BuiltinTranslation:
    """What was accepted in the end when the walk was recorded."""
    del reference, contract, interface, modules, beat
    return BuiltinTranslation(_recorded(last=True), {})


def wrong(reference: Any, contract: Any, interface: Any, modules: Any, beat: Any) -> BuiltinTranslation:
    """What was written at first, which is not right."""
    del reference, contract, interface, modules, beat
    return BuiltinTranslation(_recorded(last=False), {})


def partly(reference: Any, contract: Any, interface: Any, modules: Any, beat: Any) -> BuiltinTranslation:
    """Both modules have gaps."""
    del reference, contract, interface, modules, beat
    return BuiltinTranslation(
        _recorded(last=True), {"moves": ("walk.py:3 in clip: no.", "walk.py:5 in clip: no."), "rules": (GAP,)}
    )


def _recorded(last: bool) -> dict[str, str]:
    answers = json.loads((WALK / "recording.json").read_text())["answers"]
    files: dict[str, str] = {}
    for task, answer in answers.items():
        if task != "repair-rules-1":  # which was rolled back
            files = {**files, **answer["files"]} if last else {**answer["files"], **files}
    return {path: text for path, text in files.items() if not path.startswith("tests/")}
