"""Games in JavaScript, driven in a real Node process."""

import gc
import importlib.util
import json
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import numpy as np
import pytest

from envwright.core.errors import EnvwrightError, ReferenceUnavailableError
from envwright.core.record import field_names
from envwright.core.spaces import Box, Discrete
from envwright.references.node_process import NodeReference
from envwright.references.protocol import (
    Draw,
    Glimpse,
    Outcome,
    Reference,
    ReferenceFailedError,
    SnapshotError,
    TapeError,
    Watchpoint,
)

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not on PATH; install Node 18 or later.")

GAMES = Path(__file__).parent / "node_game"
THROW = Watchpoint("throw", "roll", "this.state.turn += gained;")


@pytest.fixture(scope="module")
def pig() -> Iterator[NodeReference]:
    with NodeReference(GAMES / "pig.js") as reference:
        yield reference


def a_game(folder: Path, step: str, state: str = "{ n: 0 }", extra: str = "", name: str = "toy.js") -> Path:
    """A game of one method; `step` starts on line 4."""
    script = folder / name
    script.write_text(f"""module.exports = class {{
  reset() {{ this.state = {state}; return {{ obs: [0] }}; }}
  step(action) {{
    {step}
    return {{ obs: [1] }};
  }}
  {extra}
}};
""")
    return script


def play(reference: Reference, seed: int, steps: int = 30) -> list[tuple[Outcome, dict[str, Any]]]:
    """An episode under random actions, and the state after each step."""
    rng = np.random.default_rng(seed)
    seen = [(reference.reset(seed), reference.look())]
    while len(seen) <= steps and not (seen[-1][0].terminated or seen[-1][0].truncated):
        outcome = reference.step(reference.sample_action(rng))
        seen.append((outcome, reference.look()))
    return seen


def same(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)  # the arrays are small, and -0.0 and NaN show


def with_draws(reference: Reference, action: int, count: int) -> Outcome:
    """A step that drew `count` times, found by trying seeds."""
    for seed in range(100):
        reference.reset(seed)
        outcome = reference.step(action)
        if len(outcome.draws) == count:
            return outcome
    raise AssertionError("no seed does")


# ---- what it is ----


def test_says_what_it_is(pig: NodeReference) -> None:
    facts = pig.provenance()
    assert facts["script"] == pig.name == "pig.js"
    assert facts["node"].startswith("v")
    assert len(facts["sha256"]) == 64
    assert pig.action_space == Discrete(3)
    assert pig.observation_shape == (7,)


def test_reads_a_box_and_samples_from_it(tmp_path: Path) -> None:
    spaces = "spaces = { action: { box: { low: [-1, 0], high: [1, 0.5], shape: [2] } } };"
    step = "return { obs: [0], info: { got: action, kind: action.constructor.name } };"
    with NodeReference(a_game(tmp_path, step, extra=spaces)) as game:
        box = Box((-1, 0), (1, 0.5), (2,))
        assert game.action_space == box
        assert game.observation_shape is None
        game.reset(0)
        action = game.sample_action(np.random.default_rng(0))
        assert box.contains(action)
        info = game.step(action).info
        assert same(info["got"], action)
        assert info["kind"] == "Float32Array"


def test_samples_from_the_legal_actions_where_the_game_lists_them(tmp_path: Path) -> None:
    extra = "actions() { return ['move 1', `switch ${this.state.n}`]; }"
    with NodeReference(a_game(tmp_path, "this.state.n += 1;", extra=extra)) as game:
        assert game.action_space is None
        game.reset(0)
        game.step("move 1")
        rng = np.random.default_rng(0)
        assert {game.sample_action(rng) for _ in range(20)} == {"move 1", "switch 1"}


def test_refuses_an_action_space_it_cannot_read(tmp_path: Path) -> None:
    with pytest.raises(ReferenceFailedError, match=r"has the action space \{'dice': 2\}; write"):
        NodeReference(a_game(tmp_path, "", extra="spaces = { action: { dice: 2 } };"))


