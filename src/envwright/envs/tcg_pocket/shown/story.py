"""What an action means and what came of it, in sentences: read off the states before and after."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envwright.core.course import StepTaken
from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.engine.encoding import TOSS_PER_ENERGY, TOSS_UNTIL, encode
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    ATTACH,
    COPY_OF,
    DISCARD,
    ENERGIZE,
    ENERGY,
    EVOLVE,
    IN_DISCARD,
    IN_HAND,
    MAIN,
    OPP,
    OVER,
    OWN,
    PASS,
    PLAY,
    PROMOTE,
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
from envwright.envs.tcg_pocket.shown.board import Standing, as_numpy, hand, in_play, standing, zone
from envwright.envs.tcg_pocket.state import State
from envwright.envs.tcg_pocket.tables import ENERGIES, Card


@dataclass(frozen=True)
class StoryLine:
    """A sentence; a minor one is a consequence of the one before."""

    text: str
    minor: bool = False


def chosen(state: State, action: int) -> str:
    """What an action of the player who is asked means, as a menu has it."""
    me, pending = int(state.actor), int(state.pending)
    if action == PASS:
        return "Enough Pokemon" if pending == SETUP_BENCH else "End the turn" if pending == MAIN else "Wait"
    if action < ENERGIZE:
        return _card(state, me, action - PLAY, pending)
    if action < USE_ABILITY:
        mon = _name(state, me, action - (ENERGIZE if action < RETREAT_TO else RETREAT_TO - 1))
        return f"Attach {zone(state.zone_now[me])} energy to {mon}" if action < RETREAT_TO else f"Retreat to {mon}"
    if action < DISCARD:
        if action < USE_ATTACK:
            mon = standing(state, me, action - USE_ABILITY)
            ability = mon.card.ability if mon else None
            return f"{mon.card.name}'s ability {ability.name}" if mon and ability else "Ability"
        active = standing(state, me, 0)
        return f"Attack: {active.card.attacks[action - USE_ATTACK].name}" if active else "Attack"
    if action < OWN:
        return f"Discard {_name(state, me, action - DISCARD)}"
    if action < ENERGY:
        whose, place = (me, action - OWN) if action < OPP else (1 - me, action - OPP)
        return f"{_purpose(state)} {_name(state, whose, place)}"
    if action < COPY_OF:
        return f"Pay with {ENERGIES[action - ENERGY]} energy"
    mon = standing(state, 1 - me, (action - COPY_OF) // 2)
    return f"Copy {mon.card.attacks[(action - COPY_OF) % 2].name} of {mon.card.name}" if mon else "Copy an attack"


def question(state: State) -> str:
    """What the player who is asked has to decide."""
    asked = {
        MAIN: "What do you do?", SETUP_ACTIVE: "Who begins in the Active Spot?", SETUP_BENCH: "Who goes to the Bench?",
        EVOLVE: "Who evolves?", TRAINER: "On whom?", ABILITY: "On whom?", TARGET: "Who is the target?",
        ATTACH: "Who gets the energy?", SWITCH: "Who comes in?", PROMOTE: "Who takes the Active Spot?",
    }  # fmt: skip
    return asked.get(int(state.pending), "Which?")


def tell(moment: StepTaken, names: Sequence[str]) -> list[StoryLine]:
    """The sentences of a step; of who waits nothing is told."""
    before, after = as_numpy(moment.state), as_numpy(moment.step.state)
    if int(before.pending) == OVER:
        return []
    me = int(before.actor)
    action = int(moment.action[me])
    lines = [StoryLine(f"{names[me]}: {_told(chosen(before, action))}")]
    if action not in (PASS,) and (flips := _coins(before, action, int(moment.chance.coins))):
        lines.append(StoryLine(flips, True))
    lines += [StoryLine(text, True) for player in (1 - me, me) for text in _changes(before, after, player, names)]
    if int(after.turn) != int(before.turn):
        lines.append(StoryLine(f"Turn {int(after.turn)}: {names[int(after.player)]}."))
    if int(after.winner):
        who = int(after.winner)
        lines.append(StoryLine("The game is a tie." if who == TIE else f"The winner: {names[who - 1]}."))
    return lines


def _told(choice: str) -> str:
    return choice[:1].lower() + choice[1:]


def _card(state: State, me: int, k: int, pending: int) -> str:
    if pending == TRAINER:  # Pokemon Flute: the j-th Basic Pokemon in the other's discard pile
        pile = zip(state.cards[1 - me], state.where[1 - me], strict=True)
        basics = [tables.card(int(number)) for number, at in pile if int(at) == IN_DISCARD]
        return f"Bring back {[card for card in basics if card.basic][k].name}"
    card = tables.card(int(state.cards[me, k]))
    if pending == SETUP_ACTIVE:
        return f"Begin with {card.name}"
    if card.evolution:
        return f"Evolve into {card.name}"
    return f"Put {card.name} on the Bench" if card.hp else f"Play {card.name}"


def _name(state: State, player: int, place: int) -> str:
    mon = standing(state, player, place)
    where = "Active" if place == 0 else f"Bench {place}"
    return f"{mon.card.name} ({where})" if mon else where


def _purpose(state: State) -> str:
    asked = {EVOLVE: "Evolve", SWITCH: "Switch to", PROMOTE: "Promote", ATTACH: "Attach to", TARGET: "Hit"}
    return asked.get(int(state.pending), "Choose")


def _coins(before: State, action: int, word: int) -> str:
    """The coins of an attack; those that are flipped after a choice are told there."""
    active = standing(before, int(before.actor), 0)
    if not USE_ATTACK <= action < DISCARD or active is None:
        return ""
    row = encode(active.card.attacks[action - USE_ATTACK].effect)
    n = row.get("coins", 0)
    if not n or row.get("hit_whom") or n == TOSS_PER_ENERGY:
        return ""
    if n == TOSS_UNTIL:
        heads = next(i for i in range(33) if i == 32 or not word >> i & 1)
        return f"{heads} heads before tails."
    heads = sum(word >> i & 1 for i in range(n))
    return ("Heads." if heads else "Tails.") if n == 1 else f"{heads} of {n} coins are heads."


def _changes(before: State, after: State, player: int, names: Sequence[str]) -> Iterator[str]:
    """What became of a player's side."""
    old = {mon.base: (place, mon) for place, mon in enumerate(in_play(before, player)) if mon}
    new = {mon.base: (place, mon) for place, mon in enumerate(in_play(after, player)) if mon}
    for base, (place, mon) in old.items():
        if base in new:
            yield from _of_one(mon, new[base][1])
            if new[base][0] == 0 != place:
                yield f"{new[base][1].card.name} is active now."
            continue
        where = int(after.where[player, base])
        gone = {IN_DISCARD: "is knocked out", IN_HAND: "returns to the hand"}.get(where, "is shuffled into the deck")
        yield f"{mon.card.name} {gone}."
    for base, (_, mon) in new.items():
        if base not in old and int(before.where[player, base]) != IN_HAND:
            yield f"{mon.card.name} comes onto the Bench."
    if (points := int(after.points[player])) != int(before.points[player]):
        yield f"{names[player]}: {points} point{'s' * (points != 1)}."
    drawn = len(hand(after, player)) - len(hand(before, player))
    if drawn > 0:
        yield f"{names[player]}: {drawn} card{'s' * (drawn != 1)} to the hand."


def _of_one(old: Standing, new: Standing) -> Iterator[str]:
    """What became of a Pokemon that stayed."""
    taken = (old.card.hp - old.hp) - (new.card.hp - new.hp)
    if taken < 0:
        yield f"{new.card.name} takes {-taken} damage, {new.hp} HP left."
    elif taken > 0:
        yield f"{new.card.name} is healed by {taken}."
    for type, a, b in zip(ENERGIES, old.energy, new.energy, strict=True):
        if a != b:
            yield f"{new.card.name} {'gets' if b > a else 'loses'} {abs(b - a)} {type} energy."
    for word in new.conditions:
        if word not in old.conditions:
            yield f"{new.card.name}: {word}."
    for word in old.conditions:
        if word not in new.conditions:
            yield f"{new.card.name}: no longer {word}."


def printed(card: Card) -> str:
    """A card in a few words."""
    if not card.hp:
        return card.kind
    return f"{card.hp} HP" + (f", from {card.evolves_from}" if card.evolves_from else "")
