"""The stages of a creation with the real checks: complaints, disagreements, edits, and an intact journal."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from ferry import DOCUMENTS, FILES, GAME, RIGHT, SPEC, TESTS, Author, changed

from envwright.core.errors import EnvwrightError
from envwright.recipe.create.artefacts import artefacts
from envwright.recipe.create.creation import DisagreementError, StoppedError
from envwright.recipe.create.documents import read_rulebook
from envwright.recipe.create.judging import CreationJudge
from envwright.recipe.create.opening import begin_creation, create
from envwright.recipe.events import Accepted, Judged, Settled
from envwright.recipe.journal import read_journal
from envwright.recipe.project import Project, load_project

WRONG = changed(GAME, "self.strength = min(self.strength + 1, STRENGTH)", "self.strength = self.strength + 0")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return begin_creation(DOCUMENTS, "night_ferry", tmp_path / "run", agent="handoff")


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run until its tests, without any mistake."""
    project = begin_creation(DOCUMENTS, "night_ferry", tmp_path_factory.mktemp("once") / "run", agent="handoff")
    go(project, RIGHT)
    return project.folder


@pytest.fixture
def tested(once: Path, tmp_path: Path) -> Project:
    """A copy of it."""
    return load_project(Path(shutil.copytree(once, tmp_path / "tested")))


def go(project: Project, answers: Mapping[str, str | Mapping[str, str]], until: str = "tests") -> Author:
    """Go through a run until it stops; the author says what was asked."""
    author = Author(answers)
    with pytest.raises(StoppedError):
        create(project, [author], until=until)
    return author


def created(project: Project, artefact: str) -> Path:
    return project.folder / "created" / FILES[artefact]


def journal(project: Project) -> Path:
    return project.folder / "journal.jsonl"


def test_each_author_sees_what_is_theirs_and_nothing_else(project: Project):
    author = go(project, RIGHT)
    assert list(author.prompts) == ["write-specification", "write-reference", "write-tests"]
    assert "Your boat has 3 planks" in author.prompts["write-specification"]
    for task in ("write-reference", "write-tests"):
        assert "**5.3** If it is dawn" in author.prompts[task]
        assert "Your boat has 3 planks" not in author.prompts[task]  # the documents
    assert "`NightFerry(gymnasium.Env)`" in author.prompts["write-reference"]
    assert "def _arrive" not in author.prompts["write-tests"]
    assert author.folders["write-tests"] == ["PROMPT.md", "rulebook_tests.py"]
    assert author.folders["write-reference"] == ["PROMPT.md"]
    assert created(project, "tests").read_text() == TESTS


def test_what_was_answered_is_never_asked_again(project: Project):
    go(project, {"write-specification": SPEC}, until="specification")
    with pytest.raises(EnvwrightError, match="author failed at write-reference: nobody is there"):
        create(project, [Author({})])
    author = go(project, {k: v for k, v in RIGHT.items() if k != "write-specification"})
    assert list(author.prompts) == ["write-reference", "write-tests"]
    assert not go(project, {}).prompts


def test_a_complaint_goes_back_with_what_was_written(project: Project):
    wrong = changed(SPEC, 'number = "2.2"', 'number = "2.1"')
    author = go(project, {"write-specification": wrong, "correct-specification-1": SPEC}, until="specification")
    prompt = author.prompts["correct-specification-1"]
    assert "Two rules have the number 2.1" in prompt
    assert "## The file as it is now" in prompt
    assert "Your boat has 3 planks" in prompt  # the task itself
    judged = [(e.stage, e.passed) for e in read_journal(journal(project)) if isinstance(e, Judged)]
    assert judged == [("specification", False), ("specification", True)]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("import numpy as np", "import numpy as np\nimport nowhere", "No module named 'nowhere'"),
        ("class NightFerry", "class Ferry", "has no class NightFerry"),
        ("        self.hours = HOURS  # rule 1.1\n", "", "has no attribute 'hours'"),
        ("self.position += 1  # rule 3.3", "self.position += 1  # rule 9.9", "there is no rule 9.9"),
        ("            self.load = 0  # rule 2.2\n", "", "load is 9 after step"),
        ("self.strength -= 1  # rule 3.2", "self.strength -= 9", "strength is -4 after step"),
        (
            "self.planks, self.strength, self.position",
            "self.planks, self.position, self.strength",
            "the observation is",
        ),
        ("self.crossing = False  # rule 1.2", 'self.crossing = getattr(self, "crossing", False)', "set by reset?"),
        (
            "int(self.np_random.integers(1, 7))\n        self.load",
            "int(np.random.default_rng().integers(1, 7))\n        self.load",
            "is not the same when it is played again",
        ),
    ],
)
def test_a_reference_that_is_none_is_complained_about(old: str, new: str, complaint: str):
    judge = CreationJudge(read_rulebook(DOCUMENTS), "night_ferry", "NightFerry")
    said = judge.complaint("reference", {"specification": SPEC, "reference": changed(GAME, old, new)})
    assert complaint in said
    assert "Traceback" not in said
    assert "/tmp" not in said