@pytest.mark.parametrize(
    "source",
    [
        "module.exports = { state: { n: 0 }, reset() { return { obs: 0 }; }, step() { return { obs: 1 }; } };",
        "module.exports = () => ({ state: { n: 0 }, reset() { return { obs: 0 }; }, step: () => ({ obs: 1 }) });",
        "function G() { this.state = { n: 0 }; } module.exports = G;"
        "G.prototype.reset = function () { return { obs: 0 }; }; G.prototype.step = () => ({ obs: 1 });",
        "module.exports = { state: { n: 0 }, reset: async () => ({ obs: 0 }), step: async () => ({ obs: 1 }) };",
    ],
    ids=["object", "function", "constructor", "async"],
)
def test_takes_a_game_in_any_common_form(tmp_path: Path, source: str) -> None:
    (tmp_path / "form.js").write_text(source)
    with NodeReference(tmp_path / "form.js") as game:
        assert game.reset(0).obs == 0
        assert game.step(0) == Outcome(1, 0.0, False, False, {}, ())


def test_takes_an_ecmascript_module(tmp_path: Path) -> None:
    (tmp_path / "modern.mjs").write_text("""
export default class {
  reset() { this.state = { n: 0 }; return { obs: 0 }; }
  step(by) {
    const luck = Math.random();
    this.state.n += by;
    return { obs: luck };
  }
}
""")
    with NodeReference(tmp_path / "modern.mjs") as game:
        game.reset(0)
        [glimpse], outcome = game.watch([Watchpoint("mid", "step", "this.state.n += by;")], 3)
        assert glimpse.names == {"n": 0, "by": 3, "luck": outcome.obs}
        assert outcome.draws == (Draw("modern.mjs:5 step", "Math.random", outcome.obs),)


# ---- luck ----


def test_a_seed_gives_the_same_game_in_this_process_and_in_another(pig: NodeReference) -> None:
    first = play(pig, 7)
    play(pig, 8)
    assert same(play(pig, 7), first)
    assert not same(play(pig, 8)[0], first[0])
    with NodeReference(GAMES / "pig.js") as other:
        assert same(play(other, 7), first)


def test_seeds_beyond_32_bits_count_and_luck_is_even(pig: NodeReference) -> None:
    seeds = [*range(150), *(2**32 * n for n in range(1, 150)), 2**52]
    values = [draw.value for seed in seeds for draw in pig.reset(seed).draws]
    assert len(set(values)) == len(values) == 300
    assert abs(np.mean(values) - 0.5) < 0.06
    assert np.min(np.bincount((np.array(values) * 4).astype(int))) > 50


def test_without_a_seed_the_generator_goes_on(pig: NodeReference) -> None:
    def two() -> list[tuple[Draw, ...]]:
        return [pig.reset(5).draws, pig.reset().draws]

    first = two()
    assert first == two()
    assert first[0] != first[1]


def test_draws_name_the_line_and_the_function_that_asked(pig: NodeReference) -> None:
    assert [draw.site for draw in pig.reset(0).draws] == ["pig.js:11 headStart"]
    outcome = with_draws(pig, 2, 3)
    assert [draw.site for draw in outcome.draws] == ["pig.js:15 throwDie", "pig.js:15 throwDie", "pig.js:19 flip"]
    assert {draw.method for draw in outcome.draws} == {"Math.random"}


def test_a_draw_in_a_callback_goes_by_the_function_around_it(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "[1].map(() => Math.random());")) as game:
        game.reset(0)
        assert [draw.site for draw in game.step(0).draws] == ["toy.js:4 step"]


def test_a_tape_replays_a_game_under_another_seed(pig: NodeReference) -> None:
    rng = np.random.default_rng(3)
    pig.reset(3)
    actions = [int(rng.integers(3)) for _ in range(10)]
    start, steps = pig.reset(3), [pig.step(action) for action in actions]
    end = pig.look()
    assert pig.reset(99, tape=start.draws) == start
    assert [pig.step(action, tape=step.draws) for action, step in zip(actions, steps, strict=True)] == steps
    assert same(pig.look(), end)


