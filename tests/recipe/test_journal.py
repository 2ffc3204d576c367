"""The journal: what is in it survives, what is half in it never happened, and nobody else writes."""

import json
from pathlib import Path

import pytest

from envwright.recipe.events import Began, Finished, Judged, Kept, Reserved, Settled, from_plain, to_plain
from envwright.recipe.journal import JournalError, open_journal, read_journal

EVENTS = (
    Began("game", "gymnasium:Game-v0", "jax", ("claude",), 10_000_000, {"source": "ab"}, 0, 7, {"jax": "1"}),
    Reserved("translate-rules.claude.1", "translate-rules", "claude", 500_000),
    Settled("translate-rules.claude.1", "translate-rules", 12, "reported", "done", {"a.py": "x = 1\n\u2028"}, ("b",)),
    Judged("ab", "whole", False, ({"level": "L1", "name": "steps", "status": "fail"},), "rules", "input: x = 1"),
    Kept("translate-rules", "rules"),
    Finished("verified"),
)


def written(path: Path) -> None:
    with open_journal(path) as journal:
        for event in EVENTS:
            journal.append(event)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_the_same_after_json(event):
    assert from_plain(json.loads(json.dumps(to_plain(event)))) == event


def test_what_was_appended_is_read_back_in_order(tmp_path: Path):
    written(tmp_path / "j")
    assert tuple(read_journal(tmp_path / "j")) == EVENTS
    with open_journal(tmp_path / "j") as journal:
        assert journal.events == EVENTS


def test_cut_anywhere_it_opens_with_the_events_that_are_whole(tmp_path: Path):
    """As a run killed in the middle of writing leaves it."""
    written(tmp_path / "j")
    content = (tmp_path / "j").read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")]
    for cut in range(0, len(content) + 1, 7):
        path = tmp_path / f"cut{cut}"
        path.write_bytes(content[:cut])
        whole = max(0, sum(end <= cut for end in ends) - 1)
        with open_journal(path) as journal:
            assert journal.events == EVENTS[:whole]
            journal.append(Finished("again"))
        assert tuple(read_journal(path)) == (*EVENTS[:whole], Finished("again"))


def test_only_one_process_has_it_open(tmp_path: Path):
    with open_journal(tmp_path / "j"), pytest.raises(JournalError, match="Another envwright is at work"):
        open_journal(tmp_path / "j")
    open_journal(tmp_path / "j").close()


@pytest.mark.parametrize(
    "damage", [b"{}\n", b"not json\n", b'{"event": "Unknown"}\n', b'{"event": "Kept", "task": "a"}\n']
)
def test_a_damaged_line_is_named_and_nothing_is_thrown_away(tmp_path: Path, damage: bytes):
    written(tmp_path / "j")
    content = (tmp_path / "j").read_bytes() + damage
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(JournalError, match=r"Line 8 of .* is damaged"):
        open_journal(tmp_path / "j")
    assert (tmp_path / "j").read_bytes() == content


def test_a_journal_of_another_version_is_refused(tmp_path: Path):
    (tmp_path / "j").write_text('{"journal": 99}\n')
    with pytest.raises(JournalError, match="use the one that wrote it"):
        open_journal(tmp_path / "j")
    with pytest.raises(JournalError, match="There is no run"):
        read_journal(tmp_path / "other")
