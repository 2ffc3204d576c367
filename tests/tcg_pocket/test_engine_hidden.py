"""What a player may not know changes neither what the player observes nor what the player may do."""

import jax
import numpy as np
from lockstep import random_states, stacked
from numpy.typing import NDArray

from envwright.envs.tcg_pocket.env import TcgPocket
from envwright.envs.tcg_pocket.layout import IN_DECK, IN_HAND
from envwright.envs.tcg_pocket.observation import observe


def with_another_secret(
    state: dict[str, NDArray[np.generic]], me: int, rng: np.random.Generator
) -> dict[str, NDArray[np.generic]]:
    """The same to player `me`: the order of both decks, the other's hand, energy to come, and deck list differ."""
    new = {name: value.copy() for name, value in state.items()}
    them = 1 - me
    seen = int(new["seen_top"][me])
    n = int((new["deck"][me] > 0).sum())
    new["deck"][me, : n - seen] = rng.permutation(new["deck"][me, : n - seen])
    where, known = new["where"][them], new["known"][them]
    secret = np.flatnonzero((where == IN_DECK) | ((where == IN_HAND) & ~known))
    where[secret] = rng.permutation(where[secret])
    lies = rng.permutation(np.flatnonzero(where == IN_DECK)) + 1
    new["deck"][them] = 0
    new["deck"][them, : len(lies)] = lies
    new["zone_next"][them] = rng.integers(1, 9)
    new["types"][them] = rng.integers(1, 256)
    new["cards"][them, secret] = rng.integers(1, 303, len(secret))  # need not be a legal deck: nobody may look
    return new


def test_nothing_hidden_is_observed() -> None:
    rng = np.random.default_rng(3)
    look = jax.jit(jax.vmap(observe))
    found = random_states(600, rng)
    plain = np.asarray(look(stacked(found)))
    for me in (0, 1):
        changed = np.asarray(look(stacked([with_another_secret(state, me, rng) for state in found])))
        assert np.array_equal(plain[:, me], changed[:, me])
        assert (plain[:, 1 - me] != changed[:, 1 - me]).any(axis=1).mean() > 0.9  # it is a secret of the other


def test_the_other_player_has_nothing_to_choose() -> None:
    rng = np.random.default_rng(4)
    env = TcgPocket()
    masks = jax.jit(jax.vmap(lambda state: env.legal_actions(state, env.default_params)))
    found = random_states(64, rng)
    legal = np.asarray(masks(stacked(found)))
    for state, mask in zip(found, legal, strict=True):
        assert np.flatnonzero(mask[1 - int(state["actor"])]).tolist() == [0]
