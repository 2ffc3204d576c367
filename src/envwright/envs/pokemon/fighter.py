"""The active member of a side as scalars, which is what a turn is played with; taken from a `State` and put back.

Under `vmap` each scalar is a row with an entry for every battle. Numbers are int32 here whatever they are stored as.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Record
from envwright.envs.pokemon import tables
from envwright.envs.pokemon.state import (
    ASLEEP,
    BURNED,
    FROZEN,
    MAX_HP,
    MEMBERS,
    PARALYSED,
    POISONED,
    State,
)

PLACES = np.arange(MEMBERS, dtype=np.uint8)[None]
Four = tuple[jax.Array, jax.Array, jax.Array, jax.Array]


class Fighter(Record):
    """One side: its active member, and what of the side a turn looks at. Names are those of `State`."""

    # Of the member; what does not change in a turn first.
    species: jax.Array
    level: jax.Array
    max_hp: jax.Array
    base: Four  # attack, defence, speed, special of `stats`
    speed_points: jax.Array
    base_types: tuple[jax.Array, jax.Array]
    base_moves: Four
    ally_asleep: jax.Array  # bool: another one sleeps, put to sleep by the foe
    ally_frozen: jax.Array  # bool: another one is frozen
    base_pp: Four
    hp: jax.Array
    status: jax.Array
    sleep: jax.Array
    rested: jax.Array  # bool
    substitute_broke: jax.Array  # bool

    # While it is active.
    active_species: jax.Array
    types: tuple[jax.Array, jax.Array]
    moves: Four
    pp: Four
    stored: Four
    modified: Four
    boosts: tuple[jax.Array, ...]
    speed: jax.Array
    substitute: jax.Array
    confusion: jax.Array
    transformed: jax.Array  # bool
    recharging: jax.Array  # bool
    charging: jax.Array  # bool
    reflect: jax.Array  # bool
    flinched: jax.Array  # bool
    last_move: jax.Array

    # Of the side.
    selected: jax.Array
    selected_slot: jax.Array
    selected_for_foe: jax.Array
    used: jax.Array
    used_for_foe: jax.Array


def when(condition: jax.Array, new: Any, old: Any) -> Any:
    """`new` or `old`, leaf by leaf; a leaf that is the same in both leaves no operation."""
    return jax.tree.map(lambda a, b: b if a is b else jnp.where(condition, a, b), new, old)


def over(number: jax.Array, by: int | jax.Array) -> jax.Array:
    """The quotient rounded down, of numbers that are not negative: `//` would look at their signs."""
    return jax.lax.div(number, jnp.asarray(by, number.dtype))


def pick(values: Sequence[jax.Array], index: jax.Array) -> jax.Array:
    """The value at `index`; the last one if there is none."""
    found = values[-1]
    for i in reversed(range(len(values) - 1)):
        found = jnp.where(index == i, values[i], found)
    return found


def put(values: Sequence[jax.Array], index: jax.Array, value: jax.Array, where: jax.Array) -> Any:
    """The values with one replaced, where that holds."""
    return tuple(jnp.where(where & (index == i), value, old) for i, old in enumerate(values))


def four(of: Callable[[int], jax.Array]) -> Four:
    """What there is four of."""
    return of(0), of(1), of(2), of(3)


def drops(modified: Four, status: jax.Array, where: jax.Array) -> Four:
    """Stats after the drop that comes with a burn or with paralysis."""
    attack, defence, speed, special = modified
    burned, paralysed = where & (status == BURNED), where & (status == PARALYSED)
    attack = jnp.where(burned, jnp.maximum(attack >> 1, 1), attack)
    speed = jnp.where(paralysed, jnp.maximum(speed >> 2, 1), speed)
    return attack, defence, speed, special


def of_member(array: jax.Array, side: int, member: jax.Array) -> jax.Array:
    """What a side's array has of a member."""
    return pick([array[side, i] for i in range(MEMBERS)], member).astype(jnp.int32)


def residual(max_hp: jax.Array, status: jax.Array) -> jax.Array:
    """What burn or poison takes: a sixteenth."""
    return jnp.where((status == POISONED) | (status == BURNED), jnp.maximum(max_hp >> 4, 1), 0)


