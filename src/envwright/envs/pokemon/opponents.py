"""Who can be played against. They see what a player sees, features of `observation`, and no more.

`max_damage`: the move with the greatest expected damage now; after a faint, whoever would do the most damage.
`heuristic`: the same, but it puts to sleep or paralyses what is healthy, heals, sets up while it is safe, moves first if
that ends it, and leaves match-ups that it would lose.
"""

from typing import Any

import jax
import jax.numpy as jnp

from envwright.envs.pokemon.observation import INDEX
from envwright.envs.pokemon.state import ACTIONS, MEMBERS, SLOTS


class _Seen:
    """An observation by names: `seen.hp` of what there is once, `seen.move("power")` (4,), `seen.member("hp")` (6,)."""

    def __init__(self, obs: jax.Array) -> None:
        self._obs = obs

    def __call__(self, name: str) -> jax.Array:
        return self._obs[INDEX[name]]

    def move(self, name: str) -> jax.Array:
        return jnp.stack([self(f"move{i}.{name}") for i in range(SLOTS)])

    def member(self, name: str) -> jax.Array:
        return jnp.stack([self(f"member{i}.{name}") for i in range(MEMBERS)])

    def own(self, name: str) -> jax.Array:
        """Of the own active Pokemon's entry among the members."""
        return (self.member(name) * self.member("active")).sum()


def max_damage(key: jax.Array, obs: jax.Array, legal: Any) -> jax.Array:
    """The greatest expected damage; equal ones in random order."""
    seen = _Seen(obs)
    return _best(key, _damage_of(seen), seen.member("damage") - 1, legal)  # it never leaves by choice


def heuristic(key: jax.Array, obs: jax.Array, legal: Any) -> jax.Array:
    """A sensible player, by rules of thumb in units of expected damage."""
    seen = _Seen(obs)
    accuracy, hp = seen.move("accuracy"), seen.own("hp")
    hurt = _damage_of(seen)
    loss = jnp.maximum(seen("shown_damage"), seen("typed_damage"))  # of own HP, in the foe's next attack
    ends = seen.move("knocks_out")
    value = hurt + jnp.where(ends > 0, 0.8 * accuracy, 0)
    value += jnp.where(ends > 0, 0.3 * seen.move("priority"), 0)
    value -= jnp.where(ends > 0, 0, 0.45 * hurt * seen.move("delay"))  # a turn is lost, unless the foe faints

    healthy = 1 - jnp.stack([seen(f"foe.{id}") for id in ("slp", "psn", "brn", "frz", "par")]).max()
    open_ = healthy * (1 - seen("foe.substitute"))
    affected = seen.move("effect") > -1
    value += open_ * accuracy * (0.75 * seen.move("sleep") * (1 - _asleep(seen)))
    value += open_ * accuracy * seen.move("paralyse") * affected * jnp.where(seen("speed_lead") < 0, 0.55, 0.35)
    value += 0.2 * open_ * accuracy * (seen.move("poison") + seen.move("confuse") * (1 - seen("foe.confused")))
    value += 0.3 * hurt * seen.move("secondary_paralyse") * open_

    worth = jnp.clip(0.9 - hp, 0, 0.5) * (loss < 0.45)
    value += worth * (2 * seen.move("recover") + 1.3 * seen.move("rest") * (hp < 0.45)) + 0.3 * hurt * seen.move("drain")
    safe = (hp > 0.6) * (loss < 0.35) * (1 - jnp.maximum(seen("mine.boost_atk"), seen("mine.boost_spa")))
    value += safe * (seen.move("raises_attack") + seen.move("raises_special")) * 0.5
    value += (hp > 0.6) * (loss < 0.35) * 0.25 * seen.move("raises_speed") * (seen("speed_lead") < 0)
    value += (hp > 0.5) * 0.25 * seen.move("reflect") * (1 - seen("mine.reflect"))
    value += (hp > 0.6) * (loss < 0.25) * 0.3 * seen.move("substitute") * (1 - seen("mine.substitute"))
    value -= seen.move("explodes") * jnp.where((hp < 0.35) & (hurt > 0.35), 0, 1.0)
    value += 0.2 * seen.move("copies") * (hurt.max() < 0.1) + 0.15 * seen.move("counter") * (hp > 0.6)

    # How well each member stands: what it does, what is done to it, whether it can act at all.
    stands = seen.member("damage") - 0.35 * seen.member("threat") + 0.1 * seen.member("faster")
    stands += 0.3 * seen.member("hp") - 0.7 * seen.member("unable") - 0.15 * seen.member("paralysed")
    here = (stands * seen.member("active")).sum() + jnp.minimum(seen("mine.boost_spa") + seen("mine.boost_atk"), 0.5)
    leaves = (seen("mine.substitute") < 1) & (seen("must_switch") < 1)
    switch = jnp.where(leaves, value.max() + (stands - here - 0.75), stands)
    return _best(key, value, switch, legal)


def _damage_of(seen: _Seen) -> jax.Array:
    return seen.move("damage") * seen.move("accuracy")


def _asleep(seen: _Seen) -> jax.Array:
    """Whether one of the foe's team sleeps or is frozen: Sleep Clause allows one."""
    unable = jnp.stack([seen(f"foe{i}.unable") * (seen(f"foe{i}.hp") > 0) for i in range(MEMBERS)])
    return unable.max()


def _best(key: jax.Array, moves: jax.Array, members: jax.Array, legal: jax.Array) -> jax.Array:
    """The best legal action: a move, if there is one that is legal and, of the members, none is better."""
    forced = ~legal[:SLOTS].any()
    noise = jax.random.uniform(key, (ACTIONS,)) * 1e-3
    worth = jnp.concatenate([moves, jnp.where(forced | (members > moves.max()), members, -2.0)])
    return jnp.argmax(jnp.where(legal, worth + noise, -jnp.inf)).astype(jnp.int32)
