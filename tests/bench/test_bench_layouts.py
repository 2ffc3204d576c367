"""The fastest layout, remembered."""

import json

import pytest

from envwright.core import layouts
from envwright.core.layouts import recall, remember


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_was_remembered_is_recalled_by_environment_and_purpose():
    assert recall("Pong-v0", "random") is None
    remember("Pong-v0", "random", "processes")
    remember("Pong-v0", "ppo", "plain")
    remember("CartPole-v1", "random", "sharded")
    assert recall("Pong-v0", "random") == "processes"
    assert recall("Pong-v0", "ppo") == "plain"
    assert recall("CartPole-v1", "random") == "sharded"
    assert recall("CartPole-v1", "ppo") is None


def test_the_last_measurement_counts():
    remember("Pong-v0", "random", "plain")
    remember("Pong-v0", "random", "sharded")
    assert recall("Pong-v0", "random") == "sharded"


def test_another_machine_remembers_nothing(monkeypatch):
    remember("Pong-v0", "random", "processes")
    monkeypatch.setattr(layouts, "processor", lambda: "another processor")
    assert recall("Pong-v0", "random") is None
    remember("Pong-v0", "random", "plain")
    monkeypatch.undo()


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "3", '{"%s": []}', '{"%s": {"Pong-v0": "plain"}}', '{"%s": {"Pong-v0": {"random": "new"}}}'],
)
def test_a_broken_file_is_as_good_as_none(folder, content):
    folder.mkdir()
    (folder / "layouts.json").write_text(content.replace("%s", layouts.fingerprint()))
    assert recall("Pong-v0", "random") is None
    remember("Pong-v0", "random", "sharded")
    assert recall("Pong-v0", "random") == "sharded"


def test_a_layout_that_does_not_exist_is_not_remembered():
    with pytest.raises(ValueError, match="'threads' is not one of the layouts plain, sharded, processes"):
        remember("Pong-v0", "random", "threads")


def test_a_kill_while_writing_leaves_the_old_file(folder, monkeypatch):
    remember("Pong-v0", "random", "sharded")

    def killed(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", killed)
    with pytest.raises(KeyboardInterrupt):
        remember("Pong-v0", "random", "plain")
    monkeypatch.undo()
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(folder))
    assert recall("Pong-v0", "random") == "sharded"
    assert json.loads((folder / "layouts.json").read_text())


def test_a_folder_that_cannot_be_written_costs_only_the_memory(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path / "file"))
    remember("Pong-v0", "random", "plain")
    assert recall("Pong-v0", "random") is None