def load(state: State, side: int, member: jax.Array, enters: jax.Array) -> Fighter:
    """The side with that member, fresh where it enters and otherwise as it was."""
    of = lambda array: of_member(array, side, member)  # noqa: E731
    now = lambda array, *at: array[(side, *at)].astype(jnp.int32)  # noqa: E731
    base = four(lambda i: of(state.stats[:, :, 1 + i]))
    base_moves = four(lambda i: of(state.moves[:, :, i]))
    base_pp = four(lambda i: of(state.pp[:, :, i]))
    species, status = of(state.species), of(state.status)
    first_type, second_type, _ = tables.species(species)
    fresh = drops(base, status, jnp.bool_(True))
    others = [(member != i) & (state.hp[side, i] > 0) for i in range(MEMBERS)]
    asleep = [others[i] & (state.status[side, i] == ASLEEP) & ~state.rested[side, i] for i in range(MEMBERS)]
    frozen = [others[i] & (state.status[side, i] == FROZEN) for i in range(MEMBERS)]
    none, no = jnp.int32(0), jnp.bool_(False)

    def anew(new: Any, old: Any) -> Any:
        return jax.tree.map(lambda a, b: jnp.where(enters, a, b), new, old)

    return Fighter(
        species=species,
        level=of(state.level),
        max_hp=of(state.stats[:, :, MAX_HP]),
        base=base,
        speed_points=of(state.speed_points),
        base_types=(first_type, second_type),
        base_moves=base_moves,
        ally_asleep=_any(asleep),
        ally_frozen=_any(frozen),
        base_pp=base_pp,
        hp=of(state.hp),
        status=status,
        sleep=of(state.sleep),
        rested=of(state.rested) > 0,
        substitute_broke=of(state.substitute_broke) > 0,
        active_species=anew(species, now(state.active_species)),
        types=anew((first_type, second_type), (now(state.types, 0), now(state.types, 1))),
        moves=anew(base_moves, four(lambda i: now(state.active_moves, i))),
        pp=anew(base_pp, four(lambda i: now(state.active_pp, i))),
        stored=anew(base, four(lambda i: now(state.stored, i))),
        modified=anew(fresh, four(lambda i: now(state.modified, i))),
        boosts=anew((none,) * 6, tuple(now(state.boosts, i) for i in range(6))),
        speed=anew(fresh[2], now(state.speed)),
        substitute=anew(none, now(state.substitute)),
        confusion=anew(none, now(state.confusion)),
        transformed=anew(no, state.transformed[side]),
        recharging=anew(no, state.recharging[side]),
        charging=anew(no, state.charging[side]),
        reflect=anew(no, state.reflect[side]),
        flinched=anew(no, state.flinched[side]),
        last_move=anew(none, now(state.last_move)),
        selected=now(state.selected),
        selected_slot=anew(none, now(state.selected_slot)),
        selected_for_foe=now(state.selected_for_foe),
        used=now(state.used),
        used_for_foe=now(state.used_for_foe),
    )


def faint(fighter: Fighter) -> Fighter:
    """As it is after it has fainted: nothing of what it was while active is left, but for a drop of its stats."""
    none, no = jnp.int32(0), jnp.bool_(False)
    fainted = fighter.replace(
        status=none,
        sleep=none,
        rested=no,
        active_species=fighter.species,
        types=fighter.base_types,
        moves=fighter.base_moves,
        pp=fighter.base_pp,
        stored=fighter.base,
        modified=drops(fighter.base, fighter.status, jnp.bool_(True)),
        boosts=(none,) * 6,
        speed=none,
        substitute=none,
        confusion=none,
        transformed=no,
        recharging=no,
        charging=no,
        reflect=no,
        flinched=no,
        last_move=none,
    )
    return when(fighter.hp == 0, fainted, fighter)


def store(state: State, fighters: Sequence[Fighter], members: Sequence[jax.Array]) -> State:
    """The state with both sides as they are now."""
    one, two = fighters
    here = jnp.stack([jnp.arange(MEMBERS) == member for member in members])

    def both(name: str) -> jax.Array:
        old = getattr(state, name)
        columns = [getattr(fighter, "moves" if name == "active_moves" else "pp" if name == "active_pp" else name)
                   for fighter in (one, two)]  # fmt: skip
        rows = [jnp.stack(column) if isinstance(column, tuple) else column for column in columns]
        return jnp.stack(rows).astype(old.dtype)

    def of_members(name: str) -> jax.Array:
        old = getattr(state, name)
        return jnp.where(here, jnp.stack([getattr(one, name), getattr(two, name)])[:, None].astype(old.dtype), old)

    pp = jnp.stack([jnp.stack(fighter.base_pp) for fighter in (one, two)]).astype(state.pp.dtype)
    return state.replace(
        pp=jnp.where(here[:, :, None], pp[:, None, :], state.pp),
        **{name: of_members(name) for name in ("hp", "status", "sleep", "rested", "substitute_broke")},
        **{name: both(name) for name in _OF_ACTIVES},
    )


_OF_ACTIVES = (
    "active_species", "types", "active_moves", "active_pp", "stored", "modified", "boosts", "speed", "substitute",
    "confusion", "transformed", "recharging", "charging", "reflect", "flinched", "last_move", "selected",
    "selected_slot", "selected_for_foe", "used", "used_for_foe",
)  # fmt: skip


def _any(flags: Sequence[jax.Array]) -> jax.Array:
    found = flags[0]
    for flag in flags[1:]:
        found = found | flag
    return found
