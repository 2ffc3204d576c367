"""Games in JavaScript: what they are, their state, their functions."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest
from node_games import a_game, needs_node, same

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete
from envwright.references.node import NodeReference
from envwright.references.protocol import (
    Draw,
    Outcome,
    ReferenceFailedError,
    SnapshotError,
    Watchpoint,
)

pytestmark = needs_node


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


NIM = """
  spaces = { action: { discrete: 4 } };
  players = 2;
  actions() { const taken = this.state.n; return [0, 1].map((p) => (p === taken % 2 ? [1, 2, 3] : [0])); }
  acting() { return [0, 1].map((p) => p === this.state.n % 2); }
"""


def test_a_game_for_two_has_masks_and_rewards_of_each(tmp_path: Path) -> None:
    told = "{ obs: [[1], [2]], reward: p ? [-1, 1] : [1, -1], info: { got: action[p] } }"
    step = f"const p = this.state.n++ % 2; return {told};"
    with NodeReference(a_game(tmp_path, step, extra=NIM)) as game:
        assert game.players == 2
        outcome, rng = game.reset(0), np.random.default_rng(0)
        assert outcome.reward.tolist() == [0, 0]
        for turn in (0, 1, 0):
            assert outcome.legal is not None
            assert outcome.acting is not None
            assert outcome.legal[turn].tolist() == [False, True, True, True]
            assert outcome.legal[1 - turn].tolist() == [True, False, False, False]
            assert outcome.acting.tolist() == [turn == 0, turn == 1]
            assert same(game.legal(), outcome.legal)
            action = game.sample_action(rng)
            assert outcome.legal[[0, 1], action].all()
            outcome = game.step(action)
            assert outcome.info["got"] == action[turn]
            assert outcome.reward[turn] == 1


def test_a_game_for_two_with_one_reward_is_refused(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "return { obs: [0], reward: 1 };", extra=NIM)) as game:
        game.reset(0)
        with pytest.raises(ReferenceFailedError, match="the reward is 1, not 2 numbers, one a player"):
            game.step([1, 0])


def test_a_list_of_legal_actions_of_a_discrete_space_is_a_mask(tmp_path: Path) -> None:
    extra = "spaces = { action: { discrete: 3 } }; actions() { return this.state.n ? [2] : [0, 1]; }"
    with NodeReference(a_game(tmp_path, "this.state.n += 1;", extra=extra)) as game:
        legal = game.reset(0).legal, game.step(1).legal
        assert [None if mask is None else mask.tolist() for mask in legal] == [
            [True, True, False],
            [False, False, True],
        ]


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


# ---- functions ----


def test_calls_functions_and_methods(pig: NodeReference) -> None:
    pig.reset(0)
    assert pig.call("gain", [[3, 3]]) == 12
    assert pig.call("worth", [np.int32(3), 0.5]) == 1.5
    assert same(pig.call("remembered", [np.array([1, 2, 3], np.int32), 6]), np.array([6, 1, 2], np.int32))
    assert pig.call("observe", []) == [pig.look()["score"], 0, 8, 1, 0, 0, 0]
    with pytest.raises(EnvwrightError, match="has 'flop' neither in its functions nor as a method"):
        pig.call("flop", [])


def test_names_the_functions_it_can_call(pig: NodeReference) -> None:
    listed = ["gain", "worth", "warmed", "cooled", "remembered"]
    methods = ["roll", "hold", "bust", "endTurn", "observe"]
    assert pig.functions() == listed + methods
    assert set(pig.record_calls(pig.functions(), lambda: None)) == {*listed, *methods}
