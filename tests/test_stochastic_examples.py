"""The hand-written toy_text candidates against Gymnasium's own, with its luck recorded draw by draw.

The engine compares them by the contracts beside the examples. Tables of transitions and scripted decks do without
contract and engine: every step there is, and hands that nobody is ever dealt.
"""

import itertools
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.engine import verify
from envwright.verifier.session import Effort
from envwright.verifier.verdict import Verdict
from stochastic import (
    CASES,
    CLASSES,
    EXAMPLES,
    LAKES,
    TABLES,
    Deck,
    Options,
    Tape,
    assert_equal,
    blackjack,
    frozen_lake,
    make,
    make_reference,
    pad,
    taxi,
)

# ---- the engine ----


def judge(name: str, options: Options | None, effort: Effort) -> Verdict:
    """By the contract beside the example; with other options, its statements about one map are left out."""
    contract = contracts.load(EXAMPLES / f"{name}.toml")
    if options is not None:
        limit = {key: contract.candidate_options[key] for key in contract.candidate_options if key.startswith("max_")}
        contract = replace(contract, reference_options=options, candidate_options={**options, **limit}, invariants=())
    host = pairs.make_host(contract, apart=False)
    try:
        return verify(contract, host, pairs.make_candidate(contract), effort=effort)
    finally:
        host.close()


@pytest.mark.parametrize("name", CLASSES)
def test_the_engine_finds_no_difference(name: str) -> None:
    verdict = judge(name, None, Effort(episodes=20, limit=200, states=500, corners=200, draws=1000, watched=60))
    assert verdict.passed, verdict.text()
    asked = {check.name: check.count for check in verdict.checks if check.status == "pass"}
    assert min(asked["single steps"], asked["phases"], asked["episodes"]) > 20
    assert {"seeds matter", "chance in distribution", "starts", "every field has its counterpart"} <= set(asked)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_the_engine_finds_no_difference_with_other_options(name: str, options: Options) -> None:
    verdict = judge(name, options, Effort(episodes=12, limit=200, states=300, corners=100, draws=1000, watched=40))
    assert verdict.passed, verdict.text()


# ---- single steps from everywhere, by the reference's table ----


def all_transitions(table: Any) -> list[tuple[int, int, int, Any]]:
    """(state, action, index of the outcome, outcome) for all there are."""
    return [(s, a, i, t) for s in table for a in table[s] for i, t in enumerate(table[s][a])]


@pytest.mark.parametrize("options", LAKES, ids=str)
def test_every_step_on_the_lake_is_in_the_table(options: Options) -> None:
    rows = all_transitions(make_reference("frozen_lake", options, Tape(0)).P)
    states, actions, slips = (jnp.asarray(column, jnp.int32) for column in list(zip(*rows, strict=True))[:3])
    probabilities, after, rewards, ends = zip(*[row[3] for row in rows], strict=True)
    lake = make("frozen_lake", options)

    def go(position: jax.Array, action: jax.Array, slip: jax.Array) -> Any:
        state, chance = frozen_lake.State(position=position), frozen_lake.StepChance(slip=slip)
        return lake.apply(state, action, chance, lake.default_params)

    step = jax.jit(jax.vmap(go))(states, actions, slips)
    assert_equal(step.state.position, after, "position")
    assert_equal(step.obs, after, "observation")
    assert_equal(step.reward, rewards, "reward")
    assert_equal(step.terminated, ends, "terminated")
    assert_equal(step.info["prob"], probabilities, "prob")


