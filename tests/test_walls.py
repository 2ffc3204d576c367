"""The house: which room may import which, and that a name means one thing."""

import ast
from collections import defaultdict
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "envwright"
NOTHING = "nothing of ours"


def table() -> dict[str, set[str]]:
    """Which rooms a room may import, by docs/architecture.md."""
    rows: dict[str, set[str]] = {}
    for line in (ROOT / "docs" / "architecture.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and cells[0].endswith("/`") and len(cells) == 3:
            allowed = cells[2]
            rows[cells[0].strip("`/")] = set() if allowed == NOTHING else set(allowed.split(", "))
    return rows


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Which rooms each room does import."""
    graph = grimp.build_graph("envwright")
    found: dict[str, set[str]] = defaultdict(set)
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            rooms = [name.split(".")[1] for name in (module, other) if name.count(".")]
            if len(rooms) == 2 and rooms[0] != rooms[1]:
                found[rooms[0]].add(rooms[1])
    return found


def test_every_room_is_in_the_table_and_imports_what_it_may_and_no_less(imports):
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(table())
    assert {room: imports[room] for room in rooms} == table()


def test_the_table_points_one_way():
    above: set[str] = set()
    for room, allowed in table().items():
        assert allowed <= above, room
        above.add(room)


def test_a_class_name_is_used_once():
    homes: dict[str, list[str]] = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(PACKAGE)))
    environments = {"State", "Params"}  # every environment has its own, and nobody imports those of two
    assert {name: files for name, files in homes.items() if len(files) > 1 and name not in environments} == {}
