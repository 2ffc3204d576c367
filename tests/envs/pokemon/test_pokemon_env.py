"""What players see and may do, and who they can play against."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from playing import BATTLES, batch, legal_at_random, seen, states

from envwright.core import make
from envwright.core.record import field_names
from envwright.core.registry import spec
from envwright.core.versus import in_many_games, opponents_of
from envwright.envs.pokemon import Pokemon, State, tables
from envwright.envs.pokemon import observation as pokemon_observation
from envwright.envs.pokemon.knowledge import MAX_PP
from envwright.envs.pokemon.observation import FEATURES, INDEX, documentation, percent
from envwright.envs.pokemon.state import FIRST_SWITCH, MOVE, SWITCH


def test_the_card_has_the_table_of_features():
    card = Path(pokemon_observation.__file__).with_name("card.md").read_text()
    assert documentation() in card
    assert f"obs (2, {len(FEATURES)})" in card


def test_features_are_numbers_within_the_space():
    env = Pokemon()
    space, obs = env.observation_space(env.default_params), seen(states())
    assert obs.shape == (BATTLES, 2, len(FEATURES)) == (BATTLES, 2, *space.shape)
    assert np.isfinite(obs).all()
    assert all(space.contains(one) for one in obs.reshape(-1, len(FEATURES)))


def test_features_say_what_the_state_has():
    state = states()
    obs = seen(state)
    hp, most = state.hp / state.stats[..., 0], state.stats[..., 0]
    for i in range(6):
        np.testing.assert_allclose(obs[:, :, INDEX[f"member{i}.hp"]], hp[:, :, i], rtol=1e-6)
        assert (obs[:, :, INDEX[f"member{i}.active"]] == (state.order[:, :, 0] == i)).all()
    shown = np.where(state.hp > 0, np.minimum(np.ceil(100 * state.hp.astype(int) / most), 100), 0)
    shown = np.where((shown == 100) & (state.hp < most), 99, shown)
    active = np.take_along_axis(shown, np.asarray(state.order)[:, :, :1].astype(int), axis=2)[..., 0]
    theirs = np.stack([obs[:, :, INDEX[f"foe{i}.hp"]] * obs[:, :, INDEX[f"foe{i}.active"]] for i in range(6)]).sum(
        axis=0
    )
    np.testing.assert_allclose(theirs, active[:, ::-1] / 100, atol=1e-6)
    assert (obs[:, :, INDEX["must_switch"]] == (state.request == SWITCH)).all()


def test_hundredths_are_showdowns():
    """Rounded up, and 100 for the unhurt alone; 100 * HP does not fit 16 bits."""
    most = np.arange(1, 704)
    hp, most = (grid.ravel() for grid in np.meshgrid(np.arange(0, 704), most))
    hp, most = hp[hp <= most].astype(np.int16), most[hp <= most].astype(np.int16)
    wanted = -(-100 * hp.astype(int) // most)
    wanted = np.where((wanted == 100) & (hp < most), 99, wanted)
    np.testing.assert_array_equal(np.asarray(jax.jit(percent)(hp, most)), wanted)


def changed_where_hidden(state: State, rng: np.random.Generator) -> State:
    """Everything of the second player that the first has not been shown is something else, in every battle."""
    fields = {name: np.array(getattr(state, name)) for name in field_names(state)}
    battles, side = len(fields["turn"]), 1
    for g in range(battles):
        active = int(fields["order"][g, side, 0])
        for i in range(6):
            known = bool(fields["seen"][g, side, i])
            if not known:
                fields["species"][g, side, i] = rng.integers(1, 152)
                fields["level"][g, side, i] = rng.integers(50, 100)
                fields["stats"][g, side, i, 0] = rng.integers(200, 400)
                fields["hp"][g, side, i] = rng.integers(1, 200)
                fields["status"][g, side, i] = rng.integers(0, 6)
            fields["stats"][g, side, i, 1:] = rng.integers(50, 400, 4)
            fields["speed_points"][g, side, i] = rng.integers(0, 93)
            fields["sleep"][g, side, i] = rng.integers(1, 7)
            unused = ~(fields["pp"][g, side, i] < MAX_PP[fields["moves"][g, side, i]])
            new = rng.choice(np.array(tables.POOL), 4, replace=False)
            moves = np.where(unused, new, fields["moves"][g, side, i])
            own = fields["active_moves"][g, side] == fields["moves"][g, side, i]
            if i == active and not fields["transformed"][g, side]:
                fields["active_moves"][g, side] = np.where(own & unused, new, fields["active_moves"][g, side])
                fields["active_pp"][g, side] = np.where(own & unused, MAX_PP[new], rng.integers(1, 8, 4))
            fields["moves"][g, side, i] = moves
            fields["pp"][g, side, i] = np.where(unused, MAX_PP[new], fields["pp"][g, side, i])
        # Within the same hundredth, HP may be another number.
        hp, most = fields["hp"][g, side], fields["stats"][g, side, :, 0]
        near = np.where((hp > 1) & (np.ceil(100 * (hp - 1.0) / most) == np.ceil(100.0 * hp / most)), hp - 1, hp)
        fields["hp"][g, side] = np.where(hp < most, near, hp)
        fields["substitute"][g, side] = np.where(fields["substitute"][g, side] > 0, rng.integers(1, 90), 0)
        fields["confusion"][g, side] = np.where(fields["confusion"][g, side] > 0, rng.integers(1, 5), 0)
        fields["order"][g, side, 1:] = rng.permutation(fields["order"][g, side, 1:])
    for name in ("stored", "modified", "speed", "selected", "selected_slot", "selected_for_foe", "used_for_foe"):
        fields[name][:, side] = rng.integers(1, 100, fields[name][:, side].shape)
    fields["last_damage"] += 7
    fields["seed"] ^= np.uint32(0x5A5A5A5A)
    return State(**renamed(fields, side, rng))  # pyright: ignore[reportArgumentType]


def renamed(fields: dict[str, np.ndarray], side: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The members of that side stand at other places of the team."""
    for g in range(len(fields["turn"])):
        places = rng.permutation(6)  # of the new members, the old ones
        for name in ("species", "level", "stats", "speed_points", "moves", "pp", "hp", "status", "sleep", "seen"):
            fields[name][g, side] = fields[name][g, side][places]
        fields["order"][g, side] = np.argsort(places)[fields["order"][g, side]]
    return fields


