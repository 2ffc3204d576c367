"""The luck of games in JavaScript: seeded, recorded, replayed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from node_games import PIG, a_game, needs_node, play, same, with_draws

from envwright.references.node import NodeReference
from envwright.references.protocol import (
    Draw,
    TapeError,
)

pytestmark = needs_node


def test_a_seed_gives_the_same_game_in_this_process_and_in_another(pig: NodeReference) -> None:
    first = play(pig, 7)
    play(pig, 8)
    assert same(play(pig, 7), first)
    assert not same(play(pig, 8)[0], first[0])
    with NodeReference(PIG) as other:
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