@pytest.mark.parametrize("rainy", [False, True])
def test_every_step_in_town_is_in_the_table(rainy: bool) -> None:
    reference = make_reference("taxi", {"is_rainy": rainy, "rainy_probability": 0.7}, Tape(0))
    rows = all_transitions(reference.P)
    assert len(rows) == (500 * (4 * 3 + 2) if rainy else 500 * 6)
    states, actions, slips = (jnp.asarray(column, jnp.int32) for column in list(zip(*rows, strict=True))[:3])
    probabilities, after, rewards, ends = zip(*[row[3] for row in rows], strict=True)
    town = taxi.Taxi(is_rainy=rainy, rainy_probability=0.7)

    def go(code: jax.Array, action: jax.Array, slip: jax.Array) -> Any:
        _, state = town.start(taxi.StartChance(state=code, fickle=jnp.bool_(False)), town.default_params)
        return town.apply(state, action, taxi.StepChance(slip=slip, destination=jnp.int32(0)), town.default_params)

    step = jax.jit(jax.vmap(go))(states, actions, slips)
    assert_equal(step.obs, after, "observation")
    assert_equal(step.reward, rewards, "reward")
    assert_equal(step.terminated, ends, "terminated")
    assert_equal(step.info["prob"], probabilities, "prob")
    assert_equal(step.info["action_mask"], [reference.action_mask(s) for s in after], "action_mask")


def test_codes_of_the_town_are_the_references() -> None:
    reference = make_reference("taxi", {}, Tape(0))
    codes = jnp.arange(500)
    decoded = taxi.decode(codes)
    assert_equal(decoded.T, [reference.decode(i) for i in range(500)], "decode")
    assert_equal(taxi.encode(*decoded), codes, "encode")


@pytest.mark.parametrize("rainy", [False, True])
def test_a_fickle_passenger_changes_the_destination_as_in_the_reference(rainy: bool) -> None:
    """From every state, fickle or not, with the first outcome of every action and a new destination each time."""
    options = {"is_rainy": rainy, "fickle_passenger": True, "rainy_probability": 1.0}
    tape = Tape(5)
    reference, town = make_reference("taxi", options, tape), taxi.Taxi(**options)
    rows, wanted = [], []
    for fickle, code, action in itertools.product((False, True), range(500), range(6)):
        reference.s, reference.fickle_step = code, fickle
        tape.draws.clear()
        obs, reward, *_ = reference.step(action)
        chosen = [value for site, value in tape.draws if site == "step"]
        rows.append((code, fickle, action, chosen[0] if chosen else 0))
        wanted.append((obs, reference.fickle_step, reward))

    def go(code: jax.Array, fickle: jax.Array, action: jax.Array, destination: jax.Array) -> Any:
        _, state = town.start(taxi.StartChance(state=code, fickle=fickle), town.default_params)
        luck = taxi.StepChance(slip=jnp.int32(0), destination=destination)
        return town.apply(state, action, luck, town.default_params)

    code, fickle, action, destination = (np.array(column) for column in zip(*rows, strict=True))
    as_int = [jnp.asarray(column, jnp.int32) for column in (code, action, destination)]
    step = jax.jit(jax.vmap(go))(as_int[0], jnp.asarray(fickle), *as_int[1:])
    assert_equal(step.obs, [w[0] for w in wanted], "observation")
    assert_equal(step.state.fickle, [w[1] for w in wanted], "fickle")
    assert_equal(step.reward, [w[2] for w in wanted], "reward")


# ---- scripted decks ----


@pytest.mark.parametrize("options", TABLES, ids=str)
@pytest.mark.parametrize("action", [blackjack.STICK, blackjack.HIT])
def test_every_deal_is_played_and_paid_as_by_the_reference(options: Options, action: int) -> None:
    table, rng = blackjack.Blackjack(**options), np.random.default_rng(3)
    hands = np.array(list(itertools.product(range(1, 11), repeat=4)), np.int32)
    decks = np.minimum(rng.integers(1, 14, (len(hands), blackjack.DEALER_DRAWS)), 10).astype(np.int32)
    wanted = []
    reference = make_reference("blackjack", options, Tape(0))
    for hand, deck in zip(hands.tolist(), decks.tolist(), strict=True):
        reference._np_random = Deck([*hand, *deck])
        reference.reset()
        obs, reward, over, _, _ = reference.step(action)
        wanted.append((obs, reward, over, pad(reference.player, 22), pad(reference.dealer, 12)))

    def go(hand: jax.Array, deck: jax.Array) -> Any:
        _, state = table.start(blackjack.StartChance(cards=hand), table.default_params)
        luck = blackjack.StepChance(cards=deck)
        return table.apply(state, jnp.int32(action), luck, table.default_params)

    step = jax.jit(jax.vmap(go))(jnp.asarray(hands), jnp.asarray(decks))
    obs, reward, over, player, dealer = (np.array(column) for column in zip(*wanted, strict=True))
    assert_equal(step.obs, obs, "observation")
    assert_equal(step.reward, reward, "reward")
    assert_equal(step.terminated, over, "terminated")
    assert_equal(step.state.player, player, "player")
    assert_equal(step.state.dealer, dealer, "dealer")
    if action == blackjack.STICK:
        assert set(reward) == {-1, 0, 1} | ({1.5} if options["natural"] and not options["sab"] else set())


