"""What must hold in any state and any step, by spec.md: an oracle that knows nothing of the reference but its fields,
for a reference can be wrong, too. The verifier asks it of both sides (`oracle` in the contract).

Cards are read from the table's file anew, so that a mistake in how the package reads them shows, too.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

Fields = Mapping[str, Any]

FACTS = [{}] + json.loads((Path(__file__).parent / "tables" / "cards.json").read_text())["rows"]
DECK, HAND, DISCARD, PLAY = range(4)
MAIN, SETUP_ACTIVE, SETUP_BENCH, EVOLVE, TRAINER, ABILITY, COPY, TARGET, ATTACH, SWITCH, PROMOTE, RETREAT, OVER = range(
    13
)
RETURNING = {"Koga", "Budding Expeditioner"}
AMOUNTS = ("dealt_less", "taken_less", "guard")
OF_ACTIVE = ("condition", "poisoned", "no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left")
OF_ACTIVE += ("dealt_less", "dealt_less_left", "taken_less", "taken_less_left")
OF_TURN = ("supporter_used", "retreat_used", "boost", "boost_by", "retreat_change")
WITH_SOURCE = (EVOLVE, TRAINER, ABILITY, RETREAT)
PLAYERS, PLACES, CARDS = range(2), range(4), range(20)


def check(before: Fields | None, action: Any, after: Fields, options: Mapping[str, Any]) -> list[str]:
    """What is wrong with a step, or with the state that a game begins in. `options` are those of the environment."""
    flags = {"simultaneous": "conditions", "turn_limit": 30, **options}
    found = wrong(after, flags["simultaneous"])
    if before is None or before["pending"] == OVER:
        return found
    if after["turn"] > max(before["turn"], flags["turn_limit"]):
        found.append("a turn beyond the limit")
    return found + wrong_step(before, int(action[before["actor"]]), after)


def fact(state: Fields, player: int, k: int) -> Any:
    return FACTS[state["cards"][player][k]]


def stack(state: Fields, player: int, place: int) -> list[int]:
    return [k - 1 for k in state["stack"][player][place] if k]


def hp(card: Any) -> int:
    return 40 if card["kind"] == "fossil" else card["hp"]


def occupied(state: Fields, player: int) -> list[int]:
    return [place for place in PLACES if stack(state, player, place)]


def wrong(state: Fields, simultaneous: str = "conditions") -> list[str]:
    """What is wrong with a state."""
    found = [f"{what}, player {player}" for player in PLAYERS for what in _wrong_of(state, player)]
    checks = {
        "over without a winner, or the other way": (state["pending"] == OVER) == (state["winner"] != 0),
        "not the turn of this player": state["turn"] == 0
        or (state["player"] == state["first"]) == (state["turn"] % 2 == 1),
        "setup after turn 0, or the other way": (state["turn"] == 0)
        == (state["pending"] in (SETUP_ACTIVE, SETUP_BENCH)),
        "an attack under way at the wrong time": bool(state["attack"]) == (state["pending"] in (COPY, TARGET, ATTACH)),
        "units at the wrong time": bool(state["units"]) == (state["pending"] in (ATTACH, RETREAT)),
        "a source at the wrong time": not state["source"] or state["pending"] in WITH_SOURCE,
        "a stage at the wrong time": not state["stage"] or state["pending"] in (COPY, TARGET, ATTACH, SWITCH, PROMOTE),
        "the wrong player is asked": state["actor"] == state["player"]
        or state["pending"] in (SETUP_ACTIVE, SETUP_BENCH, SWITCH, PROMOTE, OVER),
        "a boost of nobody": state["boost"] or not state["boost_by"],
    }
    found += [what for what, holds in checks.items() if not holds]
    if state["winner"]:
        found += [] if state["winner"] == expected_winner(state, simultaneous) else ["the wrong winner"]
    elif max(state["points"]) >= 3:
        found.append("3 points, and nobody has won")
    return found


def _wrong_of(state: Fields, player: int) -> list[str]:
    places = occupied(state, player)
    in_deck = [k - 1 for k in state["deck"][player] if k]
    in_play = [k for place in PLACES for k in stack(state, player, place)]
    hand = [k for k in CARDS if state["where"][player][k] == HAND]
    settled = state["pending"] not in (ATTACH, SWITCH)
    checks = {
        "cards lost or doubled in the deck": sorted(in_deck) == [k for k in CARDS if state["where"][player][k] == DECK],
        "a gap in the deck": state["deck"][player] == [k + 1 for k in in_deck] + [0] * (20 - len(in_deck)),
        "cards lost or doubled in play": sorted(in_play) == [k for k in CARDS if state["where"][player][k] == PLAY],
        "an unsorted deck list": list(state["cards"][player]) == sorted(state["cards"][player]),
        "known cards outside of the hand": all(k in hand for k in CARDS if state["known"][player][k]),
        "more cards seen than there are": state["seen_top"][player] <= min(3, len(in_deck)),
        "no Active": 0 in places or state["pending"] in (SETUP_ACTIVE, PROMOTE, SETUP_BENCH, OVER),
        "effects of nobody": 0 in places or not any(state[name][player] for name in OF_ACTIVE),
        "an effect that lasts too long": all(
            value[player] <= 2 for name, value in state.items() if name.endswith("_left")
        ),
        "an amount without an effect": all((state[n][player] > 0) == (state[f"{n}_left"][player] > 0) for n in AMOUNTS),
        "a condition that there is not": state["condition"][player] in (0, 1, 2),
        "energy of a type that the deck has not": _has(state, player, "zone_now") and _has(state, player, "zone_next"),
        "no next energy": state["zone_next"][player] > 0,
    }
    found = [what for what, holds in checks.items() if not holds]
    for place in PLACES:
        cards = [fact(state, player, k) for k in stack(state, player, place)]
        if not cards:
            rest = state["damage"][player][place], *state["energy"][player][place]
            if any((*rest, state["new"][player][place], state["used"][player][place])):
                found.append(f"something of nobody at place {place}")
            continue
        if cards[0].get("evolves_from") or cards[0]["kind"] not in ("pokemon", "fossil"):
            found.append(f"no Basic Pokemon at the bottom of place {place}")
        if any(upper.get("evolves_from") != lower["name"] for lower, upper in pairwise(cards)):
            found.append(f"a stack that is no evolution at place {place}")
        if settled and state["damage"][player][place] >= hp(cards[-1]) and not state["winner"]:
            found.append(f"a Pokemon without HP at place {place}")
        if state["damage"][player][place] % 10:
            found.append(f"damage that is no multiple of 10 at place {place}")
    return found


def _has(state: Fields, player: int, zone: str) -> bool:
    type = state[zone][player]
    return type == 0 or bool(state["types"][player] >> (type - 1) & 1)


def expected_winner(state: Fields, simultaneous: str) -> int:
    """R8.4, R8.5 and R3.7."""
    there = [bool(occupied(state, player)) for player in PLAYERS]
    points = [state["points"][p] >= 3 for p in PLAYERS]
    alone = [there[p] and not there[1 - p] for p in PLAYERS]
    score = [points[p] + alone[p] for p in PLAYERS]
    if simultaneous == "points":
        score = [int(won) for won in (points if any(points) else alone)]
    return 3 if score[0] == score[1] else 1 if score[0] > score[1] else 2


def wrong_step(before: Fields, action: int, after: Fields) -> list[str]:
    """What is wrong with a step."""
    actor, found = before["actor"], list[str]()
    if [list(cards) for cards in before["cards"]] != [list(cards) for cards in after["cards"]]:
        found.append("a deck list has changed")
    ended = before["turn"] != after["turn"]
    if ended and (after["turn"] != before["turn"] + 1 or any(after[name] for name in OF_TURN)):
        found.append("a turn has not begun properly")
    if ended and any(map(any, after["new"])):
        found.append("a Pokemon that is new as a turn begins")
    if ended and any(left[player] > 1 for name, left in after.items() if name.endswith("_left") for player in PLAYERS):
        found.append("an effect that has not become shorter")
    for name in ("supporter_used", "retreat_used"):
        if before[name] and not after[name] and not ended and not after["winner"] and after["stage"] != 2:
            found.append(f"{name} has been forgotten")
    for player in PLAYERS:
        found += [f"{what}, player {player}" for what in _wrong_step_of(before, action, after, player, actor)]
    return found


def _wrong_step_of(before: Fields, action: int, after: Fields, player: int, actor: int) -> list[str]:
    found = []
    playing = before["pending"] == MAIN and 1 <= action <= 20 and player == actor
    played = fact(before, player, action - 1) if playing else None
    hands = [sum(where == HAND for where in state["where"][player]) for state in (before, after)]
    if hands[1] > max(10, hands[0]) and not (played and played["name"] in RETURNING):
        found.append("more than 10 cards in hand")
    if played and before["where"][player][action - 1] != HAND:
        found.append("a card was played that was not in hand")
    if played and played["kind"] == "supporter" and (before["supporter_used"] or not after["supporter_used"]):
        found.append("a second Supporter, or one that does not count")
    lost = lost_pokemon(before, after, player)
    discards = before["pending"] == MAIN and 34 <= action <= 37 and player == actor
    worth = 0 if discards else sum(2 if card["is_ex"] else 1 for card in lost)
    if after["points"][1 - player] - before["points"][1 - player] != worth:
        found.append("points that were not earned, or not given")
    units = [sum(map(sum, state["energy"][player])) for state in (before, after)]
    main = before["pending"] == MAIN and player == actor
    if main and 21 <= action <= 24 and (units[1] != units[0] + 1 or after["zone_now"][player]):
        found.append("an energy that was not attached")
    still = (action == 0 and main) or before["pending"] in (EVOLVE, PROMOTE) or (played and played["kind"] == "pokemon")
    if still and not lost and units[0] != units[1]:
        found.append("energy that comes or goes by itself")
    if main and not (21 <= action <= 24) and units[1] > units[0] and not _attaches(before, action):
        found.append("energy from nowhere")
    return found


def lost_pokemon(before: Fields, after: Fields, player: int) -> list[Any]:
    """The top cards of Pokemon that went to the discard pile."""
    tops = [stack(before, player, place)[-1] for place in occupied(before, player)]
    return [fact(before, player, k) for k in tops if after["where"][player][k] == DISCARD]


def _attaches(state: Fields, action: int) -> bool:
    """Whether a card that is used says so."""
    player = state["actor"]
    if 28 <= action <= 33:
        card = fact(state, player, stack(state, player, action - 28 if action < 32 else 0)[-1])
        used = card["ability"] if action < 32 else card["attacks"][action - 32]
    else:
        used = fact(state, player, action - 1).get("trainer", {}) if 1 <= action <= 20 else {}
    return any(name in json.dumps(used) for name in ("attach_energy_from_zone", "move_energy"))
