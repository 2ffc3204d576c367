"""What spec.md numbers: fields of the state, actions, what can be asked, flags. Both implementations use it."""

from dataclasses import dataclass

PLAYERS, PLACES, BENCH, CARDS, HEIGHT, ENERGIES = 2, 4, (1, 2, 3), 20, 3, 8
HAND_LIMIT, OPENING, BENCH_SIZE, POINTS_TO_WIN = 10, 5, 3, 3

# Where a card is.
IN_DECK, IN_HAND, IN_DISCARD, IN_PLAY = range(4)

# Conditions that replace each other.
NONE, ASLEEP, PARALYZED = range(3)

# What is asked.
MAIN, SETUP_ACTIVE, SETUP_BENCH, EVOLVE, TRAINER, ABILITY, COPY, TARGET, ATTACH, SWITCH, PROMOTE, RETREAT, OVER = range(
    13
)
PENDING = ("main", "setup active", "setup bench", "evolve", "trainer", "ability", "copy", "target", "attach", "switch")
PENDING += ("promote", "retreat", "over")

# Where in a turn the game is.
IN_MAIN, IN_ENDING, IN_CHECKUP = range(3)

# Winners.
NOBODY_YET, FIRST_WINS, SECOND_WINS, TIE = range(4)

# Where each kind of action begins.
PASS, PLAY, ENERGIZE, RETREAT_TO, USE_ABILITY, USE_ATTACK, DISCARD, OWN, OPP, ENERGY, COPY_OF, ACTIONS = (
    (0, 1, 21, 25, 28, 32, 34, 38, 42, 46, 54, 62)
)  # fmt: skip

# The state: shape and dtype of each field.
FIELDS: dict[str, tuple[tuple[int, ...], str]] = {
    "cards": ((2, 20), "uint16"),
    "types": ((2,), "uint8"),
    "where": ((2, 20), "uint8"),
    "deck": ((2, 20), "uint8"),
    "known": ((2, 20), "bool"),
    "seen_top": ((2,), "uint8"),
    "stack": ((2, 4, 3), "uint8"),
    "damage": ((2, 4), "uint16"),
    "energy": ((2, 4, 8), "uint8"),
    "new": ((2, 4), "bool"),
    "used": ((2, 4), "bool"),
    "condition": ((2,), "uint8"),
    "poisoned": ((2,), "bool"),
    "no_attack_left": ((2,), "uint8"),
    "no_retreat_left": ((2,), "uint8"),
    "prevent_left": ((2,), "uint8"),
    "needs_coin_left": ((2,), "uint8"),
    "dealt_less": ((2,), "uint8"),
    "dealt_less_left": ((2,), "uint8"),
    "taken_less": ((2,), "uint8"),
    "taken_less_left": ((2,), "uint8"),
    "guard": ((2,), "uint8"),
    "guard_left": ((2,), "uint8"),
    "lock_left": ((2,), "uint8"),
    "avenged": ((2,), "bool"),
    "points": ((2,), "uint8"),
    "zone_now": ((2,), "uint8"),
    "zone_next": ((2,), "uint8"),
    "first": ((), "uint8"),
    "player": ((), "uint8"),
    "turn": ((), "uint8"),
    "pending": ((), "uint8"),
    "actor": ((), "uint8"),
    "stage": ((), "uint8"),
    "source": ((), "uint8"),
    "attack": ((), "uint16"),
    "units": ((), "uint8"),
    "supporter_used": ((), "bool"),
    "retreat_used": ((), "bool"),
    "boost": ((), "uint8"),
    "boost_by": ((), "uint16"),
    "retreat_change": ((), "int8"),
    "winner": ((), "uint8"),
}

# What a player observes, in order (R13.1): name and number of values.
OBSERVED: dict[str, int] = {
    **dict.fromkeys(("turn", "my_turn", "i_am_first", "i_choose", "pending", "stage"), 1),
    **dict.fromkeys(("points", "deck_size", "hand_size", "zone_now"), 2),
    **dict.fromkeys(("zone_next", "types"), 1),
    **dict.fromkeys(("supporter_used", "retreat_used", "boost", "boost_by", "retreat_change"), 1),
    **dict.fromkeys(
        ("condition", "poisoned", "no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left"), 2
    ),
    **dict.fromkeys(("dealt_less", "taken_less", "guard", "lock_left", "avenged"), 2),
    **dict.fromkeys(("about", "attack", "units"), 1),
    "pokemon": 8,
    "below": 16,
    "damage": 8,
    "energy": 64,
    "new": 8,
    "used": 8,
    "my_cards": 20,
    "my_where": 20,
    "their_discard": 20,
    "their_known": 20,
    "my_top": 3,
}
OBSERVATION_SIZE = sum(OBSERVED.values())

BASIC_FIRST, RESHUFFLE = "basic_first", "reshuffle"
LOST, KEPT = "lost", "kept"
CONDITIONS, POINTS = "conditions", "points"
OTHER_FIRST, TURN_FIRST = "other_first", "turn_first"


@dataclass(frozen=True)
class PocketFlags:
    """What sources disagree on (spec.md, section 1)."""

    first_turn_draw: bool = True
    opening_hand: str = BASIC_FIRST
    unused_energy: str = LOST
    simultaneous: str = CONDITIONS
    turn_limit: int = 30
    promotion: str = OTHER_FIRST
    first_turn_supporter: bool = True
    first_turn_attack: bool = True

    def __post_init__(self) -> None:
        for name, values in {
            "opening_hand": (BASIC_FIRST, RESHUFFLE),
            "unused_energy": (LOST, KEPT),
            "simultaneous": (CONDITIONS, POINTS),
            "promotion": (OTHER_FIRST, TURN_FIRST),
        }.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name} must be one of {', '.join(values)}, but is {getattr(self, name)!r}")
        if not isinstance(self.turn_limit, int) or not 1 <= self.turn_limit <= 99:
            raise ValueError(f"turn_limit must be from 1 to 99, but is {self.turn_limit!r}")


def describe(action: int) -> str:
    """An action in words."""
    kinds = {"pass": PASS, "play card": PLAY, "attach energy to": ENERGIZE, "retreat to": RETREAT_TO}
    kinds |= {"ability of": USE_ABILITY, "attack": USE_ATTACK, "discard": DISCARD, "own": OWN, "opponent's": OPP}
    kinds |= {"energy": ENERGY, "copy attack": COPY_OF}
    name, start = max(((name, start) for name, start in kinds.items() if start <= action), key=lambda kind: kind[1])
    return name if start == PASS else f"{name} {action - start + (start == RETREAT_TO)}"
