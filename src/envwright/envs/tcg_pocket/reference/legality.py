"""What the player who is asked may do (spec.md, section 11)."""

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    ATTACH,
    BENCH,
    CARDS,
    COPY,
    DISCARD,
    ENERGIES,
    ENERGIZE,
    ENERGY,
    EVOLVE,
    MAIN,
    OPP,
    OVER,
    OWN,
    PASS,
    PLACES,
    PLAY,
    PROMOTE,
    RETREAT,
    RETREAT_TO,
    SETUP_ACTIVE,
    SETUP_BENCH,
    SWITCH,
    TARGET,
    TRAINER,
    USE_ABILITY,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference import attacking, board, choices, damage, playing, turns
from envwright.envs.tcg_pocket.reference.state import PocketState


def legal(s: PocketState) -> list[int]:
    """The actions of the actor, ascending."""
    return sorted(_LEGAL[s.pending](s))


def _main(s: PocketState) -> list[int]:
    found = [PASS]
    found += [PLAY + k for k in range(CARDS) if playing.playable(s, k)]
    if s.zone_now[s.player]:
        found += [ENERGIZE + place for place in board.occupied(s, s.player)]
    if playing.can_retreat(s):
        found += [RETREAT_TO + place - 1 for place in board.occupied(s, s.player, "bench")]
    found += [USE_ABILITY + place for place in range(PLACES) if playing.usable(s, place)]
    found += [USE_ATTACK + index for index in range(2) if playing.may_attack(s, index)]
    found += [DISCARD + place for place in range(PLACES) if playing.discardable(s, place)]
    return found


def _setup(s: PocketState) -> list[int]:
    found = [k for k in turns.placeable(s, s.actor) if playing.is_first_copy(s, s.actor, k)]
    return [PLAY + k for k in found] + ([PASS] if s.pending == SETUP_BENCH else [])


def _evolve(s: PocketState) -> list[int]:
    return [OWN + place for place in playing.evolvable(s, tables.card(s.cards[s.player][s.source]))]


def _trainer(s: PocketState) -> list[int]:
    return list(trainer_options(s, s.source))


def trainer_options(s: PocketState, k: int) -> dict[int, board.Spot]:
    op = choices.choice_of(tables.card(s.cards[s.player][k]).effect)
    assert op is not None
    return choices.options(s, s.player, op)


def _ability(s: PocketState) -> list[int]:
    return list(ability_options(s, s.source))


def ability_options(s: PocketState, place: int) -> dict[int, board.Spot]:
    ability = board.pokemon(s, s.player, place).ability
    assert ability is not None
    op = choices.choice_of(ability.effect)
    assert op is not None
    return choices.options(s, s.player, op)


def _copy(s: PocketState) -> list[int]:
    return list(attacking.copies(s, tables.attack(s.attack)))


def _target(s: PocketState) -> list[int]:
    return list(choices.as_actions(s.player, damage.can_be_hit(s, s.player, tables.attack(s.attack))))


def _attach(s: PocketState) -> list[int]:
    return list(choices.as_actions(s.player, attacking.attachable(s, tables.attack(s.attack))))


def _bench(s: PocketState) -> list[int]:
    return [OWN + place for place in board.occupied(s, s.actor, "bench")]


def _retreat(s: PocketState) -> list[int]:
    return [ENERGY + type for type in range(ENERGIES) if s.energy[s.player][0][type]]


_LEGAL = {
    MAIN: _main,
    SETUP_ACTIVE: _setup,
    SETUP_BENCH: _setup,
    EVOLVE: _evolve,
    TRAINER: _trainer,
    ABILITY: _ability,
    COPY: _copy,
    TARGET: _target,
    ATTACH: _attach,
    SWITCH: _bench,
    PROMOTE: _bench,
    RETREAT: _retreat,
    OVER: lambda s: [PASS],
}

# Actions that name a place, for those who carry them out.
PLACE_OF = {
    **{ENERGIZE + place: place for place in range(PLACES)},
    **{RETREAT_TO + place - 1: place for place in BENCH},
    **{USE_ABILITY + place: place for place in range(PLACES)},
    **{DISCARD + place: place for place in range(PLACES)},
    **{OWN + place: place for place in range(PLACES)},
    **{OPP + place: place for place in range(PLACES)},
}
