"""TypeScript and JavaScript, read and not run."""

from pathlib import Path

import pytest

from envwright.recipe.analyse.facts import JAVASCRIPT, SETS_UP, TYPESCRIPT, Analysis, AnalysisError
from envwright.recipe.analyse.typescript import analyse_typescript

SOURCES = Path(__file__).parent / "sources"
PIG = Path(__file__).parent.parent / "references" / "node_game" / "pig.js"


@pytest.fixture(scope="module")
def tavern() -> Analysis:
    return analyse_typescript([SOURCES / "tavern" / "index.ts"])


def analysed(tmp_path: Path, body: str, head: str = "") -> Analysis:
    text = f"{head}\nexport class Env {{\n  reset() {{ this.x = 0; }}\n  step(action) {{\n{body}\n  }}\n}}\n"
    (tmp_path / "env.ts").write_text(text)
    return analyse_typescript([tmp_path / "env.ts"])


def test_files_are_followed_through_imports_and_exports(tavern):
    assert {s.path: (s.language, s.imports) for s in tavern.sources} == {
        "dice.ts": (TYPESCRIPT, ()),
        "rooms.ts": (TYPESCRIPT, ()),
        "tavern.ts": (TYPESCRIPT, ("dice.ts", "rooms.ts")),
    }
    assert {unit.id for unit in tavern.units} == {
        "dice.ts:PRNG.constructor",
        "dice.ts:PRNG.next",
        "dice.ts:flip",
        "dice.ts:pour",
        "rooms.ts:price",
        "tavern.ts:House.open",
        "tavern.ts:Tavern.reset",
        "tavern.ts:Tavern.step",
        "tavern.ts:Tavern.level",
        "tavern.ts:Tavern.count",
        "tavern.ts:Tavern.clean",
    }


def test_calls_go_through_classes_getters_and_other_names(tavern):
    calls = {unit.qualified: {call.partition(":")[2] for call in unit.calls} for unit in tavern.units}
    assert calls["Tavern.reset"] == {"House.open"}  # super
    assert calls["House.open"] == {"Tavern.clean"}  # which is over House.clean
    assert {"flip", "pour", "price", "PRNG.next", "Tavern.level", "Tavern.count"} == calls["Tavern.step"]


def test_what_changes_is_known_with_who_changes_it(tavern):
    state = {name: [id.partition(":")[2] for id in ids] for name, ids in tavern.state}
    assert state == {
        "PRNG.seed": ["PRNG.next"],
        "board": ["Tavern.reset", "Tavern.clean"],
        "gold": ["House.open", "Tavern.step"],
        "guests.name": ["Tavern.step"],  # by another name, in a loop
        "mood": ["Tavern.reset", "Tavern.step"],
        "mugs": ["Tavern.reset", "Tavern.step"],  # by another name, and by a function it is handed to
        "tally": ["Tavern.step"],
        "tavern.visitors": ["Tavern.step"],
    }
    assert tavern.drawn == ("mood",)
    assert SETS_UP in tavern.unit["dice.ts:PRNG.constructor"].flags


def test_luck_has_its_places(tavern):
    assert [(s.file, s.line, s.what) for s in tavern.chance] == [
        ("dice.ts", 13, "Math.random"),
        ("tavern.ts", 45, "this.prng.next"),
    ]


def test_hazards_and_sizes(tavern):
    said = {h.sentence for h in tavern.hazards}
    assert "Tavern.count calls itself, directly or through others." in said
    assert any(s.startswith("flip draws from a generator that the whole program shares") for s in said)
    assert "tally is written by Tavern.step and not by a reset, so it survives an episode." in said
    assert not any("chalk" in s or "gold" in s for s in said)  # not reached; renewed
    assert [(m.name, m.count) for m in tavern.memory] == [("board", 384), ("board", 640)]


def test_what_functions_use_of_their_files_is_known(tavern):
    uses = set(tavern.unit["tavern.ts:Tavern.step"].uses)
    assert {"tavern.ts:visitors", "tavern.ts:toss", "tavern.ts:rooms", "tavern.ts:Tavern", "tavern.ts:House"} <= uses
    assert "dice.ts:SIDES" in {d.id for d in tavern.definitions}


