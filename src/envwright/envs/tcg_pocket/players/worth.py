"""What each of the 62 actions is worth by rules of thumb, from what a player sees.

A turn goes from what costs nothing to what ends it: abilities and search, evolution, Pokemon, energy, Supporters,
retreat, then the attack. Numbers below 0 say that passing is better.
"""

from typing import Any

import numpy as np

from envwright.envs.tcg_pocket.engine import encoding
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    ATTACH,
    CARDS,
    EVOLVE,
    POINTS_TO_WIN,
    PROMOTE,
    SETUP_ACTIVE,
    SETUP_BENCH,
    SWITCH,
    TARGET,
    TRAINER,
)
from envwright.envs.tcg_pocket.players import facts
from envwright.envs.tcg_pocket.players.facts import found
from envwright.envs.tcg_pocket.players.seeing import Seen, as_in_numpy

NOT, HARMLESS = -1.0, 5.0
DRAGS, LOOKS, HITS, EVOLVES, PLAYS, KNOCKS_OUT, DRAWS, ENERGY, LEAVES, HEALS, SWITCHES = (
    50.0, 93.0, 92.0, 90.0, 86.0, 82.0, 80.0, 72.0, 65.0, 55.0, 45.0,
)  # fmt: skip
WINS = 1000.0


@as_in_numpy
def worth(seen: Seen) -> Any:
    """(62,) float32; which actions are legal is not looked at."""
    table = _Weighing(seen)
    parts = [
        table.passing[..., None],
        table.cards,
        table.energizing,
        table.retreats,
        table.abilities,
        table.attacks,
        seen.xp.full_like(table.energizing, NOT),  # a fossil in the way of an attack is better than none
        table.own,
        table.opponents,
        table.units,
        table.copies,
    ]
    return seen.xp.concatenate(parts, axis=-1)