def test_a_tape_may_be_edited(pig: NodeReference) -> None:
    start = pig.reset(0)
    pig.reset(tape=[start.draws[0]._replace(value=0.75)])
    assert pig.look()["score"] == 3


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda draws: draws[:2], "has 2 draws, and pig.js:19 flip asks for one more"),
        (lambda draws: [*draws, draws[2]], "has 1 draws too many, the first for pig.js:19 flip"),
        (lambda draws: [draws[2], *draws[1:]], "draw 0 of the tape is Math.random for pig.js:19 flip, but pig.js:15"),
        (lambda draws: [draws[0]._replace(method="choice"), *draws[1:]], "is choice for .* asks for Math.random"),
        (lambda draws: [draws[0]._replace(value=1), *draws[1:]], "which Math.random at pig.js:15 throwDie never gives"),
    ],
    ids=["short", "long", "another function", "another method", "impossible value"],
)
def test_a_tape_that_does_not_fit_is_refused(pig: NodeReference, edit: Any, sentence: str) -> None:
    draws = with_draws(pig, 2, 3).draws
    pig.reset(0)
    with pytest.raises(TapeError, match=sentence):
        pig.step(2, tape=edit(draws))
    assert pig.reset(0).draws  # and it goes on


def test_a_tape_that_does_not_fit_is_refused_even_if_the_game_catches_the_error(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "try { Math.random(); } catch { this.state.n = 1; }")) as game:
        game.reset(0)
        with pytest.raises(TapeError, match="asks for one more"):
            game.step(0, tape=[])


def test_records_a_generator_of_the_games_own(tmp_path: Path) -> None:
    (tmp_path / "own.js").write_text("""
class Prng {
  constructor(seed) { this.seed = seed; }
  next(n) { this.seed = (this.seed * 5 + 1) % 65536; return this.seed % n; }
  chance(p, q) { return this.next(q) < p; }
}
class Game {
  get state() { return { seed: this.prng.seed, hits: this.hits }; }
  set state(given) { this.prng.seed = given.seed; this.hits = given.hits; }
  reset(seed) { this.prng = new Prng(seed); this.hits = 0; return { obs: [0] }; }
  step() { this.hits += this.attack(); return { obs: [this.hits] }; }
  attack() { return this.prng.chance(1, 2) ? 1 : 0; }
}
module.exports = (host) => {
  host.record(Prng.prototype, 'next', { through: ['chance'] });
  return new Game();
};
""")
    with NodeReference(tmp_path / "own.js") as game:
        game.reset(3)
        before = game.snapshot()
        outcome = game.step(0)
        assert outcome.draws == (Draw("own.js:12 attack", "next", 0),)
        after = game.snapshot()
        assert after == {"seed": 16, "hits": 1}
        game.restore(before)
        game.step(0, tape=outcome.draws)
        assert game.snapshot() == after  # its generator moved on as well
        game.restore({"seed": 4})
        assert game.snapshot() == {"seed": 4, "hits": 1}
        assert game.step(0, tape=[Draw("own.js:0 attack", "next", 1)]).obs == [1]


def test_of_recorded_methods_that_use_each_other_the_outer_one_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "nested.js").write_text("""
const dice = { one() { return Math.floor(Math.random() * 6); }, two() { return [this.one(), this.one()]; } };
module.exports = (host) => {
  host.record(dice, 'one');
  host.record(dice, 'two');
  return { state: {}, reset: () => ({ obs: 0 }), step: (both) => ({ obs: both ? dice.two() : dice.one() }) };
};
""")
    with NodeReference(tmp_path / "nested.js") as game:
        game.reset(0)
        both, one = game.step(True), game.step(False)
        assert [(draw.method, draw.value) for draw in both.draws + one.draws] == [("two", both.obs), ("one", one.obs)]
        assert game.step(True, tape=both.draws) == both


# ---- state ----


