"""Generated code may do anything: it ends in an answer or in a named verdict, and never takes us with it."""

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from envwright.sandbox import wire
from envwright.sandbox.process import CRASH, ENDLESS, GARBLED, MEMORY, OUTPUT, Limits, Sandbox, SandboxError

SMALL = Limits(seconds=20, memory=400 * 2**20, output=100_000)


def box(tmp_path: Path, body: str, limits: Limits = SMALL) -> Sandbox:
    """A process that answers a message by running `body`, which sees `message` and sets `value`."""
    script = tmp_path / "child.py"
    script.write_text(
        textwrap.dedent("""
        import sys, os, time, subprocess
        from envwright.sandbox.serve import serve
        def answer(message):
            value = None
        {body}
            return value
        serve(answer, int(sys.argv[-2]), int(sys.argv[-1]))
        """).format(body=textwrap.indent(textwrap.dedent(body), "    "))
    )
    return Sandbox([sys.executable, str(script)], tmp_path, limits)


def test_messages_of_numbers_texts_and_arrays_come_back_as_they_were(tmp_path: Path):
    message = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": [1, None, "x", {"c": np.array([True, False])}],
        "empty": np.zeros((0, 3), np.int8),
        "scalar": np.float32(1.5),
        "large": np.arange(10**6),
    }
    echo = box(tmp_path, "value = message")
    got = echo.ask(message)
    echo.close()
    assert got["b"][:3] == [1, None, "x"]
    np.testing.assert_array_equal(got["a"], message["a"])
    np.testing.assert_array_equal(got["b"][3]["c"], [True, False])
    assert got["empty"].shape == (0, 3)
    assert got["scalar"].dtype == np.float32
    np.testing.assert_array_equal(got["large"], message["large"])


@pytest.mark.parametrize(
    ("body", "limits", "kind", "sentence"),
    [
        ("while True: pass", Limits(seconds=3), ENDLESS, "no answer within 3 s"),
        ("value = bytearray(600 * 2**20); time.sleep(30)", SMALL, MEMORY, "GiB of memory"),
        ("while True: print('x' * 1000)", SMALL, OUTPUT, "printed more than 100,000 bytes"),
        ("os.kill(os.getpid(), 11)", SMALL, CRASH, "SIGSEGV"),
        ("print('last words', flush=True); os._exit(3)", SMALL, CRASH, "exit code 3.*last words"),
        ("os.write(int(sys.argv[-1]), b'garbage' * 10)", SMALL, GARBLED, "answered with"),
    ],
    ids=["endless", "memory", "output", "segfault", "exit", "garbage"],
)
def test_what_generated_code_does_has_a_name(tmp_path: Path, body, limits, kind, sentence):
    bad = box(tmp_path, body, limits)
    with pytest.raises(SandboxError, match=sentence) as caught:
        bad.ask({})
    assert caught.value.kind == kind
    with pytest.raises(SandboxError, match=sentence):  # at once, and without a new process
        bad.ask({})


def test_a_dead_box_leaves_no_process_behind(tmp_path: Path):
    bad = box(
        tmp_path,
        """
        child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
        open('pid', 'w').write(str(child.pid))
        while True: pass
        """,
        Limits(seconds=4),
    )
    with pytest.raises(SandboxError):
        bad.ask({})
    grandchild = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not Path(f"/proc/{grandchild}").exists() or "Z" in Path(f"/proc/{grandchild}/stat").read_text().split()[2]:
            return
        time.sleep(0.05)
    pytest.fail("what the process started still runs")


def test_a_box_dies_with_its_owner(tmp_path: Path):
    """As when the run is killed."""
    box(tmp_path, "value = os.getpid()")
    owner = tmp_path / "owner.py"
    owner.write_text(
        "import sys, time\nfrom pathlib import Path\nfrom envwright.sandbox.process import Sandbox\n"
        f"box = Sandbox([sys.executable, {str(tmp_path / 'child.py')!r}], Path({str(tmp_path)!r}))\n"
        "print(box.ask({}), flush=True)\ntime.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, str(owner)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        child = int(process.stdout.readline())
    process.kill()
    process.wait()
    for _ in range(200):
        if not Path(f"/proc/{child}").exists():
            return
        time.sleep(0.05)
    pytest.fail("the process outlived its owner")


def test_no_secret_of_ours_is_in_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("HOME", "/somewhere/else")
    good = box(tmp_path, "value = dict(e.split('=', 1) for e in open('/proc/self/environ').read().split('\\0') if e)")
    seen = good.ask({})
    good.close()
    assert "secret" not in seen.values()
    assert seen["HOME"] == str(tmp_path)
    assert set(seen) <= {"PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "HOME", "TMPDIR", "LC_CTYPE"}


def test_objects_that_are_not_data_cannot_be_sent():
    with pytest.raises(wire.WireError, match="array of object"):
        wire.pack({"a": np.array([object()])})


@pytest.mark.parametrize("shape", [[-1], [2**40], ["x"], 3])
def test_arrays_of_impossible_shapes_are_refused(shape):
    text = b'{"array": [0, "<f8", %s]}' % str(shape).replace("'", '"').encode()
    data = len(text).to_bytes(8, "little") + text
    position = 0

    def read(size: int) -> bytes:
        nonlocal position
        position += size
        return data[position - size : position].ljust(size, b"\0")

    with pytest.raises(wire.WireError):
        wire.unpack(read)
