"""What cannot be translated is refused, with a sentence that says what it is and where.

Each file in refused/ is a game that is fine but for one thing.
"""

from pathlib import Path

import pytest

from envwright.recipe import builtin, new_project
from envwright.recipe.analyse.find import analyse
from envwright.recipe.builtin import BuiltinTranslation
from envwright.recipe.naming import BeginError
from envwright.recipe.new_project import init_project
from envwright.recipe.plan import read_plan
from envwright.recipe.project import CONTRACT, PLAN
from envwright.recipe.shapes import interface_of
from envwright.verifier import contract as contracts
from envwright.verifier.host import Here
from envwright.verifier.pairs import make_host

REFUSED = Path(__file__).parent / "refused"

BY_THE_RULES = {
    "recursion.py:Flood": ("return 1 + self._flow(cell + 1)", "Flood._flow", "is recursive"),
    "compiled.py:Lock": ("zlib.crc32(", "Lock.step", "zlib.crc32 is compiled code"),
    "threads.py:Kitchen": ("threading.Thread(", "Kitchen.step", "it starts a thread"),
    "files.py:Library": ("with open(", "Library.step", "it opens a file"),
    "generators.py:Parade": ("next(parade)", "Parade.step", "next() is not supported"),
    "shapes.py:Shelf": ("def step", "Shelf.step", "what it returns, or stores in the state: a variable-length list"),
    "global_write.py:Turnstile": ("global visitors", "Turnstile.step", "a global or nonlocal variable is written"),
}
BEFORE = {  # by whoever drafts the contract, from play: such an original cannot be the law, or not by rule
    "growing_set.py:Explorer": "seen is a set, which no rule puts into numbers",
    "globals.py:Museum": "something else than its state, its actions and random numbers decides it",
}


def translate(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> BuiltinTranslation:
    """What the rules make of a game, all of it in this process."""
    monkeypatch.setattr(new_project, "Apart", lambda make: Here(make()))
    project = init_project(str(REFUSED / name), folder)
    contract = contracts.load(folder / CONTRACT)
    host = make_host(contract, apart=False)
    try:
        interface = interface_of(contract, host, project.package, project.title)
        plan = read_plan(folder / PLAN, analyse(project.reference, base=folder))
        return host.run(builtin._translate, contract, interface, builtin._asked(plan))
    finally:
        host.close()


@pytest.mark.parametrize("name", BY_THE_RULES)
def test_the_rules_say_what_they_do_not_cover_and_where(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text, function, why = BY_THE_RULES[name]
    file = name.partition(":")[0]
    lines = (REFUSED / file).read_text().splitlines()
    number = next(i for i, line in enumerate(lines, 1) if text in line)
    made = translate(name, tmp_path / "project", monkeypatch)
    sentences = [sentence for found in made.refusals.values() for sentence in found]
    assert not made.broke
    assert len(sentences) == 1
    assert sentences[0].startswith(f"{file}:{number} in {function}: ")
    assert why in sentences[0]


@pytest.mark.parametrize("name", BEFORE)
def test_an_original_that_cannot_be_law_is_refused_before_anything_is_written(name, tmp_path: Path, monkeypatch):
    with pytest.raises(BeginError) as refused:
        translate(name, tmp_path / "project", monkeypatch)
    assert BEFORE[name] in str(refused.value)


def test_a_list_without_a_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = translate("unbounded.py:Trail", tmp_path / "project", monkeypatch)
    sentences = [sentence for found in made.refusals.values() for sentence in found]
    lines = (REFUSED / "unbounded.py").read_text().splitlines()
    number = next(i for i, line in enumerate(lines, 1) if "self.trail.append" in line)
    assert sentences[0].startswith(f"unbounded.py:{number} in Trail.step: the list trail grows with every step")