def test_a_snapshot_put_back_leads_to_the_same_future(pig: NodeReference) -> None:
    pig.reset(4)
    pig.step(1)
    kept = pig.snapshot()
    steps = [pig.step(2) for _ in range(4)]
    end = pig.snapshot()
    pig.restore(kept)
    assert same(pig.snapshot(), kept)
    assert [pig.step(2, tape=step.draws) for step in steps] == steps
    assert same(pig.snapshot(), end)


def test_a_snapshot_may_be_edited_and_put_back_in_part(pig: NodeReference) -> None:
    pig.reset(4)
    before = pig.snapshot()
    pig.restore({"turn": np.int64(20), "luck": 1.5})
    assert same(pig.snapshot(), before | {"turn": 20, "luck": 1.5})
    assert pig.step(0).reward == 30.0


def test_lists_and_arrays_stand_for_each_other(pig: NodeReference) -> None:
    pig.reset(4)
    pig.restore({"counts": np.arange(6, dtype=np.int32), "recent": [3, 4, 5]})
    after = pig.snapshot()
    assert after["counts"] == [0, 1, 2, 3, 4, 5]
    assert same(after["recent"], np.array([3, 4, 5], np.int32))
    pig.restore({"recent": jax.numpy.ones(3)})
    assert same(pig.snapshot()["recent"], np.ones(3, np.int32))


def test_a_snapshot_is_a_copy(pig: NodeReference) -> None:
    pig.reset(4)
    kept = pig.snapshot()
    text = repr(kept)
    pig.step(1)
    assert repr(kept) == text
    now = pig.look()
    kept["recent"][0] += 1
    kept["counts"][0] += 1
    assert same(pig.look(), now)


def test_what_json_lacks_survives(tmp_path: Path) -> None:
    state = """{ nan: NaN, up: Infinity, down: -Infinity, zero: -0, none: null, missing: undefined, big: 2n ** 70n,
      map: new Map([[1, [NaN]], ['two', new Set([1, 2])]]), f32: Float32Array.of(0.1, NaN, -0), u8: new Uint8Array(0),
      part: new Int16Array(Int16Array.of(1, 2, 3).buffer, 2, 1), odd: { $: 'map', deep: [{ a: undefined }] },
      text: 'é\\u2028"\\n', third: 1 / 3, tiny: 5e-324 }"""
    checks = """const s = this.state, is = Object.is;
    const deep = s.odd.deep[0], map = s.map;
    this.state.ok = [is(s.nan, NaN), s.up === Infinity, s.down === -Infinity, is(s.zero, -0), s.none === null,
      'missing' in s && s.missing === undefined, s.big === 2n ** 70n, is(map.get(1)[0], NaN), map.get('two').has(2),
      map.size === 2, s.f32 instanceof Float32Array, is(s.f32[2], -0), s.f32[0] === Math.fround(0.1), s.u8.length === 0,
      s.part instanceof Int16Array && s.part[0] === 2 && s.part.length === 1, s.odd.$ === 'map',
      'a' in deep && deep.a === undefined, s.text === 'é\\u2028"\\n', s.third === 1 / 3, s.tiny === 5e-324];"""
    script = a_game(tmp_path, checks, state=state.replace("{", "{ ok: [],", 1))
    with NodeReference(script) as game:
        game.reset(0)
        kept = game.snapshot()
        seen = game.look()
        game.restore(kept)
        assert same(game.snapshot(), kept)
        game.step(0)
        assert game.look()["ok"] == [True] * 20
    assert seen["missing"] is None
    assert seen["big"] == 2**70
    assert same(seen["map"], {1: [np.nan], "two": [1, 2]})
    assert seen["odd"] == {"$": "map", "deep": [{"a": None}]}
    assert same(seen["zero"], -0.0)
    assert same(seen["f32"], np.array([0.1, np.nan, -0.0], np.float32))
    plain = {name: value for name, value in kept.items() if not isinstance(value, np.ndarray)}
    assert same(json.loads(json.dumps(plain)), plain)


