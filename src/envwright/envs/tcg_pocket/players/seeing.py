"""An observation as a player reads it: its parts by name, and what follows from them by the cards' facts.

Arrays of NumPy or of JAX, with any axes before those named here; the own side comes first where there are two.
Damage is estimated: coins at their mean, no look at what the other player holds.
"""

import functools
from collections.abc import Callable
from functools import cached_property
from typing import Any, ParamSpec, TypeVar

import jax
import numpy as np

from envwright.envs.tcg_pocket.engine import encoding
from envwright.envs.tcg_pocket.layout import ASLEEP, ENERGIES, IN_HAND, OBSERVED, PARALYZED, PLACES
from envwright.envs.tcg_pocket.players import facts
from envwright.envs.tcg_pocket.players.facts import found

SHAPES: dict[str, tuple[int, ...]] = {
    "pokemon": (2, PLACES), "below": (2, PLACES, 2), "damage": (2, PLACES), "energy": (2, PLACES, ENERGIES),
    "new": (2, PLACES), "used": (2, PLACES),
}  # fmt: skip
_ENDS = np.cumsum(list(OBSERVED.values()))
PLACE_OF = {name: (int(end) - size, int(end)) for (name, size), end in zip(OBSERVED.items(), _ENDS, strict=True)}
WEAK = 20.0
TYPES_OF_ENERGY = np.arange(ENERGIES)


P = ParamSpec("P")
R = TypeVar("R")