def test_a_disagreement_goes_to_both_and_neither_sees_the_others_work(project: Project):
    answers = {**RIGHT, "write-reference": WRONG, "question-reference-4": GAME}
    answers["question-tests-4"] = {"ANSWER.md": "The game is wrong, by rule 4.4."}
    author = go(project, answers)
    asked_of_game, asked_of_tests = author.prompts["question-reference-4"], author.prompts["question-tests-4"]
    assert "def test_arriving_gives_back_a_point_of_strength" in asked_of_game
    assert "def test_the_start" not in asked_of_game  # only those that fail
    assert "(rules 4.4)" in asked_of_tests
    assert "assert game.strength == after" in asked_of_tests
    assert "def _arrive" not in asked_of_tests
    assert "STRENGTH" not in asked_of_tests
    assert created(project, "reference").read_text() == GAME
    stages = [(e.stage, e.passed) for e in read_journal(journal(project)) if isinstance(e, Judged)]
    assert stages[-2:] == [("agreement", False), ("agreement", True)]
    assert not go(project, {}).prompts


def test_where_neither_gives_way_a_person_decides_and_later_stages_are_made_anew(project: Project):
    answers = {**RIGHT, "write-reference": WRONG}
    answers |= {f"question-{who}-4": {"ANSWER.md": f"The {who} is right."} for who in ("reference", "tests")}
    with pytest.raises(DisagreementError) as raised:
        create(project, [Author(answers)])
    said = str(raised.value)
    assert "disagree in test_arriving_gives_back_a_point_of_strength" in said
    assert "rule 4.4" in said
    assert "The tests is right" in said
    assert f"envwright resume {project.folder}" in said
    path = created(project, "specification")
    path.write_text(changed(SPEC, "up to 5 at most.", "up to 5 at most, which is the strength at the start."))
    author = go(project, {"write-reference-v2": GAME, "write-tests-v2": TESTS})
    assert list(author.prompts) == ["write-reference-v2", "write-tests-v2"]
    assert "which is the strength at the start" in author.prompts["write-reference-v2"]
    assert author.folders["write-reference-v2"] == ["PROMPT.md", "night_ferry.py"]  # the earlier version
    held = artefacts(read_journal(journal(project)))
    assert held.revision == 2
    assert not held.outdated


def test_an_edited_reference_is_checked_and_taken(tested: Project):
    path = created(tested, "reference")
    path.write_text(changed(GAME, "until dawn.", "until dawn comes."))
    assert not go(tested, {}).prompts
    assert path.read_text() == changed(GAME, "until dawn.", "until dawn comes.")
    accepted = [e for e in read_journal(journal(tested)) if isinstance(e, Accepted)]
    assert [(tuple(e.files), e.edited) for e in accepted][-1] == (("reference",), True)


@pytest.mark.parametrize(
    ("artefact", "old", "new", "sentence"),
    [
        (
            "specification",
            'number = "2.2"',
            'number = "2.1"',
            "Two rules have the number 2.1; give one of them another",
        ),
        ("specification", 'default = "the heap never runs out"\n', "", "has no default"),
        ("reference", "        self.hours = HOURS  # rule 1.1\n", "", "has no attribute 'hours'"),
        ("tests", '@rules("4.3")', '@rules("9.3")', "names rule 9.3, which there is not"),
    ],
)
def test_an_edit_that_is_not_right_is_a_sentence_and_changes_nothing(
    artefact: str, old: str, new: str, sentence: str, tested: Project
):
    before = journal(tested).read_bytes()
    path = created(tested, artefact)
    path.write_text(changed(path.read_text(), old, new))
    with pytest.raises(EnvwrightError) as raised:
        create(tested, [Author({})])
    assert sentence in str(raised.value)
    assert f"go on with: envwright resume {tested.folder}." in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    assert journal(tested).read_bytes() == before


def test_a_file_that_was_deleted_is_put_back(tested: Project):
    created(tested, "tests").unlink()
    go(tested, {})
    assert created(tested, "tests").read_text() == TESTS


def test_killed_between_accepting_and_writing_nothing_was_edited(project: Project):
    """The journal has the new version, the disk still the old one."""
    answers = {**RIGHT, "write-reference": WRONG, "question-reference-4": GAME, "question-tests-4": TESTS}
    go(project, answers)
    created(project, "reference").write_text(WRONG)
    go(project, {})
    assert created(project, "reference").read_text() == GAME


def test_other_documents_than_it_began_with_are_refused(project: Project):
    go(project, RIGHT, until="specification")
    before = journal(project).read_bytes()
    path = project.folder / "documents" / "rules.md"
    path.write_text(path.read_text().replace("20 hours", "21 hours"))
    with pytest.raises(EnvwrightError, match="The documents have changed since this run began; begin a new one"):
        create(project, [Author(RIGHT)])
    assert journal(project).read_bytes() == before


def test_the_money_of_all_stages_is_one_budget(tested: Project):
    spent = [e.amount for e in read_journal(journal(tested)) if isinstance(e, Settled)]
    assert spent == [0, 0, 0]
    assert (
        len([line for line in journal(tested).read_text().splitlines() if json.loads(line).get("event") == "Began"])
        == 1
    )