def test_constants_are_looked_at_but_not_kept(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "", extra="constants = { target: 60 };")) as game:
        game.reset(0)
        assert game.look() == {"target": 60, "n": 0}
        assert game.snapshot() == {"n": 0}


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("{ deep: { go: () => 1 } }", "state.deep.go is a function, which cannot be copied; keep plain data"),
        ("{ when: new Date(0) }", "state.when is a Date"),
        ("(() => { const a = [1]; return { a, b: [a] }; })()", r"state.b\[0\] is the same object as state.a"),
        ("(() => { const a = []; a.push(a); return { a }; })()", r"state.a\[0\] is the same object as state.a"),
    ],
    ids=["function", "instance", "shared", "cycle"],
)
def test_what_cannot_be_copied_is_named(tmp_path: Path, state: str, sentence: str) -> None:
    with NodeReference(a_game(tmp_path, "", state=state)) as game:
        game.reset(0)
        with pytest.raises(SnapshotError, match=sentence):
            game.snapshot()


def test_a_name_that_comes_later_is_refused(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "this.state.late = 1;")) as game:
        game.reset(0)
        game.step(0)
        with pytest.raises(SnapshotError, match=r"state\.late comes and goes"):
            game.snapshot()


def test_an_unknown_name_is_not_put_back(pig: NodeReference) -> None:
    pig.reset(0)
    with pytest.raises(SnapshotError, match="no 'scroe' to restore"):
        pig.restore({"scroe": 1})


def test_a_state_that_cannot_be_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sealed.js").write_text(
        "module.exports = { get state() { return { n: 1 }; }, reset: () => ({ obs: 0 }), step: () => ({ obs: 0 }) };"
    )
    with NodeReference(tmp_path / "sealed.js") as game:
        game.reset(0)
        with pytest.raises(SnapshotError, match="a getter but no setter"):
            game.restore({"n": 2})


# ---- functions, phases ----


def test_calls_functions_and_methods(pig: NodeReference) -> None:
    pig.reset(0)
    assert pig.call("gain", [[3, 3]]) == 12
    assert pig.call("worth", [np.int32(3), 0.5]) == 1.5
    assert same(pig.call("remembered", [np.array([1, 2, 3], np.int32), 6]), np.array([6, 1, 2], np.int32))
    assert pig.call("observe", []) == [pig.look()["score"], 0, 8, 1, 0, 0, 0]
    with pytest.raises(EnvwrightError, match="has 'flop' neither in its functions nor as a method"):
        pig.call("flop", [])


def test_watches_the_middle_of_a_step(pig: NodeReference) -> None:
    outcome = with_draws(pig, 2, 3)
    after = pig.look()
    start = pig.reset(0)
    [glimpse], seen = pig.watch([THROW], 2, tape=outcome.draws)
    faces = [1 + int(draw.value * 6) for draw in outcome.draws[:2]]
    assert glimpse.phase == "throw"
    assert glimpse.names["faces"] == faces
    assert glimpse.names["gained"] == 4 * faces[0]
    assert glimpse.names["turn"] == 0  # not yet added
    assert glimpse.names["clock"] == 1
    assert same(glimpse.names["recent"], np.array([faces[1], faces[0], 0], np.int32))
    assert seen.draws == outcome.draws
    assert seen.reward == outcome.reward
    assert same(pig.look(), after | {"score": int(start.draws[0].value * 4)})


def test_a_point_not_passed_is_not_seen_and_one_passed_twice_is_seen_twice(pig: NodeReference) -> None:
    inside = Watchpoint("die", "roll", "this.state.counts[face - 1] += 1;")
    back = Watchpoint("back", "roll")
    pig.reset(0)
    assert pig.watch([THROW, inside, back], 0)[0] == []
    glimpses, _ = pig.watch([inside, back], 2)
    assert [glimpse.phase for glimpse in glimpses] == ["die", "die", "back"]
    faces = glimpses[-1].names["faces"]
    assert [glimpse.names["face"] for glimpse in glimpses[:2]] == faces
    assert sum(glimpses[1].names["counts"]) == 1
    assert [glimpse.phase for glimpse in glimpses_of_gain(pig)] == ["gain"]  # not the returns of what it calls with
    assert glimpses[-1].names["thrown"] == 2


