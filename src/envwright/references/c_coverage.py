"""How much of a C header a stretch of play has run, by gcc's own count.

The driver is compiled once more, without optimisation and with counters, into a folder of its own: counters that
several processes share would be added up. Without gcc or gcov there is no report, and play goes on uncounted.
"""

import contextlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from envwright.core.errors import ReferenceUnavailableError
from envwright.references import c_library
from envwright.references.protocol import Covered

_DUMP = "envwright_write_counts"
_DRIVER = """\
#include "{driver}"
void __gcov_dump(void);
__attribute__((visibility("default"))) void {dump}(void) {{ __gcov_dump(); }}
"""


@contextlib.contextmanager
def covering(
    driver: Path, includes: Sequence[Path], flags: Sequence[str], header: Path
) -> Iterator[tuple[Path | None, Covered]]:
    """A build of `driver` to play with, if it can be had, and what of `header` that ran, once the `with` has ended."""
    with tempfile.TemporaryDirectory(prefix="envwright-coverage-") as scratch:
        folder, covered = Path(scratch), Covered()
        build = _build(driver, includes, flags, folder)
        try:
            yield build, covered
        finally:
            if build is not None:
                getattr(c_library.load(build), _DUMP)()  # having written once, it will not again at exit
                _fill(covered, _gcov(folder), header)


def _build(driver: Path, includes: Sequence[Path], flags: Sequence[str], folder: Path) -> Path | None:
    if shutil.which("gcov") is None:
        return None
    wrapper, library = folder / "covered.c", folder / "covered.so"
    wrapper.write_text(_DRIVER.format(driver=driver, dump=_DUMP))
    command = c_library.compiling(wrapper, includes, [*flags, "-O0", "--coverage"])
    try:
        c_library.run("counted", [*command, "-o", str(library)])
    except ReferenceUnavailableError:  # a compiler without gcov's counters
        return None
    return library


def _gcov(folder: Path) -> dict[str, Any]:
    """What gcov makes of the counts in a folder."""
    data = [path.name for path in folder.glob("*.gcda")]
    command = ["gcov", "--json-format", "--stdout", "--branch-probabilities", *data]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:  # a gcov of another version than the compiler
        return {}


def _fill(covered: Covered, report: dict[str, Any], header: Path) -> None:
    files = [file for file in report.get("files", ()) if Path(file["file"]).name == header.name]
    text = header.read_text().splitlines()
    entered = {f["name"] for file in files for f in file["functions"] if f["execution_count"]}
    lines = [line for file in files for line in file["lines"] if line.get("function_name") in entered]
    missing: list[str] = []
    for line in sorted(lines, key=lambda line: line["line_number"]):
        place = f"{header.name}:{line['line_number']} {text[line['line_number'] - 1].strip()}"
        counts = [branch["count"] for branch in line["branches"]]
        covered.lines += line["count"] > 0
        covered.branches += sum(count > 0 for count in counts)
        covered.branches_possible += len(counts)
        if not line["count"]:
            missing.append(place)
        else:
            missing += [f"{place} (branch {i} of {len(counts)})" for i, count in enumerate(counts, 1) if not count]
    covered.lines_possible, covered.missing = len(lines), tuple(missing)
