"""Games in JavaScript that fail, hang or crash."""

import gc
import subprocess
import sys
import time
from pathlib import Path

import pytest
from node_games import PIG, a_game, needs_node

from envwright.core.errors import EnvwrightError, ReferenceUnavailableError
from envwright.references.node import NodeReference
from envwright.references.protocol import (
    ReferenceFailedError,
)

pytestmark = needs_node


def test_says_where_the_game_failed_and_goes_on(tmp_path: Path) -> None:
    step = "if (action) {\n      this.state.board.clear();\n    }"
    with NodeReference(a_game(tmp_path, step)) as game:
        game.reset(0)
        with pytest.raises(
            ReferenceFailedError, match=r"^toy\.js failed in step, at toy\.js:5: TypeError: Cannot read"
        ):
            game.step(1)
        assert game.step(0).obs == [1]


def test_what_the_game_prints_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    step = "console.log('{}'); process.stdout.write('{}\\n'); console.info('x'.repeat(300000));"
    with NodeReference(a_game(tmp_path, step)) as game:
        game.reset(0)
        assert [game.step(0).obs for _ in range(3)] == [[1]] * 3


def test_long_messages_pass(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "this.state.n = action;")) as game:
        game.reset(0)
        game.step("é" * 300_000)
        assert game.look()["n"] == "é" * 300_000


@pytest.mark.parametrize("step", ["for (;;) {}", "for (;;) console.log('busy');", "return new Promise(() => {});"])
def test_a_hang_is_ended_and_a_reset_starts_anew(tmp_path: Path, step: str) -> None:
    with NodeReference(a_game(tmp_path, f"if (action) {{ {step} }}"), timeout=1.0) as game:
        game.reset(0)
        with pytest.raises(ReferenceFailedError, match=r"toy\.js gave no answer for 1 s and was killed during step"):
            game.step(1)
        with pytest.raises(ReferenceFailedError, match=r"toy\.js is not running; reset it first"):
            game.step(0)
        game.reset(0)
        assert game.step(0).obs == [1]


def test_a_long_message_to_a_hung_process_does_not_wait_for_ever(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "setTimeout(() => { for (;;) {} });"), timeout=1.0) as game:
        game.reset(0)
        game.step(0)
        time.sleep(0.2)
        with pytest.raises(ReferenceFailedError, match="gave no answer for 1 s"):
            game.step("x" * 1_000_000)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("process.exit(3);", "ended with code 3 during step; a reset starts it anew"),
        ("process.kill(process.pid, 'SIGKILL');", "was ended by signal 9 during step"),
        (
            "setTimeout(() => { throw new RangeError('late'); }); return new Promise(() => {});",
            r"ended with code 1, saying 'RangeError: late at toy\.js:4', during step",
        ),
        ("require('fs').writeSync(1, 'hello\\n');", "wrote b'hello' where an answer was due, and was killed"),
        ("require('fs').writeSync(1, '{\"id\": 99}\\n');", "where an answer was due"),
    ],
    ids=["exit", "signal", "uncaught", "invalid JSON", "another answer"],
)
def test_a_crash_is_told_and_a_reset_starts_anew(tmp_path: Path, step: str, sentence: str) -> None:
    with NodeReference(a_game(tmp_path, f"if (action) {{ {step} }}")) as game:
        game.reset(0)
        with pytest.raises(ReferenceFailedError, match=sentence):
            game.step(1)
        game.reset(0)
        assert game.step(0).obs == [1]


def test_running_out_of_memory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODE_OPTIONS", "--max-old-space-size=30")
    with NodeReference(a_game(tmp_path, "const a = []; for (;;) a.push([a.length]);")) as game:
        game.reset(0)
        with pytest.raises(ReferenceFailedError, match="heap out of memory"):
            game.step(0)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("module.exports = {", r"bad\.js failed in load, at bad\.js:1: SyntaxError"),
        ("\nnull.x;", r"bad\.js failed in load, at bad\.js:2: TypeError"),
        ("require('no-such-thing');", "Cannot find module 'no-such-thing'"),
        ("module.exports = { reset() {} };", "cannot load: what it exports has no method 'step'"),
        ("process.exit(0);", "ended with code 0 during load"),
    ],
)
def test_a_module_that_is_no_game_is_refused(tmp_path: Path, source: str, sentence: str) -> None:
    (tmp_path / "bad.js").write_text(source)
    with pytest.raises(ReferenceFailedError, match=sentence):
        NodeReference(tmp_path / "bad.js")


def test_what_a_step_returns_is_checked(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "return action ? { obs: 0, reward: 'much' } : [1];")) as game:
        with pytest.raises(ReferenceFailedError, match="it has no state yet; reset it first"):
            game.step(0)
        game.reset(0)
        with pytest.raises(ReferenceFailedError, match="cannot step: it did not return an object with an obs"):
            game.step(0)
        with pytest.raises(ReferenceFailedError, match="the reward is much, not a number"):
            game.step(1)
        with pytest.raises(EnvwrightError, match="A object cannot be handed"):
            game.step(object())


def test_a_missing_script_or_node_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReferenceUnavailableError, match=r"There is no game at .*none\.js"):
        NodeReference(tmp_path / "none.js")
    with pytest.raises(ReferenceUnavailableError, match=r"cannot be started as 'nodule' \(No such file"):
        NodeReference(PIG, node="nodule")


def children() -> set[str]:
    """The processes that this one has started and not yet buried."""
    return set(Path("/proc/self/task", str(Path("/proc/self").resolve().name), "children").read_text().split())


@pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc.")
def test_no_process_is_left_behind(tmp_path: Path) -> None:
    before = children()
    game = NodeReference(a_game(tmp_path, "process.exit(1);"))
    assert len(children() - before) == 1
    game.reset(0)
    with pytest.raises(ReferenceFailedError):
        game.step(0)
    assert children() <= before
    game.reset(0)
    game.close()
    game.close()
    assert children() <= before
    with pytest.raises(ReferenceFailedError, match="is closed; make a new NodeReference"):
        game.reset(0)
    forgotten = NodeReference(PIG)
    del forgotten
    gc.collect()
    assert children() <= before


@pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc.")
def test_a_hung_game_does_not_outlive_a_killed_python(tmp_path: Path) -> None:
    script = a_game(tmp_path, "for (;;) {}")
    code = f"""
from pathlib import Path
from envwright.references.node import NodeReference
game = NodeReference({str(script)!r})
game.reset(0)
print(Path("/proc/self/task", Path("/proc/self").resolve().name, "children").read_text(), flush=True)
game.step(0)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as python:
        assert python.stdout is not None
        node = Path("/proc", python.stdout.readline().strip())
        time.sleep(0.3)
        python.kill()
    assert node.name.isdigit()
    deadline = time.monotonic() + 10
    while is_running(node) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not is_running(node)


def is_running(process: Path) -> bool:
    try:
        return "(node) Z" not in (process / "stat").read_text()
    except OSError:
        return False