def glimpses_of_gain(pig: NodeReference) -> list[Glimpse]:
    draws = with_draws(pig, 2, 3).draws
    pig.reset(0)
    return pig.watch([Watchpoint("gain", "gain")], 2, tape=draws)[0]


def test_watching_changes_nothing(pig: NodeReference) -> None:
    points = [THROW, Watchpoint("end", "step"), Watchpoint("end2", "step"), Watchpoint("kept", "remembered")]
    plain = play(pig, 12)
    rng = np.random.default_rng(12)
    watched = [(pig.reset(12), pig.look())]
    for _ in plain[1:]:
        glimpses, outcome = pig.watch(points, pig.sample_action(rng))
        assert [glimpse.phase for glimpse in glimpses][-2:] == ["end", "end2"]
        watched.append((outcome, pig.look()))
    assert same(watched, plain)


def test_counts_occurrences_of_a_line_in_the_function(tmp_path: Path) -> None:
    step = "let m = 1;\n    bump(this.state);\n    m = 2;\n    bump(this.state);\n    later();"
    extra = "other() {\n    bump(this.state);\n  }"
    script = a_game(tmp_path, step, extra=extra)
    script.write_text(f"{script.read_text()}function bump(s) {{ s.n += 1; }}\nfunction later() {{}}\n")
    with NodeReference(script) as game:
        game.reset(0)
        points = [Watchpoint(str(n), "step", "bump(this.state);", n) for n in (1, 2)]
        glimpses, _ = game.watch(points, 0)
        assert [(g.phase, g.names["n"], g.names["m"]) for g in glimpses] == [("1", 0, 1), ("2", 1, 2)]
        with pytest.raises(EnvwrightError, match=r"toy.js has no line number 3 'bump.*' in step of toy.js"):
            game.watch([Watchpoint("3", "step", "bump(this.state);", 3)], 0)
        with pytest.raises(EnvwrightError, match="has no function 'stepp'; for one"):
            game.watch([Watchpoint("x", "stepp")], 0)
        assert game.watch([Watchpoint("empty", "later")], 0)[0][0].names == {"n": 4, "result": None}


def test_tells_functions_of_the_same_text_apart(tmp_path: Path) -> None:
    method = "hit(n) {\n    n += 1;\n    return n;\n  }"
    script = a_game(tmp_path, "this.state.n = this.hit(action);", extra=method)
    script.write_text(f"class Unused {{\n  {method}\n}}\n{script.read_text()}new Unused();\n")
    with NodeReference(script) as game:
        game.reset(0)
        glimpses, _ = game.watch([Watchpoint("hit", "hit", "n += 1;"), Watchpoint("back", "hit")], 5)
        assert [(glimpse.phase, glimpse.names["n"]) for glimpse in glimpses] == [("hit", 5), ("back", 6)]
        assert glimpses[1].names["result"] == 6
        assert same(game.watch([Watchpoint("back", "hit")], -np.inf)[0][0].names["result"], -np.inf)


def test_a_local_without_a_value_yet_does_not_hide_the_state(tmp_path: Path) -> None:
    step = "this.state.n += 1;\n    const n = 50;\n    this.state.n += n;"
    with NodeReference(a_game(tmp_path, step)) as game:
        game.reset(0)
        points = [Watchpoint("a", "step", "this.state.n += 1;"), Watchpoint("b", "step", "this.state.n += n;")]
        glimpses, _ = game.watch(points, 0)
        assert [glimpse.names["n"] for glimpse in glimpses] == [0, 50]


