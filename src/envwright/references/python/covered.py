"""How much of a reference's source a stretch of play has run."""

import contextlib
import json
import linecache
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from envwright.core.errors import missing_extra
from envwright.references.protocol import Covered
from envwright.references.python.functions import home_modules
from envwright.references.python.own_modules import file_of


@contextlib.contextmanager
def covering(roots: Sequence[Any]) -> Iterator[Covered]:
    """Measure what of the source of these objects runs inside of the `with`; the numbers are there when it ends."""
    try:
        import coverage
    except ImportError:
        raise missing_extra("coverage", "reference") from None
    modules = home_modules(roots)
    files = [file for module in modules if (file := file_of(module.__name__))]
    measure = coverage.Coverage(data_file=None, branch=True, include=files, config_file=False)
    measure.set_option("run:disable_warnings", ["already-imported", "no-data-collected"])
    covered = Covered()
    measure.start()
    try:
        yield covered
    finally:
        measure.stop()
        _fill(covered, _report(measure))


def _report(measure: Any) -> dict[str, Any]:
    from coverage.exceptions import NoDataError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "coverage.json"
        try:
            measure.json_report(outfile=str(path))
        except NoDataError:
            return {}
        return json.loads(path.read_text())["files"]


def _fill(covered: Covered, files: dict[str, Any]) -> None:
    missing: list[str] = []
    for file, report in files.items():
        for name, region in report["functions"].items():
            if not name or not region["executed_lines"]:
                continue
            covered.lines += len(region["executed_lines"])
            covered.lines_possible += len(region["executed_lines"]) + len(region["missing_lines"])
            covered.branches += len(region["executed_branches"])
            covered.branches_possible += len(region["executed_branches"]) + len(region["missing_branches"])
            short = Path(file).name
            missing += [f"{short}:{n} {linecache.getline(file, n).strip()}" for n in region["missing_lines"]]
            missing += [f"{short}:{start} -> {'exit' if end < 0 else end}" for start, end in region["missing_branches"]]
    covered.missing = tuple(missing)
