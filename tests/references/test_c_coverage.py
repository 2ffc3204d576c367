"""Coverage of C: a real compiler's counts, and what happens without them."""

import shutil

import pytest

from envwright.references import c_library
from envwright.references.c_coverage import covering

EXPORT = '__attribute__((visibility("default")))'
HEADER = """\
int sign(int x) {
    if (x < 0) {
        return -1;
    }
    return x > 0;
}
int never_entered(int x) { return x; }
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "game.h").write_text(HEADER)
    (tmp_path / "driver.c").write_text(f'#include "game.h"\n{EXPORT} int play(int x) {{ return sign(x); }}\n')
    return tmp_path


def cover(files, *plays: int):
    with covering(files / "driver.c", [files], ["-O2"], files / "game.h") as (build, covered):
        assert build is not None
        for x in plays:
            c_library.load(build).play(x)
    return covered


needs_gcov = pytest.mark.skipif(shutil.which("gcov") is None, reason="gcov is not installed")


@needs_gcov
def test_lines_and_branches_of_functions_that_were_entered_are_counted_and_missing_ones_named(files):
    report = cover(files, 3).report()
    assert report["lines"] == [3, 4]
    assert report["branches"] == [1, 2]
    assert report["missing"] == ["game.h:2 if (x < 0) { (branch 1 of 2)", "game.h:3 return -1;"]


@needs_gcov
def test_counts_begin_anew_each_time(files):
    cover(files, 3)
    assert cover(files, -3, 3).report() == {"lines": [4, 4], "branches": [2, 2], "missing": []}
    assert cover(files, 3).report()["lines"] == [3, 4]


def test_without_gcov_there_is_no_report_and_no_error(files, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with covering(files / "driver.c", [files], ["-O2"], files / "game.h") as (build, covered):
        assert build is None
    assert covered.report() == {}