def test_watches_lines_in_callbacks_and_states_behind_getters(tmp_path: Path) -> None:
    (tmp_path / "veiled.js").write_text("""
let total = 0;
function read() {
  return { total };
}
module.exports = {
  get state() { return read(); },
  set state(given) { total = given.total; },
  reset() { total = 0; return { obs: 0 }; },
  step(action) {
    const bonus = 10;
    [1, 2].forEach((face) => {
      total += face * action + bonus;
    });
    return { obs: read().total };
  },
};
""")
    with NodeReference(tmp_path / "veiled.js") as game:
        game.reset(0)
        points = [Watchpoint("in", "step", "total += face * action + bonus;"), Watchpoint("read", "read")]
        glimpses, outcome = game.watch(points, 3)
        assert [(glimpse.phase, dict(glimpse.names)) for glimpse in glimpses] == [
            ("in", {"total": 0, "face": 1, "action": 3, "bonus": 10}),
            ("in", {"total": 13, "face": 2, "action": 3, "bonus": 10}),
            (
                "read",
                {"total": 29, "result": {"total": 29}},
            ),  # once: reading the state for a glimpse is not part of the step
        ]
        assert outcome.obs == 29


def test_records_what_functions_are_called_with(pig: NodeReference) -> None:
    def episodes() -> None:
        for seed in range(5):
            play(pig, seed)

    calls = pig.record_calls(["gain", "worth", "isPair", "roll"], episodes)
    assert {name: set(call) for name, [call, *_] in calls.items()} == {
        "gain": {"faces"},
        "worth": {"turn", "luck"},
        "isPair": {"faces"},  # not exported
        "roll": {"dice"},
    }
    assert sorted(call["dice"] for call in calls["roll"]) == [1, 2]  # each once
    assert len(calls["gain"]) > 10
    assert all(1 not in call["faces"] for call in calls["gain"])
    assert any(call["luck"] != 1 for call in calls["worth"])
    unwatched = pig.record_calls(["gain"], lambda: None)
    assert unwatched == {"gain": []}


def test_records_calls_around_a_watched_step(pig: NodeReference) -> None:
    pig.reset(1)
    draws = with_draws(pig, 2, 3).draws
    seen: list[Any] = []
    point = Watchpoint("sum", "gain", "const sum = faces.reduce((a, b) => a + b, 0);")  # where gain begins, too
    calls = pig.record_calls(["gain"], lambda: seen.extend(pig.watch([point], 2, tape=draws)[0]))
    assert calls["gain"] == [{"faces": seen[0].names["faces"]}]


def test_reads_argument_names_however_they_are_written(tmp_path: Path) -> None:
    script = a_game(tmp_path, "one(1); two(2); three(3, 4, 5); four({ a: 6 }, 7); this.five(8);", extra="five(e) {}")
    source = """
const one = x => x + 1;
const two = async (y) => y;
function three(a /* , no */, b = [1, (2)], ...rest) { return a; }
function four({ a }, c) { return a + c; }
"""
    script.write_text(script.read_text() + source)
    with NodeReference(script) as game:
        game.reset(0)
        calls = game.record_calls(["one", "two", "three", "four", "five"], lambda: game.step(0) and None)
    assert calls == {
        "one": [{"x": 1}],
        "two": [{"y": 2}],
        "three": [{"a": 3, "b": 4, "rest": [5]}],
        "four": [{"c": 7}],
        "five": [{"e": 8}],
    }


# ---- trouble ----


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
        before = time.monotonic()
        with pytest.raises(ReferenceFailedError, match=r"toy\.js gave no answer for 1 s and was killed during step"):
            game.step(1)
        assert time.monotonic() - before < 5
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
        NodeReference(GAMES / "pig.js", node="nodule")


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
    forgotten = NodeReference(GAMES / "pig.js")
    del forgotten
    gc.collect()
    assert children() <= before


@pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc.")
def test_a_hung_game_does_not_outlive_a_killed_python(tmp_path: Path) -> None:
    script = a_game(tmp_path, "for (;;) {}")
    code = f"""
from pathlib import Path
from envwright.references.node_process import NodeReference
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


# ---- a candidate ----


def load_candidate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pig_candidate", GAMES / "pig_candidate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def chance_of(expressions: dict[str, str], draws: tuple[Draw, ...]) -> dict[str, Any]:
    """The candidate's luck, by the contract's expressions."""
    names = {
        "draws": lambda function: [draw.value for draw in draws if draw.site.split()[-1] == function],
        "pad": lambda values, n, fill=0: [*values, *[fill] * (n - len(values))],
    }
    return {name: np.asarray(eval(text, names), np.int32) for name, text in expressions.items()}


def test_the_candidate_replays_200_episodes_exactly(pig: NodeReference) -> None:
    contract = tomllib.loads((GAMES / "pig.toml").read_text())
    module = load_candidate()
    env, params = module.Pig(), module.Params()
    assert set(contract["state"]) == set(field_names(module.State))
    [phase] = contract["phase"]
    point = Watchpoint(phase["name"], phase["function"], phase["line"])

    @jax.jit
    def replay(first: Any, actions: Any, lucks: Any) -> Any:
        def one(state: Any, given: Any) -> Any:
            step = env.apply(state, *given, params)
            return step.state, (step, env.phases(state, *given, params))

        obs, state = env.start(first, params)
        return (obs, state), jax.lax.scan(one, state, (actions, lucks))[1]

    def check(ours: Any, at: int | tuple[()], outcome: Outcome, seen: dict[str, Any], where: str) -> None:
        for field, name in contract["state"].items():
            assert np.array_equal(getattr(ours[1], field)[at], seen[name]), f"{field} {where}"
        assert np.array_equal(ours[0][at], outcome.obs), where

    ends, steps, thrown = set(), 0, 0
    habits = [0.1, 0.3, 0.6], [0.05, 0.9, 0.05], [0.3, 0.7, 0.0]
    for seed in range(200):
        rng = np.random.default_rng(seed)
        start = outcome = pig.reset(seed)
        begun, rows = pig.look(), list[tuple[int, list[Glimpse], Outcome, dict[str, Any]]]()
        while not (outcome.terminated or outcome.truncated):
            action = int(rng.choice(3, p=habits[seed % 3]))
            glimpses, outcome = pig.watch([point], action) if seed < 10 else ([], pig.step(action))
            rows.append((action, glimpses, outcome, pig.look()))
        padded = [*rows, *[rows[-1]] * (module.LIMIT - len(rows))]
        lucks = [module.Luck(**chance_of(contract["chance"]["step"], row[2].draws)) for row in padded]
        first = chance_of(contract["chance"]["start"], start.draws)["value"]
        actions = np.array([row[0] for row in padded], np.int32)
        initial, (ours, phases) = jax.device_get(replay(first, actions, jax.tree.map(lambda *x: np.stack(x), *lucks)))
        check(initial, (), start, begun, f"after reset {seed}")
        for t, (_, glimpses, outcome, seen) in enumerate(rows):
            check(ours, t, outcome, seen, f"in episode {seed} after step {t}")
            assert (ours.reward[t], ours.terminated[t], ours.truncated[t]) == outcome[1:4]
            for glimpse in glimpses:
                for name, value in phases[glimpse.phase].items():
                    assert np.array_equal(value[t], glimpse.names[phase["values"][name]]), name
            thrown += len(glimpses)
        steps += len(rows)
        ends.add((outcome.terminated, outcome.truncated, rows[-1][3]["score"] >= 60))
    assert steps > 2000
    assert thrown > 50
    assert {(True, False, False), (True, False, True), (False, True, False)} <= ends


def test_the_contracts_functions_agree_on_what_they_are_called_with(pig: NodeReference) -> None:
    contract = tomllib.loads((GAMES / "pig.toml").read_text())
    module = load_candidate()
    names = [function["reference"] for function in contract["function"]]

    def episodes() -> None:
        for seed in range(4):
            play(pig, seed)

    calls = pig.record_calls(names, episodes)
    dtypes = {"luck": np.float32}
    for function in contract["function"]:
        name = function["reference"]
        assert len(calls[name]) > 5
        for call in calls[name]:
            given = {key: np.asarray(value, dtypes.get(key, np.int32)) for key, value in call.items()}
            if "faces" in given:
                given["faces"] = np.pad(given["faces"], (0, 2 - len(given["faces"])))
            ours = getattr(module, function["candidate"])(*map(jax.numpy.asarray, given.values()))
            np.testing.assert_array_equal(ours, np.asarray(pig.call(name, list(call.values()))), err_msg=name)