def test_javascript_with_required_files(tmp_path):
    luck = "exports.roll = function () { return Math.random(); };\nexports.toss = () => Math.random();\n"
    (tmp_path / "luck.js").write_text(luck)
    (tmp_path / "game.js").write_text(
        "const { roll: throwDie } = require('./luck');\nconst all = require('./luck.js');\n"
        "module.exports = {\n  reset, step,\n};\nlet turn = 0;\n"
        "function reset() { turn = 0; }\nfunction step(a) { turn += throwDie(); return all.toss(); }\n"
    )
    found = analyse_typescript([tmp_path / "game.js"])
    assert found.entries == ("game.js:reset", "game.js:step")
    assert found.unit["game.js:step"].calls == ("luck.js:roll", "luck.js:toss")
    assert dict(found.state) == {"game.turn": ("game.js:reset", "game.js:step")}
    assert {source.language for source in found.sources} == {JAVASCRIPT}


def test_files_that_pass_everything_on_are_followed(tmp_path):
    (tmp_path / "luck.ts").write_text("export function roll(): number { return Math.random(); }\n")
    (tmp_path / "all.ts").write_text("export * from './luck';\n")
    (tmp_path / "game.ts").write_text("import { roll } from './all';\nexport function step() { return roll(); }\n")
    assert analyse_typescript([tmp_path / "game.ts"]).unit["game.ts:step"].calls == ("luck.ts:roll",)


def test_an_object_may_be_of_a_subclass(tmp_path):
    text = "class Foe { move() {} }\nclass Bat extends Foe { move() { this.x = 1; } }\n"
    (tmp_path / "game.ts").write_text(text + "export function step(foe: Foe) { foe.move(); }\n")
    calls = analyse_typescript([tmp_path / "game.ts"]).unit["game.ts:step"].calls
    assert calls == ("game.ts:Foe.move", "game.ts:Bat.move")


def test_a_game_of_ours_in_javascript():
    found = analyse_typescript([PIG])
    assert {unit.qualified for unit in found.units} >= {"Pig.reset", "Pig.step", "gain", "remembered", "isPair"}
    assert [site.line for site in found.chance] == [11, 15, 19]
    assert {"state.luck", "state.counts", "state.turnsLeft"} <= {name for name, _ in found.state}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("this.x = Date.now();", "Env.step reads the clock."),
        ("this.x = new Date();", "Env.step reads the clock."),
        ("fs.readFileSync('a');", "Env.step reads or writes files."),
        ("fetch('a');", "Env.step uses the network."),
        ("setTimeout(f, 3);", "Env.step runs code later."),
        ("document.title = document.createElement('a');", "Env.step calls document.createElement, which needs a"),
        ("this[action]();", "Env.step finds code by name at run time, which was not followed."),
        ("eval('1');", "Env.step finds code by name at run time, which was not followed."),
        ("this.x = = 3;", "Line 5 could not be understood, so what is there was not looked at."),
        ("this.x = lodash.pick(1);", "The package lodash is called, and its source was not looked at."),
    ],
)
def test_each_kind_of_hazard_is_named(tmp_path, body, said):
    found = analysed(tmp_path, body, "import lodash from 'lodash';\n" if "lodash" in body else "")
    assert said in "\n".join(hazard.sentence for hazard in found.hazards)


def test_a_plain_step_has_no_hazards(tmp_path):
    assert not analysed(tmp_path, "this.x += Math.floor(action) + [1, 2].length;").hazards


@pytest.mark.parametrize(
    "body",
    [
        "this.x++;",
        "this.x[0] = 1;",
        "this.x.push(1);",
        "delete this.x.a;",
        "[this.x] = [1];",
        "const y = this.x; y.a = 1;",
        "change(this.x);",
        "Object.assign(this.x, {});",
        "[1].forEach((i) => { this.x = i; });",
        "for (const y of this.x) y.a = 1;",
    ],
)
def test_every_way_to_change_a_member_is_seen(tmp_path, body):
    text = f"function change(a) {{ a.b = 1; }}\nclass Env {{\n  step() {{\n    {body}\n  }}\n}}\n"
    (tmp_path / "env.ts").write_text(text)
    names = [name.partition(".")[0] for name, _ in analyse_typescript([tmp_path / "env.ts"]).state]
    assert "x" in names


def test_what_is_only_read_is_no_state(tmp_path):
    found = analysed(tmp_path, "const y = this.limit; let z = [y]; z.push(1); this.x = Math.max(...z);")
    assert [name for name, _ in found.state] == ["x"]


def test_sources_without_an_entry_get_a_sentence(tmp_path):
    (tmp_path / "a.ts").write_text("export function play() {}\n")
    with pytest.raises(AnalysisError, match=r"a\.ts has no function whose name speaks of a reset or a step; name the"):
        analyse_typescript([tmp_path / "a.ts"])
    with pytest.raises(AnalysisError, match=r"a\.ts has no function go; it has play\."):
        analyse_typescript([tmp_path / "a.ts"], ["go"])
