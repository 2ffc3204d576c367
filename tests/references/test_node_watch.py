"""The middle of a step of games in JavaScript, and their calls."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from node_games import a_game, needs_node, play, same, with_draws

from envwright.core.errors import EnvwrightError
from envwright.references.node import NodeReference
from envwright.references.protocol import (
    Glimpse,
    Watchpoint,
)

pytestmark = needs_node

THROW = Watchpoint("throw", "roll", "this.state.turn += gained;")


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
