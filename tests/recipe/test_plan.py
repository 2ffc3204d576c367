"""Plans: the cut, its promises for any graph of calls, and the text of a module."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.recipe.analyse.c import analyse_c
from envwright.recipe.analyse.facts import ALLOCATES, ENTRY, SETS_UP, Analysis, FixedArray, SourceFile, Unit
from envwright.recipe.analyse.find import analyse
from envwright.recipe.analyse.graph import components, ring
from envwright.recipe.analyse.python import analyse_python
from envwright.recipe.plan import ModulePlan, PlanError, make_plan, read_plan, source_of, write_plan

SOURCES = Path(__file__).parent / "sources"
Calls = dict[str, tuple[int, list[str]]]  # function -> lines, and what it calls


def made(calls: Calls, entries: tuple[str, ...] = ("reset", "step"), file: str = "game.py", **more) -> Analysis:
    """An analysis of functions with given sizes and calls; "other.py:f" is in another file."""
    units, line = [], {}
    for name, (size, called) in calls.items():
        where, _, function = name.rpartition(":")
        where = where or file
        first = line.get(where, 1)
        line[where] = first + size
        flags = (ENTRY,) if name in entries else (SETS_UP,) if name == "make" else ()
        ids = tuple(call if ":" in call else f"{file}:{call}" for call in called)
        units.append(
            Unit(where, function.rpartition(".")[2], function, first, first + size - 1, size, ids, flags=flags)
        )
    sources = tuple(SourceFile(path, "python", "0", last - 1) for path, last in sorted(line.items()))
    found = tuple(e if ":" in e else f"{file}:{e}" for e in entries)
    return Analysis(Path(), sources, tuple(sorted(units, key=lambda u: (u.file, u.first))), found, (), **more)


def cut(calls: Calls, **more) -> dict[str, list[str]]:
    plan = make_plan(made(calls, **more))
    return {module.name: [id.partition(":")[2] for id in module.functions] for module in plan.modules}


# ---- the cut ----


def test_a_tiny_environment_is_one_module():
    assert cut({"reset": (5, []), "step": (20, ["a", "b"]), "a": (10, ["b"]), "b": (9, [])}) == {
        "rules": ["reset", "step", "a", "b"]
    }


def test_helpers_are_grouped_from_the_bottom_until_they_are_enough():
    calls: Calls = {
        "reset": (30, []), "step": (150, ["move", "score"]),
        "move": (70, ["walk"]), "walk": (60, []),
        "score": (90, ["count"]), "count": (50, []),
    }  # fmt: skip
    assert cut(calls) == {"move": ["move", "walk"], "score": ["score", "count"], "rules": ["reset", "step"]}


def test_modules_come_after_those_they_need():
    calls: Calls = {
        "reset": (60, ["a"]), "step": (60, ["c"]), "c": (120, ["b"]), "b": (120, ["a"]), "a": (120, []),
    }  # fmt: skip
    plan = make_plan(made(calls))
    assert [(m.name, m.needs) for m in plan.modules] == [
        ("a", ()),
        ("b", ("a",)),
        ("c", ("b",)),
        ("rules", ("a", "c")),
    ]


def test_functions_that_call_each_other_stay_together():
    calls: Calls = {
        "reset": (50, []), "step": (60, ["ping"]), "ping": (300, ["pong"]), "pong": (300, ["ping"]),
    }  # fmt: skip
    plan = make_plan(made(calls))
    assert [(m.name, m.lines) for m in plan.modules] == [("ping", 600), ("rules", 110)]
    assert "call each other in a ring; more than 500 lines" in plan.modules[0].why


def test_what_calls_an_entry_is_in_rules():
    calls: Calls = {"reset": (50, []), "step": (60, ["after"]), "after": (200, ["reset"]), "other": (1, [])}
    assert cut(calls)["rules"] == ["reset", "step", "after", "other"]


def test_one_function_that_is_too_large_stands_alone():
    plan = make_plan(made({"reset": (50, []), "step": (60, ["huge"]), "huge": (900, ["small"]), "small": (10, [])}))
    assert [(m.name, m.lines) for m in plan.modules] == [("small", 10), ("huge", 900), ("rules", 110)]
    assert "One function of game.py; more than 500 lines" in plan.modules[1].why


def test_a_small_one_with_no_room_anywhere_stays_small():
    plan = make_plan(made({"reset": (1, []), "step": (499, ["tiny"]), "tiny": (10, [])}))
    assert [(m.name, m.lines) for m in plan.modules] == [("tiny", 10), ("rules", 500)]
    assert "fewer than 100 lines" in plan.modules[0].why


def test_what_makes_the_environment_is_a_module_that_rules_need():
    calls: Calls = {"reset": (50, []), "step": (150, []), "make": (80, ["table"]), "table": (90, [])}
    plan = make_plan(made(calls))
    assert [(m.name, m.needs) for m in plan.modules] == [("setup", ()), ("rules", ("setup",))]


def test_a_file_or_a_class_gives_its_name():
    calls: Calls = {
        "reset": (60, []), "step": (90, ["cards.py:draw", "Car.drive", "_import"]),
        "cards.py:draw": (70, ["cards.py:mix"]), "cards.py:mix": (50, []),
        "Car.drive": (70, ["Car.turnLeft"]), "Car.turnLeft": (60, []),
        "_import": (130, []),
    }  # fmt: skip
    assert list(cut(calls)) == ["cards", "car", "import_part", "rules"]


def test_strangers_are_not_joined_only_because_they_are_small():
    calls: Calls = {
        "reset": (90, []), "step": (90, ["big", "large"]),
        "big": (480, ["x.py:x"]), "x.py:x": (30, []), "large": (480, ["y.py:y"]), "y.py:y": (30, []),
    }  # fmt: skip
    assert list(cut(calls)) == ["x", "big", "y", "large", "rules"]


def test_what_sets_up_is_not_joined_with_what_plays_without_a_call():
    calls: Calls = {"reset": (1, []), "step": (490, ["help"]), "help": (30, []), "make": (30, [])}
    assert cut(calls) == {"help": ["help"], "setup": ["make"], "rules": ["reset", "step"]}


def test_a_module_is_not_called_like_what_plays():
    calls: Calls = {"reset": (60, ["Base.reset"]), "step": (90, ["spread"]), "Base.reset": (60, []), "spread": (60, [])}
    assert cut(calls) == {"spread": ["Base.reset", "spread"], "rules": ["reset", "step"]}


def test_names_do_not_clash():
    calls: Calls = {
        "reset": (60, []), "step": (90, ["rules", "state", "b.py:go", "a.py:go"]),
        "rules": (100, []), "state": (100, []),
        "b.py:go": (100, []), "b.py:rest": (100, ["b.py:go"]),
        "a.py:go": (100, []), "a.py:more": (100, ["a.py:go"]),
    }  # fmt: skip
    calls["step"][1].extend(["b.py:rest", "a.py:more"])
    names = list(cut(calls))
    assert len(set(names)) == len(names)
    assert names[-1] == "rules"
    assert {"rules_2", "state_2", "go", "go_2"} <= set(names)


def test_sizes_that_make_no_sense_get_a_sentence():
    analysis = made({"reset": (5, []), "step": (5, [])})
    with pytest.raises(PlanError, match="Modules of 300 to 200 lines cannot be cut"):
        make_plan(analysis, 300, 200)


@st.composite
def graphs(draw) -> Calls:
    """Functions of three files; each is called by one before it, and calls up to two others, step among them."""
    calls: Calls = {"reset": (draw(st.integers(1, 80)), []), "step": (draw(st.integers(1, 300)), [])}
    for number in range(draw(st.integers(0, 16))):
        name = f"{draw(st.sampled_from(['', 'a.py:', 'b.py:']))}f{number}"
        calls[draw(st.sampled_from(list(calls)))][1].append(name)
        calls[name] = (draw(st.integers(1, 200)), draw(st.lists(st.sampled_from([*calls]), max_size=2)))
    return calls


@settings(deadline=None)
@given(graphs())
def test_any_graph_is_cut_as_promised(calls):
    analysis = made(calls)
    plan = make_plan(analysis, 100, 500)
    held = [id for module in plan.modules for id in module.functions]
    assert sorted(held) == sorted(analysis.unit)  # each function once
    assert plan.modules[-1].name == "rules"
    assert set(analysis.entries) <= set(plan.modules[-1].functions)
    needs = {module.name: module.needs for module in plan.modules}
    assert ring(needs) == []
    order = list(needs)
    assert all(order.index(need) < order.index(name) for name, found in needs.items() for need in found)
    home = {id: module.name for module in plan.modules for id in module.functions}
    for unit in analysis.units:
        assert all(home[call] in (home[unit.id], *needs[home[unit.id]]) for call in unit.calls)
    graph = {
        unit.id: [*unit.calls, *(analysis.entries if unit.id in analysis.entries else ())] for unit in analysis.units
    }
    together = max((sum(analysis.unit[id].code_lines for id in ids) for ids in components(graph)), default=0)
    assert all(module.lines <= max(500, together) for module in plan.modules)
    assert read_plan(write_plan(plan), analysis) == plan
    assert make_plan(made(calls)) == plan


def test_a_plan_does_not_depend_on_the_order_of_hashes():
    code = (
        "from pathlib import Path; from envwright.recipe.analyse.find import analyse;"
        "from envwright.recipe.plan import make_plan, write_plan;"
        f"print(write_plan(make_plan(analyse('keep/game.py:Keep', base=Path({str(SOURCES)!r})), 10, 30)))"
    )
    other = {**os.environ, "PYTHONHASHSEED": "7"}
    text = subprocess.run([sys.executable, "-c", code], env=other, capture_output=True, check=True, text=True).stdout
    assert text == write_plan(make_plan(analyse("keep/game.py:Keep", base=SOURCES), 10, 30)) + "\n"


# ---- jax or rust ----


def suggested(tmp_path: Path, text: str) -> ModulePlan:
    (tmp_path / "env.py").write_text(text)
    return make_plan(analyse_python(tmp_path / "env.py", "Env"))


@pytest.mark.parametrize(
    ("text", "suggestion", "reason"),
    [
        ("class Env:\n    def reset(self): self.ram = bytearray(0x10000)\n    def step(self, a): self.ram[0] = a\n",
         "rust", "ram holds 65,536 elements"),
        ("class Env:\n    def reset(self): self.ram = [0] * 64\n    def step(self, a): self.ram[0] = a\n",
         "jax", "1 value changes from step to step, the largest array of 64 elements"),
        ("class Env:\n    def reset(self): self.x = 0\n    def step(self, a): return self.search(a)\n"
         "    def search(self, n): return self.search(n - 1)\n",
         "rust", "Env.search calls itself"),
        ("class Env:\n    def step(self, a):\n        while self.pc < 9:\n            self.go()\n    def go(self):\n"
         "        if self.pc == 0: self.pc = 1\n"
         + "".join(f"        elif self.pc == {i}: self.pc = 1\n" for i in range(1, 30)),
         "rust", "Env.go is an interpreter: it has 30 arms"),
        ("class Env:\n    def step(self, a):\n        for _ in range(4):\n            self.go()\n    def go(self):\n"
         "        if self.pc == 0: self.pc = 1\n"
         + "".join(f"        elif self.pc == {i}: self.pc = 1\n" for i in range(1, 30)),
         "jax", "small and fixed"),
    ],
)  # fmt: skip
def test_the_target_follows_from_the_shape(tmp_path, text, suggestion, reason):
    plan = suggested(tmp_path, text)
    assert plan.suggestion == suggestion
    assert reason in plan.reason


def test_memory_that_is_allocated_in_play_asks_for_rust(tmp_path):
    head = "typedef struct { int* x; } Env;\nvoid prepare(Env* e) { e->x = malloc(4); }\n"
    (tmp_path / "env.c").write_text(head + "void step(Env* e) { e->x[0] = 1; e->x = realloc(e->x, 8); }\n")
    assert make_plan(analyse_c([tmp_path / "env.c"])).suggestion == "rust"
    (tmp_path / "env.c").write_text(head + "void step(Env* e) { e->x[0] = 1; }\n")
    analysis = analyse_c([tmp_path / "env.c"])
    assert any(ALLOCATES in unit.flags for unit in analysis.units)
    assert make_plan(analysis).suggestion == "jax"


def test_the_largest_array_counts():
    memory = (FixedArray("game.py", 1, "small", 4), FixedArray("game.py", 2, "rom", 32768))
    assert make_plan(made({"reset": (5, []), "step": (5, [])}, memory=memory)).suggestion == "rust"


# ---- the text of a module ----


@pytest.fixture(scope="module")
def keep() -> Analysis:
    return analyse_python(SOURCES / "keep" / "game.py", "Keep")


def test_the_text_is_verbatim_with_what_is_used(keep):
    plan = make_plan(keep)
    text = source_of(plan.modules[-1], keep)
    source = (SOURCES / "keep" / "game.py").read_text().splitlines()
    step = keep.unit["keep/game.py:Keep.step"]
    assert "\n".join(source[step.first - 1 : step.last]) in text
    assert f"# lines {step.first}-{step.last}: Keep.step\n" in text
    assert "# ==== keep/game.py\n" in text
    assert "import numpy as np\n" in text
    assert "START = 4  # cards\n" in text
    assert "LIMIT = 50\n" in text  # of another file
    assert "    WAYS[room][0] = max(room - 1, 0)\n" in text
    assert "class Keep(Board):\n" in text
    assert "    rooms = ROOMS\n" in text
    assert "    # Begin again. The streak goes on.\n" in text
    for absent in ("UNUSED", "def render", "def close", "nobody_calls_this", "class Ghost"):
        assert absent not in text


def test_the_text_of_a_module_is_only_its_own(keep):
    plan = make_plan(keep, 5, 40)
    assert len(plan.modules) > 1
    texts = {module.name: source_of(module, keep) for module in plan.modules}
    for unit in keep.units:
        if not unit.parent:
            line = next(x for x in keep.text(unit.file).splitlines()[unit.first - 1 :] if f"def {unit.name}(" in x)
            holders = [m.name for m in plan.modules if unit.id in m.functions]
            marked = [name for name, text in texts.items() if f": {unit.qualified}\n" in text and line in text]
            assert marked == holders


def test_c_and_typescript_are_marked_in_their_own_way():
    analysis = analyse_c([SOURCES / "mill.h"])
    text = source_of(make_plan(analysis).modules[-1], analysis)
    assert "// ==== mill.h\n" in text
    assert "#define CELLS (WIDTH * 4)\n" in text
    assert "typedef struct mill {\n" in text
    assert "/* Called once,\n * before the first day. */\nvoid prepare(Mill* mill) {\n" in text
    assert "UNUSED" not in text
    assert "DrawText" not in text


def test_a_module_of_another_source_gets_a_sentence(keep):
    module = make_plan(made({"reset": (5, []), "step": (5, [])})).modules[0]
    with pytest.raises(
        PlanError, match=r"rules holds game\.py:reset, which no reset or step reaches; make the plan again"
    ):
        source_of(module, keep)