def play_script(options: Options, hand: Sequence[int], deck: Sequence[int], actions: Sequence[int]) -> tuple[Any, Any]:
    """A reference and a candidate that were dealt the same cards in the same order."""
    tape = Deck([*hand, *deck])
    reference, table = make_reference("blackjack", options, tape), blackjack.Blackjack(**options)
    reference.reset()
    _, state = table.start(blackjack.StartChance(cards=jnp.asarray(hand, jnp.int32)), table.default_params)
    step = None
    for action in actions:
        tape.draws.clear()
        obs, reward, over, _, _ = reference.step(action)
        luck = blackjack.StepChance(cards=jnp.asarray(pad([card for _, card in tape.draws], 10), jnp.int32))
        step = table.apply(state, jnp.int32(action), luck, table.default_params)
        state = step.state
        assert_equal(step.obs, obs, "observation")
        assert (float(step.reward), bool(step.terminated)) == (reward, over)
    return reference, state


def test_the_longest_hand_of_a_player_fits() -> None:
    reference, state = play_script({}, [10, 7, 1, 1], [1] * 20, [blackjack.HIT] * 20)
    assert len(reference.player) == int(state.player_cards) == blackjack.PLAYER_ROOM
    assert_equal(state.player, reference.player, "player")


def test_the_longest_hand_of_a_dealer_fits() -> None:
    reference, state = play_script({}, [1, 1, 10, 10], [1, 1, 1, 1, 6, 1, 1, 1, 1, 10], [blackjack.STICK])
    assert len(reference.dealer) == int(state.dealer_cards) == blackjack.DEALER_ROOM
    assert_equal(state.dealer, reference.dealer, "dealer")


def test_no_hand_is_longer() -> None:
    """By search over what a hand can be: its hard sum, and whether it has an ace."""

    def longest(stands: int) -> int:
        frontier, cards = {(0, False)}, 0
        while frontier:
            frontier = {(s + card, ace or card == 1) for s, ace in frontier for card in range(1, 11)}
            cards += 1
            frontier = {(s, ace) for s, ace in frontier if (s + 10 if ace and s + 10 <= 21 else s) < stands}
        return cards

    assert longest(22) == blackjack.PLAYER_ROOM
    assert longest(17) == blackjack.DEALER_ROOM


def test_functions_of_hands_are_the_references() -> None:
    original: Any = sys.modules[type(make_reference("blackjack", {}, Tape(0))).__module__]
    rng = np.random.default_rng(4)
    hands = [np.minimum(rng.integers(1, 14, n), 10).tolist() for n in rng.integers(2, 8, 500)]
    hands += [list(pair) for pair in itertools.product(range(1, 11), repeat=2)] + [[1] * n for n in range(2, 23)]
    padded = jnp.asarray(np.stack([pad(hand, 22) for hand in hands]), jnp.int32)
    for name in ("usable_ace", "sum_hand", "is_bust", "score", "is_natural"):
        ours = jax.vmap(getattr(blackjack, name))(padded)
        assert_equal(ours, [getattr(original, name)(hand) for hand in hands], name)
    for a, b in itertools.product((0, 17, 21), repeat=2):
        assert float(blackjack.compare(jnp.int32(a), jnp.int32(b))) == original.cmp(a, b)