def as_in_numpy(function: Callable[P, R]) -> Callable[P, R]:
    """`function` with NumPy's rules for shapes and types, in JAX as well, whatever is set."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
            return function(*args, **kwargs)

    return call


class Seen:
    """What one player sees, and what it can tell from that."""

    def __init__(self, obs: Any) -> None:
        self.xp = obs.__array_namespace__()
        self._obs = self.xp.astype(obs, self.xp.int32)

    def part(self, name: str) -> Any:
        """A part of the observation, int32; parts of one number have no axis."""
        start, end = PLACE_OF[name]
        numbers = self._obs[..., start:end]
        if name in SHAPES:
            return self.xp.reshape(numbers, (*numbers.shape[:-1], *SHAPES[name]))
        return numbers[..., 0] if end - start == 1 else numbers

    def real(self, name: str) -> Any:
        return self.xp.astype(self.part(name), self.xp.float32)

    def as_real(self, flags: Any) -> Any:
        return self.xp.astype(flags, self.xp.float32)

    # ---- Pokemon in play: (2, 4) ----

    @cached_property
    def mons(self) -> Any:
        return self.part("pokemon")

    @cached_property
    def there(self) -> Any:
        return self.mons > 0

    @cached_property
    def hp_left(self) -> Any:
        left = found(facts.HP, self.mons) - self.real("damage")
        return self.xp.where(self.there, self.xp.maximum(left, self.xp.zeros_like(left)), self.xp.zeros_like(left))

    @cached_property
    def points_for(self) -> Any:
        return found(facts.POINTS, self.mons)

    @cached_property
    def units(self) -> Any:
        """(2, 4, 8): effective energy (R6.2)."""
        energy = self.real("energy")
        doubled = self.xp.any(found(facts.DOUBLES, self.mons) > 0, axis=-1)[..., None] & (
            found(facts.TYPE, self.mons) == 0
        )
        grass = self.xp.asarray(TYPES_OF_ENERGY == 0)
        return self.xp.where(doubled[..., None] & grass, 2 * energy, energy)

    @cached_property
    def attacks(self) -> Any:
        """(2, 4, 2): their numbers, 0 none."""
        return found(facts.ATTACKS_OF, self.mons)

    def lacking(self, units: Any) -> Any:
        """(2, 4, 2): units that each attack lacks, given effective units (2, 4, 8)."""
        xp, cost = self.xp, found(facts.COST, self.attacks)
        typed = xp.sum(xp.maximum(cost - units[..., None, :], xp.zeros_like(cost)), axis=-1)
        whole = found(facts.TOTAL, self.attacks) - xp.sum(units, axis=-1)[..., None]
        return xp.maximum(typed, whole)

    @cached_property
    def lacks(self) -> Any:
        """(2, 4, 2)"""
        return self.lacking(self.units)

    def lacks_with(self, type: Any) -> Any:
        """(2, 4, 2): with one more unit of a type, () int32, on each."""
        one = self.as_real(type[..., None] == self.xp.asarray(TYPES_OF_ENERGY))[..., None, None, :]
        return self.lacking(self.units + one)

    @cached_property
    def damage_of(self) -> Any:
        """(2, 4, 2): what each attack, if it is paid, is expected to do to the Active across; 0 of no attack."""
        return self.damage_to_active(self.attacks, found(facts.TYPE, self.mons), self._boosts, self.units)

    def damage_to_active(self, attacks: Any, types: Any, boosts: Any, units: Any) -> Any:
        """(2, n, 2) attacks of Pokemon with these types and boosts (2, n) and units (2, n, 8)."""
        xp = self.xp
        target = self.mons[..., ::-1, :1]  # (2, 1): the Active across
        base = found(facts.PRINTED, attacks) + found(facts.PER_COUNT, attacks) * self._counted(attacks)
        base = base + found(facts.BONUS, attacks) * self.as_real(self._bonus_holds(attacks, units))
        some = base > 0
        base = base + boosts[..., None] - self.real("dealt_less")[..., None, None]
        base = xp.where(found(facts.WEAKNESS, target)[..., None] == types[..., None], base + WEAK, base)
        foes = lambda name: self.real(name)[..., ::-1, None, None]  # noqa: E731
        base = base - found(facts.LESS, target)[..., None] - foes("taken_less") - foes("guard")
        here = some & (foes("prevent_left") == 0) & (target > 0)[..., None]
        return xp.where(here, xp.maximum(base, xp.zeros_like(base)), xp.zeros_like(base))

    @cached_property
    def _boosts(self) -> Any:
        """(2, 4): of this turn, which is the own one if there is any."""
        number = found(facts.BOOST_FILTER, self.part("boost_by"))[..., None, None]
        fits = ((found(facts.FITS, self.mons) >> number) & 1) > 0
        mine = self.xp.asarray(np.array([True, False]))[:, None] & (self.part("my_turn") > 0)[..., None, None]
        return self.as_real(fits & mine) * self.real("boost")[..., None, None]

    def _counted(self, attacks: Any) -> Any:
        """(2, n, 2): what the damage is multiplied with."""
        xp, kind = self.xp, found(facts.OF_ATTACK["count"], attacks)
        wanted = found(facts.COUNT_FILTER, attacks)[..., None]
        bench = self.mons[..., 1:]

        def fits(mons: Any) -> Any:
            """(2, n, 2, 3): which benched Pokemon pass the filter of each attack."""
            mons = mons[..., None, None, :]
            return (((found(facts.FITS, mons) >> wanted) & 1) > 0) & (mons > 0)

        own, foe = (xp.sum(self.as_real(fits(mons)), axis=-1) for mons in (bench, bench[..., ::-1, :]))
        across = xp.sum(self.units[..., 0, :], axis=-1)[..., ::-1, None, None] + xp.zeros_like(own)
        none = xp.zeros_like(own)
        counted = xp.where(kind == encoding.BENCHED_OWN, own, none) + xp.where(kind == encoding.BENCHED_FOE, foe, none)
        return counted + xp.where(kind == encoding.ENERGY_FOE, across, none)

    def _bonus_holds(self, attacks: Any, units: Any) -> Any:
        """(2, n, 2): whether what a bonus asks of the table is so."""
        xp, kind = self.xp, found(facts.OF_ATTACK["bonus_if"], attacks)
        damaged = self.real("damage") > 0
        across = lambda of_side: of_side[..., ::-1, None, None]  # noqa: E731
        extra = self.as_real(found(facts.EXTRA_TYPE, attacks)[..., None] == xp.asarray(TYPES_OF_ENERGY))
        more = found(facts.COST, attacks) + extra * found(facts.OF_ATTACK["extra"], attacks)[..., None]
        pays = xp.all(units[..., None, :] >= more, axis=-1)
        needs = found(facts.TOTAL, attacks) + found(facts.OF_ATTACK["extra"], attacks)
        pays = pays & (xp.sum(units, axis=-1)[..., None] >= needs)
        holds = (kind == encoding.EXTRA_ENERGY) & pays
        holds = holds | ((kind == encoding.DAMAGED_FOE) & across(damaged[..., 0]))
        holds = holds | ((kind == encoding.DAMAGED_SELF) & damaged[..., : attacks.shape[-2], None])
        holds = holds | ((kind == encoding.POISONED_FOE) & across(self.part("poisoned") > 0))
        holds = holds | ((kind == encoding.EX_FOE) & (across(self.points_for[..., 0]) == 2))
        return holds | ((kind == encoding.AVENGED) & (self.part("avenged") > 0)[..., None, None])

    @cached_property
    def ready(self) -> Any:
        """(2, 4): the most damage of an attack that is paid, wherever it stands."""
        paid = (self.lacks <= 0) & (self.attacks > 0)
        return self.xp.max(self.xp.where(paid, self.damage_of, self.xp.zeros_like(self.damage_of)), axis=-1)

    @cached_property
    def soon(self) -> Any:
        """(2, 4): the most damage after the next unit, of any type."""
        paid = (self.lacks <= 1) & (self.attacks > 0)
        return self.xp.max(self.xp.where(paid, self.damage_of, self.xp.zeros_like(self.damage_of)), axis=-1)

    def promise(self, lacks: Any) -> Any:
        """(2, 4): damage that a Pokemon will do, the less the longer it takes."""
        worth = (self.damage_of + 8.0) * 0.62**lacks
        return self.xp.max(self.xp.where(self.attacks > 0, worth, self.xp.zeros_like(worth)), axis=-1)

    @cached_property
    def cannot_move(self) -> Any:
        """(2,): the Active is asleep or paralyzed."""
        condition = self.part("condition")
        return (condition == ASLEEP) | (condition == PARALYZED)

    @cached_property
    def threat(self) -> Any:
        """(): what the own Active may expect in the opponent's next turn."""
        return self.soon[..., 1, 0] * self.as_real(self.part("no_attack_left")[..., 1] == 0)

    # ---- the own hand: (20,) ----

    @cached_property
    def hand(self) -> Any:
        """Card numbers, 0 where a card is not in hand."""
        cards = self.part("my_cards")
        return self.xp.where(self.part("my_where") == IN_HAND, cards, self.xp.zeros_like(cards))