class _Weighing:
    """The parts of `worth`."""

    def __init__(self, seen: Seen) -> None:
        self.seen, self.xp = seen, seen.xp
        xp, mine, theirs = self.xp, seen.hp_left[..., 0, :], seen.hp_left[..., 1, :]
        self.ready, self.hp, self.foes = seen.ready[..., 0, :], mine, theirs
        self.foe_benched = xp.any(seen.there[..., 1, 1:], axis=-1)
        self.hurt = xp.where(seen.there[..., 0, :], seen.real("damage")[..., 0, :], xp.zeros_like(mine))
        self.knocks = (self.ready[..., 0] >= theirs[..., 0]) & seen.there[..., 1, 0]
        self.danger = seen.threat >= mine[..., 0]
        self.passing = xp.zeros_like(seen.threat)
        self.stands = self._stands()
        change = found(facts.RETREAT, seen.mons[..., 0, 0]) + seen.real("retreat_change")
        self.costs = xp.maximum(change, xp.zeros_like(change))
        self.lacks = xp.min(
            xp.where(
                seen.attacks[..., 0, 0, :] > 0, seen.lacks[..., 0, 0, :], xp.full_like(seen.lacks[..., 0, 0, :], 9.0)
            ),
            axis=-1,
        )

    def _stands(self) -> Any:
        """(4,): how well each own Pokemon would stand in the Active Spot."""
        seen, xp = self.seen, self.xp
        hits = xp.minimum(self.ready, self.foes[..., :1])
        out = seen.as_real(self.ready >= self.foes[..., :1]) * (30 + 20 * seen.points_for[..., 1, :1])
        falls = seen.as_real(seen.threat[..., None] >= self.hp) * 30 * seen.points_for[..., 0, :]
        return hits + out + 0.2 * self.hp + 0.3 * seen.promise(seen.lacks)[..., 0, :] - falls

    def choose(self, cases: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """The value of the first condition that holds."""
        value = otherwise
        for condition, this in reversed(cases):
            value = self.xp.where(condition, this, value)
        return value

    @property
    def wants_out(self) -> Any:
        """(): by how much the best benched Pokemon would stand better, costs apart."""
        there = self.seen.there[..., 0, 1:]
        bench = self.xp.where(there, self.stands[..., 1:], self.xp.full_like(self.stands[..., 1:], -1e3))
        return self.xp.max(bench, axis=-1) - self.stands[..., 0] - 15

    # ---- cards in hand: (20,) ----

    @property
    def cards(self) -> Any:
        seen, xp = self.seen, self.xp
        hand = seen.part("my_cards")  # masks say which are in hand
        kind, pending = found(facts.KIND, hand), seen.part("pending")[..., None]
        best = xp.max(found(facts.PRINTED, found(facts.ATTACKS_OF, hand)), axis=-1)
        leads = 10 + 0.1 * found(facts.HP, hand) + 0.1 * best - 3 * found(facts.RETREAT, hand)
        value = self.choose(
            [
                (pending == SETUP_ACTIVE, leads),
                (pending == SETUP_BENCH, PLAYS + 0.01 * found(facts.HP, hand)),
                (kind == facts.BASIC, PLAYS + 0.01 * found(facts.HP, hand)),
                (kind == facts.EVOLUTION, EVOLVES + 0.01 * found(facts.HP, hand)),
                (kind == facts.FOSSIL, LEAVES),
            ],
            self._trainers(hand),
        )
        assert value.shape[-1] == CARDS
        return value

    def _trainers(self, hand: Any) -> Any:
        seen, xp = self.seen, self.xp
        effect = {name: found(table, hand) for name, table in facts.EFFECT.items()}
        wide = lambda flag: flag[..., None] & (hand >= 0)  # noqa: E731
        least = xp.zeros_like(effect["heal"])
        healed = xp.max(self.hurt, axis=-1)[..., None]
        heals = xp.where(xp.minimum(healed, 10 * effect["heal"]) >= 10 * effect["heal"] - 20, HEALS, NOT)
        heals = xp.where(healed >= 20, heals, xp.full_like(heals, NOT))
        boost = 10 * effect["boost"]
        fits = ((found(facts.FITS, seen.mons[..., 0, :1]) >> found(facts.BOOST_FILTER, hand)) & 1) > 0
        enough = (self.ready[..., :1] + boost >= self.foes[..., :1]) & wide(~self.knocks) & (self.ready[..., :1] > 0)
        boosts = xp.where(fits & enough, KNOCKS_OUT, NOT)
        out = self.wants_out[..., None]
        cheaper = xp.where((out > 0) & (self.costs[..., None] > 0), EVOLVES - 2, NOT)
        away = wide(self.danger & ~self.knocks & self.foe_benched)
        crowd = (seen.part("hand_size")[..., 1] >= 4)[..., None]
        guarded = wide(seen.threat - 10 < self.hp[..., 0]) & wide(self.danger)
        return self.choose(
            [
                ((effect["search"] > 0) | (effect["look"] > 0) | (effect["reveal"] > 0), least + LOOKS),
                (effect["sort_top"] > 0, least + LOOKS + 1),
                (effect["mix"] == encoding.FOE, xp.where(crowd, least + 40, least + NOT)),
                (effect["draw"] > 0, least + DRAWS),
                (effect["heal"] > 0, heals),
                (effect["boost"] > 0, boosts),
                (effect["attach"] > 0, least + KNOCKS_OUT + 1),
                (effect["move"] > 0, xp.where(wide(self.lacks > 0), least + ENERGY, least + NOT)),
                (effect["switch"] > 0, xp.where(away, least + SWITCHES, least + NOT)),
                (
                    effect["to_hand"] > 0,
                    xp.where(wide(self.danger) & (self.hurt[..., :1] > 30), least + HEALS, least + NOT),
                ),
                (effect["retreat_less"] > 0, cheaper),
                (effect["lasting"] > 0, xp.where(guarded, least + KNOCKS_OUT, least + HARMLESS)),
            ],
            least + NOT,
        )

    # ---- places ----

    def gains(self, type: Any) -> Any:
        """(4,): what a unit of a type is worth on each own Pokemon."""
        seen = self.seen
        more = (seen.promise(seen.lacks_with(type)) - seen.promise(seen.lacks))[..., 0, :]
        ready = seen.as_real(self.hp > 0)
        lost = seen.as_real(self.danger & (self.lacks > 1))[..., None] * self.seen.as_real(_first(self.xp))
        return ready * more * (1 - 0.7 * lost) + 2 * seen.as_real(_first(self.xp))

    @property
    def energizing(self) -> Any:
        type = self.seen.part("zone_now")[..., 0] - 1
        return ENERGY + 0.1 * self.xp.minimum(self.gains(type), self.xp.full_like(self.hp, 120.0))

    @property
    def retreats(self) -> Any:
        better = self.stands[..., 1:] - self.stands[..., :1] - 15 - 8 * self.costs[..., None]
        return self.xp.where(better > 0, LEAVES + 0.01 * better, NOT + 1e-3 * better)

    @property
    def abilities(self) -> Any:
        seen, xp = self.seen, self.xp
        effect = {name: found(table, seen.mons[..., 0, :]) for name, table in facts.EFFECT.items()}
        least = xp.zeros_like(self.hp)
        wide = lambda flag: flag[..., None] & (self.hp >= 0)  # noqa: E731
        bench = xp.where(seen.there[..., 1, 1:], self.foes[..., 1:], xp.full_like(self.foes[..., 1:], 1e3))
        catches = (xp.min(bench, axis=-1) <= self.ready[..., 0]) & ~self.knocks
        return self.choose(
            [
                (effect["hit"] > 0, least + HITS),
                (effect["attach"] > 0, least + HITS - 1),
                (effect["look"] > 0, least + LOOKS),
                (effect["status"] > 0, least + PLAYS - 1),
                (effect["heal"] > 0, xp.where(wide(xp.max(self.hurt, axis=-1) > 0), least + HEALS, least + NOT)),
                (effect["switch"] == encoding.DRAGGED, xp.where(wide(catches), least + DRAGS, least + NOT)),
                (effect["switch"] > 0, xp.where(wide(self.danger & ~self.knocks), least + SWITCHES, least + NOT)),
                (effect["move"] > 0, xp.where(wide(self.lacks > 0), least + ENERGY + 1, least + NOT)),
            ],
            least + HARMLESS,
        )

    @property
    def attacks(self) -> Any:
        """(2,): of the Active, by what is left to do with them; the best comes last in a turn."""
        seen, xp = self.seen, self.xp
        numbers, damage = seen.attacks[..., 0, 0, :], seen.damage_of[..., 0, 0, :]
        effect = {name: found(table, numbers) for name, table in facts.OF_ATTACK.items()}
        works = found(facts.WORKS, numbers)
        target, points = self.foes[..., :1], seen.points_for[..., 1, :1]
        out = damage >= target
        value = xp.minimum(damage, target) + seen.as_real(out) * (40 + 30 * points)
        value = value + works * (12 * seen.as_real(effect["status"] > 0) + 10 * seen.as_real(effect["lasting"] > 0))
        value = value + works * (12 * effect["attach"] + 10 * effect["search"] + 6 * effect["draw"])
        value = value + 5 * effect["hit"] + xp.minimum(10 * effect["heal"], self.hurt[..., :1]) * 0.4
        value = value - 8 * effect["discard_n"] - 16 * seen.as_real(effect["discard"] == encoding.ALL_SELF)
        recoil = found(facts.RECOIL, numbers)
        value = value - 0.4 * recoil - seen.as_real(recoil >= self.hp[..., :1]) * 45 * seen.points_for[..., 0, :1]
        value = xp.where(found(facts.COPIES, numbers) > 0, xp.max(self.copied, axis=(-1, -2))[..., None], value)
        wins = (seen.part("points")[..., :1] + points >= POINTS_TO_WIN) | ~self.foe_benched[..., None]
        return 1 + 0.01 * value + xp.where(out & wins, WINS, 0.0)

    @property
    def own(self) -> Any:
        """(4,): own places that are asked for."""
        seen, xp = self.seen, self.xp
        pending, about, attack = (seen.part(name)[..., None] for name in ("pending", "about", "attack"))
        heal, attach = found(facts.EFFECT["heal"], about), found(facts.EFFECT["attach"], about)
        energy = xp.sum(seen.units[..., 0, :, :], axis=-1)
        first = seen.as_real(_first(xp))
        by_card = self.choose(
            [
                (heal > 0, xp.minimum(self.hurt, 10 * heal) + 5 * first),
                (attach > 0, self.gains(found(facts.ATTACH_TYPE, about[..., 0]))),
            ],
            -seen.promise(seen.lacks)[..., 0, :],
        )
        return self.choose(
            [
                (pending == EVOLVE, 5 * energy + 3 * first + 0.01 * self.hp),
                ((pending == TRAINER) | (pending == ABILITY), by_card),
                (pending == TARGET, self.hp),
                (pending == ATTACH, self.gains(found(facts.ATTACK_ATTACH_TYPE, attack[..., 0]))),
                ((pending == SWITCH) | (pending == PROMOTE), self.stands),
            ],
            xp.zeros_like(self.hp),
        )

    @property
    def opponents(self) -> Any:
        """(4,): opponent's places that are asked for; who falls, else who has least left."""
        seen, xp = self.seen, self.xp
        about, attack = seen.part("about")[..., None], seen.part("attack")[..., None]
        hit = 10 * xp.maximum(found(facts.EFFECT["hit"], about), found(facts.OF_ATTACK["hit"], attack))
        hit = xp.where(hit > 0, hit, self.ready[..., :1])
        return seen.as_real(hit >= self.foes) * 200 * seen.points_for[..., 1, :] - self.foes

    @property
    def units(self) -> Any:
        """(8,): types to pay a retreat with, those first that no attack needs."""
        cost = self.xp.max(found(facts.COST, self.seen.attacks[..., 0, 0, :]), axis=-2)
        return self.seen.real("energy")[..., 0, 0, :] - 2 * cost

    @property
    def copied(self) -> Any:
        """(4, 2): the opponent's attacks as the own Active's."""
        seen = self.seen
        types = found(facts.TYPE, seen.mons[..., :1]) + 0 * seen.mons
        units = seen.units[..., :1, :] + 0 * seen.units
        none = self.xp.zeros_like(seen.hp_left)
        return seen.damage_to_active(seen.attacks[..., ::-1, :, :], types, none, units)[..., 0, :, :]

    @property
    def copies(self) -> Any:
        """(8,)"""
        copied = self.copied
        return self.xp.reshape(copied, (*copied.shape[:-2], -1))


def _first(xp: Any) -> Any:
    """(4,): the Active Spot."""
    return xp.asarray(np.arange(4) == 0)
