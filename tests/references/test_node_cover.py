"""Which lines and branches of a game in JavaScript have run."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from node_games import a_game, needs_node, play, same, with_draws

from envwright.references.node import NodeReference
from envwright.references.protocol import Covered, Draw, ReferenceFailedError, Watchpoint

pytestmark = needs_node

BUST = "pig.js:75 return this.bust();"


def covered_by(game: NodeReference, run: Callable[[], object]) -> Covered:
    with game.covering() as covered:
        run()
    return covered


def throw(*faces: int) -> list[Draw]:
    return [Draw("pig.js:15 throwDie", "Math.random", (face - 0.5) / 6) for face in faces]


def test_a_branch_never_played_is_missing_and_one_that_is_played_is_not(pig: NodeReference) -> None:
    pig.reset(0)
    held = covered_by(pig, lambda: pig.step(0))
    assert held.missing == ("pig.js:62 : this.roll(action)",)
    rolled = covered_by(pig, lambda: pig.step(1, tape=throw(3)))
    assert {"pig.js:62 ? this.hold()", "pig.js:27 ? 2 * sum", BUST} <= set(rolled.missing)
    assert rolled.branches < rolled.branches_possible
    both = covered_by(pig, lambda: (pig.step(1, tape=throw(3)), pig.step(1, tape=throw(1)), pig.step(0)))
    assert not {"pig.js:62 ? this.hold()", "pig.js:62 : this.roll(action)", BUST} & set(both.missing)
    assert "pig.js:27 ? 2 * sum" in both.missing


def test_many_games_leave_nothing_out(pig: NodeReference) -> None:
    covered = covered_by(pig, lambda: [play(pig, seed) for seed in range(10)])
    assert covered.report() == {
        "lines": [covered.lines] * 2,
        "branches": [covered.branches] * 2,
        "missing": [],
    }
    assert covered.lines > 30
    assert covered.branches > 8


def test_only_functions_that_were_entered_count(pig: NodeReference) -> None:
    pig.reset(0)
    assert covered_by(pig, lambda: None) == Covered()
    assert covered_by(pig, lambda: pig.call("worth", [3, 0.5])) == Covered(lines=1, lines_possible=1)
    remembering = covered_by(pig, lambda: pig.call("remembered", [[1, 2, 3], 4]))
    assert remembering == Covered(lines=1, lines_possible=1)


def test_lines_of_all_kinds_are_told(tmp_path: Path) -> None:
    extra = """kind(n) {
    switch (n) {
      case 0:
        return 'none';
      default: {
        const kinds = ['few', 'many'];
        return n > 9 ? kinds[1]
          : kinds[0];
      }
    }
  }
  async later(n) {
    await null;
    try {
      if (n > 5) {
        throw new Error('much');
      }
    } catch (error) {
      return error.message;
    }
    const unused = () => {
      return 5;
    };
    return null; // and no more
  }"""
    script = a_game(tmp_path, "this.kind(action); return { obs: await this.later(action) };", extra=extra)
    script.write_text(script.read_text().replace("  step(", "  async step("))
    with NodeReference(script) as game:
        game.reset(0)
        none = covered_by(game, lambda: game.step(0))
        many = covered_by(game, lambda: game.step(10))
        all_three = covered_by(game, lambda: [game.step(n) for n in (0, 1, 10)])
    end = "toy.js:5 return { obs: [1] };"
    assert none.missing == (
        end,
        "toy.js:12 const kinds = ['few', 'many'];",
        "toy.js:13 return n > 9 ? kinds[1]",
        "toy.js:14 : kinds[0];",
        "toy.js:22 throw new Error('much');",
        "toy.js:25 return error.message;",
    )
    assert many.missing == (
        end,
        "toy.js:10 return 'none';",
        "toy.js:14 : kinds[0]",
        "toy.js:27 const unused = () => {",
        "toy.js:30 return null; // and no more",
    )
    assert all_three.missing == (end,)
    assert all_three.lines == all_three.lines_possible == 12


def test_an_ecmascript_module_is_counted_too(tmp_path: Path) -> None:
    (tmp_path / "modern.mjs").write_text("""
export default class {
  reset() { this.state = { n: 0 }; return { obs: 0 }; }
  step(by) {
    if (by > 1)
      this.state.n += by;
    return { obs: 1 };
  }
}
""")
    with NodeReference(tmp_path / "modern.mjs") as game:
        game.reset(0)
        missing = "modern.mjs:6 this.state.n += by;"
        assert covered_by(game, lambda: game.step(1)) == Covered(2, 3, 0, 1, (missing,))
        assert covered_by(game, lambda: (game.step(1), game.step(2))) == Covered(3, 3, 1, 1)


def test_the_game_goes_on_as_if_nothing_was_counted(pig: NodeReference) -> None:
    def episode(counting: bool) -> list[object]:
        rng = np.random.default_rng(1)
        seen: list[object] = [pig.reset(6), pig.step(1)]
        if counting:
            with pig.covering():
                seen += [pig.look(), pig.step(pig.sample_action(rng)), pig.step(2)]
        else:
            seen += [pig.look(), pig.step(pig.sample_action(rng)), pig.step(2)]
        return [*seen, pig.snapshot(), pig.step(2), pig.look(), pig.reset(), pig.step(1)]

    assert same(episode(counting=True), episode(counting=False))


def test_watching_and_recording_go_on_while_counted(pig: NodeReference) -> None:
    point = Watchpoint("throw", "roll", "this.state.turn += gained;")
    draws = with_draws(pig, 2, 3).draws
    pig.reset(0)
    before = pig.snapshot()

    def watched() -> object:
        seen: list[object] = []
        pig.restore(before)
        calls = pig.record_calls(["gain", "roll"], lambda: seen.append(pig.watch([point], 2, tape=draws)))
        return seen, calls

    def plain() -> None:
        pig.restore(before)
        pig.step(2, tape=draws)

    with pig.covering() as covered:
        counted = watched()
    assert same(counted, watched())
    assert covered == covered_by(pig, plain)
    assert BUST in covered.missing


def test_counting_cannot_be_nested(pig: NodeReference) -> None:
    with pig.covering(), pytest.raises(ReferenceFailedError, match=r"pig\.js is being covered already"), pig.covering():
        pass
    pig.reset(0)
    assert covered_by(pig, lambda: pig.step(0)).lines > 0


def test_a_crash_does_not_end_the_counting(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "if (action) process.exit(1);")) as game:
        game.reset(0)
        with game.covering() as covered:
            with pytest.raises(ReferenceFailedError, match="ended with code 1"):
                game.step(1)
            game.reset(0)
            game.step(0)
        assert covered.missing == ("toy.js:4 process.exit(1);",)
        with pytest.raises(ReferenceFailedError), game.covering() as lost:
            game.step(1)
        assert lost == Covered()
        assert game.reset(0).obs == [0]


def test_a_state_that_cannot_be_copied_stays_behind(tmp_path: Path) -> None:
    with NodeReference(a_game(tmp_path, "", state="{ when: new Date(0) }")) as game:
        game.reset(0)
        with game.covering() as covered:
            with pytest.raises(ReferenceFailedError, match="it has no state yet; reset it first"):
                game.step(0)
            game.reset(0)
            game.step(0)
        assert covered.lines_possible == 2
