"""Finding cargo and running it: a program in its place says and does what cargo could."""

import json
import os
import time
from pathlib import Path

import pytest

from envwright.recipe.targets import cargo

ERROR = {
    "reason": "compiler-message",
    "message": {
        "level": "error",
        "message": "mismatched types",
        "code": {"code": "E0308"},
        "rendered": "error[E0308]: mismatched types\n",
        "spans": [
            {"file_name": "/registry/somewhere/lib.rs", "line_start": 1, "column_start": 1, "is_primary": False},
            {"file_name": "src/rules.rs", "line_start": 12, "column_start": 5, "is_primary": True},
        ],
    },
}
ELSEWHERE = {
    "reason": "compiler-message",
    "message": {**ERROR["message"], "spans": [ERROR["message"]["spans"][0]]},  # pyright: ignore[reportArgumentType]
}
WARNING = {"reason": "compiler-message", "message": {**ERROR["message"], "level": "warning"}}  # pyright: ignore


@pytest.fixture
def crate(tmp_path: Path) -> Path:
    """A folder that looks like a crate."""
    folder = tmp_path / "crate"
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text("")
    (folder / "src" / "rules.rs").write_text("")
    (folder / "python" / "fast_x").mkdir(parents=True)
    (folder / "python" / "fast_x" / "__init__.py").write_text("")
    return folder


def pretend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    """A shell script as cargo."""
    program = tmp_path / "bin" / "cargo"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def says(tmp_path: Path, *messages: object) -> str:
    text = tmp_path / "messages"
    text.write_text("\n".join(json.dumps(message) for message in messages))
    return f'if [ "$1" = build ]; then cat {text}; '


def test_without_cargo_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    with pytest.raises(cargo.CargoError, match="rustup"):
        cargo.find_cargo()


def test_cargo_is_found_where_rustup_puts_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, tmp_path, "")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    assert cargo.find_cargo() == tmp_path / "bin" / "cargo"


def test_errors_in_the_crates_own_files_come_back_as_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crate: Path
) -> None:
    pretend(monkeypatch, tmp_path, says(tmp_path, ELSEWHERE, WARNING, ERROR) + "exit 101; fi")
    built = cargo.build(crate, tmp_path / "target")
    assert built.path is None
    (error,) = built.errors
    assert str(error) == "src/rules.rs:12:5: error[E0308]: mismatched types"
    assert error.shown == "error[E0308]: mismatched types\n"


def test_a_failure_without_such_errors_says_what_cargo_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crate: Path
) -> None:
    pretend(monkeypatch, tmp_path, says(tmp_path, ELSEWHERE) + "echo linker not found >&2; exit 101; fi")
    (error,) = cargo.build(crate, tmp_path / "target").errors
    assert str(error) == "cargo: linker not found"


def test_the_library_is_put_beside_the_python_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crate: Path
) -> None:
    library = tmp_path / "libfast_x_native.so"
    library.write_bytes(b"new")
    other = {
        "reason": "compiler-artifact",
        "manifest_path": "/elsewhere/Cargo.toml",
        "filenames": ["/elsewhere/libo.so"],
    }
    own = {
        "reason": "compiler-artifact",
        "manifest_path": str(crate / "Cargo.toml"),
        "filenames": [str(library)],
    }
    place = crate / "python" / "fast_x" / "fast_x_native.abi3.so"
    place.write_bytes(b"old")
    in_use = place.open("rb")
    pretend(monkeypatch, tmp_path, says(tmp_path, other, own) + "fi")
    assert cargo.build(crate, tmp_path / "target").path == place
    assert place.read_bytes() == b"new"
    assert in_use.read() == b"old", "a library that is loaded must not change under its user"
    in_use.close()
    assert [path.name for path in place.parent.iterdir() if path.suffix == ".part"] == []


def test_a_build_that_takes_too_long_is_killed_with_all_it_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crate: Path
) -> None:
    child = tmp_path / "child"
    pretend(monkeypatch, tmp_path, f'if [ "$1" = build ]; then sleep 1000 >&- 2>&- & echo $! > {child}; wait; fi')
    built = cargo.build(crate, tmp_path / "target", seconds=1.0)
    assert built.path is None
    assert "longer than 1 s" in str(built.errors[0])
    assert not _alive(int(child.read_text()))


def _alive(pid: int) -> bool:
    for _ in range(100):  # a killed process goes when its parent has been told
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return False
        time.sleep(0.05)
    return True


def test_dependencies_come_from_the_network_only_if_they_are_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crate: Path
) -> None:
    log = tmp_path / "log"
    script = f'echo "$@" >> {log}; if [ "$1$2" = fetch--offline ]; then exit $(cat {tmp_path}/missing); fi; exit 1'
    pretend(monkeypatch, tmp_path, script)
    (tmp_path / "missing").write_text("101")
    with pytest.raises(cargo.CargoError, match="cannot be downloaded"):
        cargo.build(crate, tmp_path / "target")
    assert log.read_text().splitlines() == ["fetch --offline", "fetch"]
    log.unlink()
    (tmp_path / "missing").write_text("0")
    cargo.build(crate, tmp_path / "target")
    assert log.read_text().splitlines() == ["fetch --offline", "build --release --offline --message-format=json"]


def test_a_build_sees_none_of_our_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crate: Path) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("SOME_API_KEY", "secret")
    pretend(monkeypatch, tmp_path, f"env > {log}; exit 1")
    with pytest.raises(cargo.CargoError):
        cargo.build(crate, tmp_path / "target")
    assert "SOME_API_KEY" not in log.read_text()
    assert f"CARGO_TARGET_DIR={tmp_path / 'target'}" in log.read_text()


def test_two_builds_do_not_share_a_target_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crate: Path
) -> None:
    import fcntl

    pretend(monkeypatch, tmp_path, "exit 0")
    (tmp_path / "target").mkdir()
    with (tmp_path / "target" / ".envwright-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(cargo.CargoError, match="Another build"):
            cargo.build(crate, tmp_path / "target", seconds=0.3)
