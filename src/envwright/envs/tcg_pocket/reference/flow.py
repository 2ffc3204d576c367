"""One action, and all that follows from it until somebody is asked again (spec.md, R11.5)."""

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    ATTACH,
    COPY,
    DISCARD,
    ENERGIZE,
    ENERGY,
    EVOLVE,
    IN_CHECKUP,
    IN_ENDING,
    IN_MAIN,
    MAIN,
    NOBODY_YET,
    OPP,
    OVER,
    OWN,
    PASS,
    PLAY,
    PROMOTE,
    RETREAT,
    RETREAT_TO,
    SETUP_ACTIVE,
    SETUP_BENCH,
    SWITCH,
    TARGET,
    TIE,
    TRAINER,
    USE_ABILITY,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference import attacking, cards, ending, playing, turns
from envwright.envs.tcg_pocket.reference.board import Spot
from envwright.envs.tcg_pocket.reference.legality import PLACE_OF, ability_options, trainer_options
from envwright.envs.tcg_pocket.reference.state import PocketState

OF_EITHER = (SETUP_ACTIVE, SETUP_BENCH, SWITCH, PROMOTE, OVER)  # who is asked then need not be the player on turn


def act(s: PocketState, action: int) -> None:
    """A legal action of the actor."""
    take(s, action)
    after_action(s)
    end_of_turn(s)
    after_checkup(s)
    next_turn(s)
    if s.pending not in OF_EITHER:
        s.actor = s.player


def take(s: PocketState, action: int) -> None:
    """The action alone."""
    asked, source, attack, units = s.pending, s.source, s.attack, s.units
    s.pending, s.source, s.attack, s.units = MAIN, 0, 0, 0
    if asked in (SETUP_ACTIVE, SETUP_BENCH):
        if action == PASS:
            turns.enough(s)
        else:
            turns.put_down(s, action - PLAY)
    elif asked == MAIN:
        _main(s, action)
    else:
        _choice(s, asked, action, source, attack, units)


def _main(s: PocketState, action: int) -> None:
    """R3.4, R3.5."""
    if action == PASS:
        s.stage = IN_ENDING
    elif action < ENERGIZE:
        playing.play(s, action - PLAY)
    elif action < RETREAT_TO:
        playing.energize(s, PLACE_OF[action])
    elif action < USE_ABILITY:
        playing.retreat(s, PLACE_OF[action])
    elif action < USE_ATTACK:
        playing.use_ability(s, PLACE_OF[action])
    elif action < DISCARD:
        attacking.declare(s, action - USE_ATTACK)
    else:
        playing.discard_fossil(s, PLACE_OF[action])


def _choice(s: PocketState, asked: int, action: int, source: int, attack: int, units: int) -> None:
    """What was asked for is chosen."""
    if asked == EVOLVE:
        cards.evolve(s, s.player, PLACE_OF[action], source)
    elif asked == TRAINER:
        playing.do_trainer(s, source, trainer_options(s, source)[action])
    elif asked == ABILITY:
        playing.do_ability(s, source, ability_options(s, source)[action])
    elif asked == COPY:
        attacking.aim(s, attacking.copies(s, tables.attack(attack))[action])
    elif asked == TARGET:
        attacking.carry_out_attack(s, tables.attack(attack), _spot(s, action))
    elif asked == ATTACH:
        attacking.attach(s, attack, units, _spot(s, action))
    elif asked in (SWITCH, PROMOTE):
        cards.swap(s, s.actor, PLACE_OF[action])
    elif asked == RETREAT:
        playing.pay_unit(s, source, units, action - ENERGY)


def _spot(s: PocketState, action: int) -> Spot:
    assert OWN <= action < ENERGY
    return (1 - s.player if action >= OPP else s.player), PLACE_OF[action]


# ---- what follows, unless somebody is asked before ----


def after_action(s: PocketState) -> None:
    """R8.1 to R8.7."""
    if s.pending == MAIN and not _is_over(s):
        _ask_promotion(s)


def end_of_turn(s: PocketState) -> None:
    """R3.6, section 7."""
    if s.pending == MAIN and s.stage == IN_ENDING:
        turns.end_turn(s)
        turns.checkup(s)


def after_checkup(s: PocketState) -> None:
    """R7.4; R3.7."""
    if s.pending == MAIN and s.stage == IN_CHECKUP and not _is_over(s):
        if s.turn >= s.flags.turn_limit:
            _finish(s, TIE)
        else:
            _ask_promotion(s)


def next_turn(s: PocketState) -> None:
    if s.pending == MAIN and s.stage == IN_CHECKUP:
        turns.start_turn(s, 1 - s.player)


def _is_over(s: PocketState) -> bool:
    ending.knock_out(s)
    winner = ending.winner(s)
    if winner != NOBODY_YET:
        _finish(s, winner)
    return winner != NOBODY_YET


def _finish(s: PocketState, winner: int) -> None:
    s.winner, s.pending, s.actor, s.stage = winner, OVER, 0, IN_MAIN


def _ask_promotion(s: PocketState) -> None:
    player = ending.who_promotes(s)
    if player is not None:
        s.pending, s.actor = PROMOTE, player
