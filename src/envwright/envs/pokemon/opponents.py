"""Who can be played against. They see what a player sees, features of `observation`, and no more.

`max_damage`: the move with the greatest expected damage now; after a faint, whoever would do the most damage.
`heuristic`: by rules of thumb it also puts to sleep and paralyses, heals, sets up while that is safe, and leaves
match-ups that it would lose.
"""

from typing import Any

import jax
import jax.numpy as jnp

from envwright.envs.pokemon.observation import INDEX
from envwright.envs.pokemon.state import ACTIONS, MEMBERS, SLOTS

NEVER = -2.0  # worth less than any legal action that is considered


class _Seen:
    """An observation by the names of its features."""

    def __init__(self, obs: jax.Array) -> None:
        self._obs = obs

    def __call__(self, name: str) -> jax.Array:
        return self._obs[INDEX[name]]

    def move(self, name: str) -> jax.Array:
        """(4,)"""
        return jnp.stack([self(f"move{i}.{name}") for i in range(SLOTS)])

    def member(self, name: str) -> jax.Array:
        """(6,)"""
        return jnp.stack([self(f"member{i}.{name}") for i in range(MEMBERS)])

    def foe_members(self, name: str) -> jax.Array:
        """(6,)"""
        return jnp.stack([self(f"foe{i}.{name}") for i in range(MEMBERS)])


def max_damage(key: jax.Array, obs: jax.Array, legal: Any) -> jax.Array:
    """The greatest expected damage; equal ones in random order. It never leaves by choice."""
    seen = _Seen(obs)
    members = jnp.where(legal[:SLOTS].any(), NEVER, seen.member("damage"))
    return _best(key, _expected(seen), members, legal)


def heuristic(key: jax.Array, obs: jax.Array, legal: Any) -> jax.Array:
    """A sensible player. Everything is weighed in shares of a Pokemon's HP."""
    seen = _Seen(obs)
    values = _attacks(seen) + _statuses(seen) + _preparations(seen)
    members, leaving = _members(seen)
    forced = ~legal[:SLOTS].any()
    switches = jnp.where(forced, members, jnp.where(leaving > 0, values.max() + leaving, NEVER))
    return _best(key, values, switches, legal)


def _expected(seen: _Seen) -> jax.Array:
    return seen.move("damage") * seen.move("accuracy")


def _attacks(seen: _Seen) -> jax.Array:
    """Damage, more if it ends it, less if it costs a turn or the Pokemon."""
    expected, ends = _expected(seen), seen.move("knocks_out") > 0
    hp = (seen.member("hp") * seen.member("active")).sum()
    value = expected + jnp.where(ends, 0.8 * seen.move("accuracy") + 0.3 * seen.move("priority"), 0)
    value -= jnp.where(ends, 0, 0.45 * expected * seen.move("delay"))
    value += 0.3 * expected * (seen.move("drain") + seen.move("secondary_paralyse") * _open(seen))
    cheap = (hp < 0.35) & (expected > 0.35)  # one that would soon faint may as well explode
    return value - seen.move("explodes") * jnp.where(cheap, 0.0, 1.0)


def _statuses(seen: _Seen) -> jax.Array:
    """Sleep above all, which Sleep Clause allows once; then paralysis, most of all of who is faster."""
    asleep = jnp.where(seen.foe_members("hp") > 0, seen.foe_members("unable"), 0).max()
    slower = seen("speed_lead") < 0
    affected = jnp.where(seen.move("effect") > -1, seen.move("paralyse"), 0)
    value = 0.75 * seen.move("sleep") * (1 - asleep) + affected * jnp.where(slower, 0.55, 0.35)
    value += 0.2 * seen.move("poison") + 0.2 * seen.move("confuse") * (1 - seen("foe.confused"))
    return value * _open(seen) * seen.move("accuracy")


def _preparations(seen: _Seen) -> jax.Array:
    """Healing, and setting up: as long as the foe's next attack leaves enough."""
    hp = (seen.member("hp") * seen.member("active")).sum()
    loss = jnp.maximum(seen("shown_damage"), seen("typed_damage"))
    raised = jnp.maximum(seen("mine.boost_atk"), seen("mine.boost_spa"))
    slower = seen("speed_lead") < 0
    heals = 2.0 * seen.move("recover") + jnp.where(hp < 0.45, 1.3, 0.0) * seen.move("rest")
    value = jnp.where(loss < 0.45, jnp.clip(0.9 - hp, 0, 0.5), 0.0) * heals
    safe = (hp > 0.6) & (loss < 0.35)
    value += jnp.where(safe, 0.5 * (1 - raised), 0.0) * (seen.move("raises_attack") + seen.move("raises_special"))
    value += jnp.where(safe & slower, 0.25, 0.0) * seen.move("raises_speed")
    value += jnp.where(hp > 0.5, 0.25, 0.0) * seen.move("reflect") * (1 - seen("mine.reflect"))
    value += jnp.where(safe, 0.2, 0.0) * seen.move("substitute") * (1 - seen("mine.substitute"))
    weak = _expected(seen).max() < 0.1
    return value + jnp.where(weak, 0.2, 0.0) * seen.move("copies") + jnp.where(safe, 0.15, 0.0) * seen.move("counter")


def _members(seen: _Seen) -> tuple[jax.Array, jax.Array]:
    """How well each member would stand, and how much better than the active one, less what a switch costs."""
    stands = seen.member("damage") - 0.35 * seen.member("threat") + 0.1 * seen.member("faster")
    stands += 0.3 * seen.member("hp") - 0.7 * seen.member("unable") - 0.15 * seen.member("paralysed")
    here = (stands * seen.member("active")).sum() + jnp.minimum(seen("mine.boost_spa") + seen("mine.boost_atk"), 0.5)
    return stands, jnp.where(seen("mine.substitute") > 0, NEVER, stands - here - 0.75)


def _open(seen: _Seen) -> jax.Array:
    """1, if the foe's active Pokemon can get a status; else 0."""
    statuses = jnp.stack([seen(f"foe.{id}") for id in ("slp", "psn", "brn", "frz", "par")])
    return (1 - statuses.max()) * (1 - seen("foe.substitute"))


def _best(key: jax.Array, moves: jax.Array, members: jax.Array, legal: jax.Array) -> jax.Array:
    """The legal action that is worth most; a little noise decides between equal ones."""
    worth = jnp.concatenate([moves, members]) + 1e-3 * jax.random.uniform(key, (ACTIONS,), jnp.float32)
    return jnp.argmax(jnp.where(legal, worth, -jnp.inf)).astype(jnp.int32)
