"""Compiling and loading C: real compilers, and what happens when they refuse."""

import pytest

from envwright.core.errors import ReferenceUnavailableError
from envwright.references import c_library


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path / "cache"))


def write(tmp_path, code: str):
    driver = tmp_path / "driver.c"
    driver.write_text(code)
    return driver


EXPORT = '__attribute__((visibility("default")))'


def test_a_library_is_compiled_once_and_again_when_its_source_changes(tmp_path):
    first = c_library.build("answer", write(tmp_path, f"{EXPORT} int answer(void) {{ return 42; }}"), [], ["-O1"])
    assert c_library.load(first).answer() == 42
    made = first.stat().st_mtime_ns
    assert c_library.build("answer", tmp_path / "driver.c", [], ["-O1"]).stat().st_mtime_ns == made
    second = c_library.build("answer", write(tmp_path, f"{EXPORT} int answer(void) {{ return 7; }}"), [], ["-O1"])
    assert c_library.load(second).answer() == 7
    assert first != second


def test_functions_nobody_calls_need_no_libraries(tmp_path):
    code = f"void not_there(void); void draw(void) {{ not_there(); }} {EXPORT} int answer(void) {{ return 1; }}"
    assert c_library.load(c_library.build("answer", write(tmp_path, code), [], ["-O2"])).answer() == 1


def test_a_compile_error_is_one_sentence_and_leaves_nothing_behind(tmp_path):
    with pytest.raises(ReferenceUnavailableError, match=r"could not compile the broken reference: .*error"):
        c_library.build("broken", write(tmp_path, "int answer(void) { return nonsense; }"), [], [])
    assert not list((tmp_path / "cache" / "libraries").iterdir())


def test_a_damaged_library_says_how_to_mend_it(tmp_path):
    damaged = tmp_path / "damaged.so"
    damaged.write_bytes(b"not a library")
    with pytest.raises(ReferenceUnavailableError, match=r"cannot be loaded: .*; delete it and try again"):
        c_library.load(damaged)


def test_the_compiler_can_be_chosen_and_a_missing_one_is_named(monkeypatch):
    monkeypatch.setenv("CC", "no-such-cc")
    with pytest.raises(ReferenceUnavailableError, match=r"looked for no-such-cc\); install gcc or clang"):
        c_library.find_compiler()
