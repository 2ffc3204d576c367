"""`envwright create`: what it says about what it cannot do; nothing is written then."""

from pathlib import Path

import pytest

from envwright.cli import main

ROOT = Path(__file__).parent.parent.parent
RULES = str(ROOT / "examples" / "night_ferry" / "rules.md")
RECORDED = ROOT / "examples" / "recorded" / "night_ferry"


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code, and everything that was printed."""
    code = main(arguments)
    printed = capsys.readouterr()
    return code, printed.out + printed.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{tmp}/none.md", "--name", "ferry", "--agent", "handoff"], "cannot be read: No such file or directory"),
        (["{tmp}/empty.md", "--name", "ferry", "--agent", "handoff"], "There is no text in"),
        (["{tmp}/rules.docx", "--name", "ferry", "--agent", "handoff"], "is of no known kind; documents end in .html"),
        (["{tmp}/broken.pdf", "--name", "ferry", "--agent", "handoff"], "cannot be read as a PDF"),
        ([RULES, RULES, "--name", "ferry", "--agent", "handoff"], "Two documents are called rules.md; rename one"),
        ([RULES, "--name", "ferry", "--agent", "clod"], "There is no agent 'clod'; did you mean"),
        ([RULES, "--name", "ferry"], "name one with --agent, see: envwright agents"),
        ([RULES, "--name", "ferry", "--agent", "builtin"], "name one with --agent, see: envwright agents"),
        ([RULES, "--agent", "handoff"], "Say what the environment is to be called"),
        ([RULES, "--name", "night-ferry", "--agent", "handoff"], "--name night-ferry becomes a file, a package and a"),
        ([RULES, "--name", "2ferries", "--agent", "handoff"], "and begin with a letter"),
        ([RULES, "--name", "class", "--agent", "handoff"], "use letters, digits and _ only"),
        ([RULES, "--name", "random", "--agent", "handoff"], "is the name of a Python module"),
        (["{walk}"], "is not made from documents; run it with: envwright translate"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(arguments, sentence, tmp_path, capsys):
    (tmp_path / "empty.md").write_text("\n\n")
    (tmp_path / "broken.pdf").write_text("no PDF")
    (tmp_path / "rules.docx").write_text("no document")
    walk = ROOT / "tests" / "recipe" / "walk"
    out = tmp_path / "run"
    arguments = [a.format(tmp=tmp_path, walk=walk) for a in arguments]
    code, text = said(["create", *arguments, "--out", str(out)], capsys)
    assert code == 2
    assert sentence in text
    assert "Traceback" not in text
    assert len(text.strip().splitlines()) == 1
    assert not out.exists()


def test_a_recorded_run_can_be_stopped_read_and_edited(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "run"
    code, text = said(["create", str(RECORDED), "--until", "specification", "--out", str(out)], capsys)
    assert code == 0
    path = out / "created" / "specification.toml"
    assert f"Stopped after the specification. Look at {path}, and edit it if you like, then go on with:" in text
    assert "What the documents leave open" in (out / "report.html").read_text()
    code, text = said(["status", str(out)], capsys)
    assert code == 0
    assert "night_ferry: rules.md, crates.csv to jax" in text
    before = (out / "journal.jsonl").read_bytes()
    path.write_text(path.read_text().replace('number = "2.2"', 'number = "2.1"'))
    code, text = said(["resume", str(out)], capsys)
    assert code == 2
    assert text == (
        f"envwright: {path} was edited and is not right: Two rules have the number 2.1; give one of them another "
        f"number. Correct it, and go on with: envwright resume {out}.\n"
    )
    assert (out / "journal.jsonl").read_bytes() == before


def test_a_folder_with_another_run_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "run"
    assert said(["create", str(RECORDED), "--until", "specification", "--out", str(out)], capsys)[0] == 0
    before = (out / "journal.jsonl").read_bytes()
    code, text = said(["create", RULES, "--name", "other", "--agent", "handoff", "--out", str(out)], capsys)
    assert code == 2
    assert "is about something else, or its documents have changed; choose another folder with --out" in text
    assert (out / "journal.jsonl").read_bytes() == before
    mine = tmp_path / "mine"
    mine.mkdir()
    arguments = ["create", RULES, "--name", "other", "--agent", "handoff", "--out", str(mine), "--fresh"]
    code, text = said(arguments, capsys)
    assert code == 2
    assert "is not a run of envwright's, so it is not deleted" in text


def test_a_run_that_waits_for_a_person_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """An agent `handoff` that does not wait leaves the task, and takes the answer when the run is resumed."""
    out = tmp_path / "run"
    assert said(["create", str(RECORDED), "--until", "specification", "--out", str(out)], capsys)[0] == 0
    settings = out / "envwright.toml"
    settings.write_text(settings.read_text() + "\n[agents.handoff]\nwait = false\n")
    code, text = said(["resume", str(out), "--agent", "builtin,handoff"], capsys)
    assert code == 3
    place = out / "work" / "write-reference"
    assert f"write-reference is waiting for you: do what {place / 'PROMPT.md'} says." in text
    assert "Program Night Ferry in Python" in (place / "PROMPT.md").read_text()