@pytest.mark.parametrize("updates", [1, 20, 45])
def test_nothing_hidden_is_seen(updates: int):
    state = states(updates)
    other = changed_where_hidden(state, np.random.default_rng(0))
    before, after = seen(state), seen(other)
    different = {name for name, i in INDEX.items() if (before[:, 0, i] != after[:, 0, i]).any()}
    assert not different
    assert (before[:, 1] != after[:, 1]).any(axis=1).all()  # it was there to be seen


def test_the_full_observation_is_what_both_are_shown():
    env = Pokemon(observation="full")
    state = states()
    full = jax.jit(jax.vmap(env._observe))(state)
    both = seen(state)
    np.testing.assert_array_equal(np.asarray(full), np.concatenate([both, both[:, ::-1]], axis=-1))
    with pytest.raises(ValueError, match="partial, full"):
        Pokemon(observation="everything")


def test_everybody_always_has_something_to_do():
    env, state = Pokemon(), states()
    legal = np.asarray(jax.vmap(env.legal_actions, in_axes=(0, None))(state, env.default_params))
    acting = np.asarray(jax.vmap(env.acting, in_axes=(0, None))(state, env.default_params))
    assert legal.any(axis=-1).all()
    assert (legal[~acting] == (np.arange(10) == 0)).all()
    assert legal[state.request == MOVE][:, :FIRST_SWITCH].any(axis=1).all()


@pytest.mark.parametrize(("better", "worse", "least"), [("max_damage", "random", 28), ("heuristic", "max_damage", 18)])
def test_opponents_rank(better: str, worse: str, least: int):
    games, chosen = batch(), spec("pokemon")
    players = [in_many_games(one, 0) for one in opponents_of(chosen, games.action_space, [better, worse]).values()]
    obs, playing, won = games.reset(list(range(BATTLES))), np.ones(BATTLES, bool), 0
    while playing.any():
        obs, legal = np.asarray(obs), np.asarray(games.legal_actions())
        actions = np.stack([play(obs[:, i], legal[:, i]) for i, play in enumerate(players)], axis=1)
        assert np.take_along_axis(legal, actions[..., None], axis=2).all()
        step = games.step_and_restart(actions)
        won += int((np.asarray(step.reward)[playing, 0] > 0).sum())
        playing &= ~np.asarray(step.terminated)
        obs = step.obs
    assert won >= least


def test_rewards_sum_to_nothing_and_come_at_the_end():
    games, rng = batch(), np.random.default_rng(3)
    games.reset(list(range(BATTLES)))
    ended = 0
    for _ in range(150):
        step = games.step_and_restart(legal_at_random(np.asarray(games.legal_actions()), rng))
        reward, done = np.asarray(step.reward), np.asarray(step.terminated)
        assert (reward.sum(axis=1) == 0).all()
        assert not np.signbit(reward[~done]).any()  # no -0.0, which would differ in a bit
        assert (reward[~done] == 0).all()
        ended += int(done.sum())
    assert ended > BATTLES


def test_it_is_made_by_its_name():
    assert make("pokemon") == Pokemon()
    assert make("pokemon", observation="full").observation_space(None).shape == (2 * len(FEATURES),)
    assert jnp.zeros(()).dtype == jnp.float32
