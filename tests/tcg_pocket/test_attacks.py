"""Every attack with an effect, in a position made for it; what is expected was read from the card's facts."""

from pathlib import Path
from typing import Any

import pytest
from arranging import (
    WALL,
    alone,
    arrange,
    cost_of,
    deck_ids,
    every_card,
    exercises,
    hit,
    ids_in,
    one_of,
    spot,
    units,
)

from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    IN_HAND,
    MAIN,
    OPP,
    OWN,
    PARALYZED,
    SWITCH,
    TARGET,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference.legality import legal

Case = tuple[str, str]  # card and attack

# Damage to the Defending Pokemon by how the coins fall.
BY_COINS: dict[Case, dict[str, int]] = {
    ("A1-022", "Stomp"): {"T": 30, "H": 60},
    ("A1-023", "Tropical Swing"): {"T": 40, "H": 80},
    ("A1-026", "Double Horn"): {"TT": 0, "HT": 50, "TH": 50, "HH": 100},
    ("A1-031", "Surprise Attack"): {"T": 0, "H": 40},
    ("A1-046", "Sky Attack"): {"T": 0, "H": 130},
    ("A1-069", "KO Crab"): {"TT": 80, "HT": 80, "TH": 80, "HH": 160},
    ("A1-073", "Horn Hazard"): {"T": 0, "H": 80},
    ("A1-101", "Thunder Punch"): {"T": 40, "H": 80},
    ("A1-102", "Pin Missile"): {"TTTT": 0, "HTHT": 80, "HHHH": 160},
    ("A1-104", "Thundering Hurricane"): {"TTTT": 0, "TTTH": 50, "HHHH": 200},
    ("A1-111", "Quick Attack"): {"T": 40, "H": 80},
    ("A1-136", "Double Lariat"): {"TT": 0, "TH": 100, "HH": 200},
    ("A1-153", "Bonemerang"): {"TT": 0, "HT": 80, "HH": 160},
    ("A1-201", "Continuous Lick"): {"T": 0, "HHT": 120, "HHHHHT": 300},
    ("A1-203", "Dizzy Punch"): {"TT": 0, "HT": 30, "HH": 60},
    ("A1a-003", "Powerful Bloom"): {"TT": 0, "HT": 50, "HH": 100},  # two energies, so two coins
    ("A1a-010", "Stomp"): {"T": 10, "H": 40},
    ("A1a-011", "Rising Lunge"): {"T": 40, "H": 100},
    ("A1a-041", "Focus Fist"): {"T": 0, "H": 50},
    ("A1a-061", "Continuous Steps"): {"T": 0, "HHHT": 60},
    ("P-A-020", "Surprise Attack"): {"T": 0, "H": 50},
}

# Damage, and plain damage to the attacker.
RECOIL: dict[Case, tuple[int, int]] = {
    ("A1-040", "Heat Tackle"): (100, 20),
    ("A1-041", "Inferno Onrush"): (120, 20),
    ("A1-149", "Double-Edge"): (150, 50),
    ("P-A-017", "Reckless Charge"): (30, 10),
}

# Damage, and how much the attacker heals.
HEALS: dict[Case, tuple[int, int]] = {
    ("A1-003", "Mega Drain"): (80, 30),
    ("A1-004", "Giant Bloom"): (100, 30),
    ("A1-024", "Absorb"): (40, 10),
    ("A1-029", "Blot"): (10, 10),
    ("A1-080", "Bubble Drain"): (60, 30),
    ("A1-159", "Leech Life"): (50, 50),
    ("A1a-037", "Leaf Drain"): (40, 10),
    ("P-A-014", "Bubble Drain"): (80, 20),
}

# Damage, and the attacker's energy before and after.
DISCARDS: dict[Case, tuple[int, str, str]] = {
    ("A1-033", "Ember"): (30, "fire 2 water", "fire water"),
    ("A1-035", "Fire Spin"): (150, "fire 3 water", "fire water"),
    ("A1-036", "Crimson Storm"): (200, "fire 2 water 2", "water 2"),
    ("A1-038", "Flamethrower"): (90, "fire 2", "fire"),
    ("A1-045", "Flamethrower"): (110, "fire water 2", "water 2"),
    ("A1-052", "Fire Blast"): (130, "fire 2 water 2", "fire water 2"),
    ("A1-095", "Thunderbolt"): (140, "lightning 3 water 2", ""),
    ("A1-128", "Power Blast"): (120, "psychic 3 water", "psychic water"),
    ("A1-129", "Psydrive"): (150, "psychic 2 water 2", "water 2"),
    ("A1a-012", "Fire Blast"): (80, "fire 2", ""),
}

# Damage, condition of the Defending Pokemon, coin if there is one.
CONDITIONS: dict[Case, tuple[int, str, bool]] = {
    ("A1-013", "Soothing Scent"): (80, "asleep", False),
    ("A1-017", "Poison Powder"): (30, "poisoned", False),
    ("A1-063", "Poison Tentacles"): (50, "poisoned", False),
    ("A1-083", "Ice Beam"): (60, "paralyzed", True),
    ("A1-093", "Powder Snow"): (40, "asleep", False),
    ("A1-109", "Thunder Fang"): (80, "paralyzed", True),
    ("A1-112", "Thunder Shock"): (30, "paralyzed", True),
    ("A1-171", "Poison Horn"): (90, "poisoned", False),
    ("A1-174", "Poison Gas"): (10, "poisoned", False),
    ("A1-195", "Sleepy Song"): (80, "asleep", False),
    ("A1a-008", "Flickering Spores"): (50, "asleep", False),
    ("A1a-016", "Poison Claws"): (30, "poisoned", False),
    ("A1a-030", "Thunder Shock"): (10, "paralyzed", True),
    ("A1a-036", "Hypnotic Gaze"): (0, "asleep", False),
    ("A1a-054", "Poison Sting"): (20, "poisoned", False),
    ("P-A-022", "Sing"): (0, "asleep", False),
}

# Damage with the cost alone, with too little extra energy, and with enough.
EXTRA: dict[Case, tuple[int, str, str, int]] = {
    ("A1-055", "Hydro Pump"): (80, "water", "water 2", 140),
    ("A1-056", "Hydro Bazooka"): (100, "water", "water 2", 160),
    ("A1-079", "Hydro Pump"): (20, "water 2", "water 3", 90),
    ("A1a-009", "Energy Whip"): (20, "grass 2", "grass 3", 90),
}

# Damage without and with what the card asks for; what that is, as a position.
IF: dict[Case, tuple[int, int, dict[str, Any]]] = {
    ("A1-091", "Second Strike"): (10, 70, {"theirs": [spot(WALL, damage=10)]}),
    ("A1-142", "Fight Back"): (40, 100, {"damage": 10}),
    ("A1-175", "Venoshock"): (70, 120, {"poisoned": [False, True]}),
    ("A1a-015", "Venoshock"): (10, 50, {"poisoned": [False, True]}),
    ("A1a-047", "Revenge"): (40, 100, {"avenged": [True, False]}),
    ("A1a-055", "Venoshock"): (70, 120, {"poisoned": [False, True]}),
    ("A1a-060", "Fighting Tackle"): (40, 120, {"theirs": ["A1-047"]}),
}

# Damage by what is counted, as positions. A1-094 is a lightning Pokemon, A1-053 a water one, A1-171 Nidoking.
COUNTED: dict[Case, list[tuple[int, dict[str, Any]]]] = {
    ("A1-096", "Circle Circuit"): [(0, {}), (60, {"bench": ["A1-094", "A1-053", "A1-094"]})],
    ("A1a-025", "Circle Circuit"): [(0, {"bench": ["A1-053"]}), (30, {"bench": ["A1-094"] * 3})],
    ("A1-213", "Do the Wave"): [(0, {}), (60, {"bench": ["A1-094", None, "A1-053"]})],
    ("A1-117", "Psychic"): [(60, {}), (150, {"theirs": [spot(WALL, "fire 2 water")]})],
    ("A1-127", "Psychic"): [(30, {}), (90, {"theirs": [spot(WALL, "fire 2 water")]})],
    ("A1a-002", "Psychic"): [(80, {}), (140, {"theirs": [spot(WALL, "fire 2 water")]})],
    ("A1-168", "Lovestrike"): [(80, {"bench": ["A1-169"]}), (180, {"bench": ["A1-171", "A1-171"]})],
    ("A1a-035", "Mind Jack"): [(10, {}), (50, {"theirs": [WALL, "A1-001", None, "A1-001"]})],
    ("A1a-059", "Scattering Cyclone"): [(80, {}), (140, {"theirs": [WALL, "A1-001", "A1-002", "A1-001"]})],
}

# Damage, field, whose (0 the attacker's) and what it becomes; tails of a coin does nothing.
EFFECTS: dict[Case, tuple[int, dict[str, tuple[int, int]], bool]] = {
    ("A1-037", "Tail Whip"): (0, {"no_attack_left": (1, 2)}, True),
    ("A1-057", "Headache"): (10, {"lock_left": (1, 2)}, False),
    ("A1-082", "Ancient Whirlpool"): (70, {"no_attack_left": (1, 2)}, False),
    ("A1-122", "Bother"): (50, {"lock_left": (1, 2)}, False),
    ("A1-126", "Barrier Attack"): (30, {"taken_less": (0, 20), "taken_less_left": (0, 2)}, False),
    ("A1-140", "Dig"): (40, {"prevent_left": (0, 2)}, True),
    ("A1-151", "Growl"): (0, {"dealt_less": (1, 20), "dealt_less_left": (1, 2)}, False),
    ("A1-165", "Corner"): (60, {"no_retreat_left": (1, 2)}, False),
    ("A1a-024", "Dive"): (60, {"prevent_left": (0, 2)}, True),
    ("A1a-029", "Electroweb"): (70, {"no_retreat_left": (1, 2)}, False),
    ("A1a-045", "Guard Press"): (120, {"taken_less": (0, 30), "taken_less_left": (0, 2)}, False),
    ("A1a-050", "Smokescreen"): (50, {"needs_coin_left": (1, 2)}, False),
}

# Damage to the Active and to each Benched Pokemon of the opponent.
SPREAD: dict[Case, tuple[int, int]] = {("A1-084", "Blizzard"): (80, 10), ("A1a-026", "Gigashock"): (60, 20)}

# Damage to one chosen Pokemon of the opponent, and whether it may be the Active.
CHOSEN: dict[Case, tuple[int, bool]] = {
    ("A1-071", "Water Arrow"): (50, True),
    ("A1-106", "Thunder Spear"): (30, True),
    ("A1-154", "Stretch Kick"): (30, False),
    ("A1a-014", "Volcanic Ash"): (80, True),
    ("A1a-021", "Aqua Liner"): (50, False),
    ("A1a-027", "Thunder Spear"): (40, True),
}

# A random energy of the Defending Pokemon: damage, and whether a coin decides.
ROBS: dict[Case, tuple[int, bool]] = {
    ("A1-078", "Hyper Beam"): (100, False),
    ("A1-178", "Crunch"): (20, True),
    ("A1-192", "Drill Run"): (50, True),
    ("A1a-023", "Crunch"): (70, True),
}

# Energy that the user takes from the zone.
GROWS: dict[Case, str] = {("A1-181", "Amass"): "metal", ("A1a-001", "Growth Spurt"): "grass"}

SWITCHES: set[Case] = {("A1-115", "Teleport"), ("A1a-017", "Leap Out")}
DRAWS: set[Case] = {("A1-196", "Pay Day"), ("A1a-033", "Spike Draw")}
FINDS: dict[Case, tuple[str, str]] = {  # what is found, and what is not
    ("A1-166", "Call for Family"): ("A1-169", "A1-166"),
    ("A1a-049", "Division"): ("A1-176", "A1-177"),
}

# Those with a test of their own in test_single_attacks.py.
ALONE: set[Case] = {
    ("A1-005", "Find a Friend"),
    ("A1-030", "Leaf Supply"),
    ("A1-047", "Inferno Dance"),
    ("A1-103", "Raging Thunder"),
    ("A1-163", "Knock Back"),
    ("A1-185", "Draco Meteor"),
    ("A1-197", "Shadow Claw"),
    ("A1-205", "Copy Anything"),
    ("A1-210", "Primal Wingbeat"),
    ("A1-283", "Psy Report"),
    ("A1a-018", "Rampaging Whirlpool"),
    ("A1a-032", "Genome Hacking"),
    ("A1a-038", "Bloomshine"),
    ("A1a-062", "Mimic"),
}

TABLES = (BY_COINS, RECOIL, HEALS, DISCARDS, CONDITIONS, EXTRA, IF, COUNTED, EFFECTS, SPREAD, CHOSEN, ROBS, GROWS)
TABLES = (*TABLES, SWITCHES, DRAWS, FINDS, ALONE)


def test_every_attack_with_an_effect_has_one_fixture() -> None:
    wanted = [(card.id, attack.name) for card in every_card() for attack in card.attacks if attack.effect]
    assert sorted(case for table in TABLES for case in table) == sorted(wanted)
    assert len(wanted) == 125
    alone = Path(__file__).with_name("test_single_attacks.py").read_text()
    assert all(f'("{id}", "{name}"' in alone for id, name in ALONE)


def rows(table: dict[Case, Any]) -> list[Any]:
    return [
        pytest.param(*case, *(row if isinstance(row, tuple) else (row,)), id=case[0]) for case, row in table.items()
    ]


@exercises("R5.6", "R5.7", "R5.8", "R12.1")
@pytest.mark.parametrize(("id", "name", "damage"), rows(BY_COINS))
def test_coins(id: str, name: str, damage: dict[str, int]) -> None:
    for coins, expected in damage.items():
        game = hit(id, name, coins)
        assert game.damage[1][0] == expected, coins
        assert game.dice.drawn == ["coins"]  # type: ignore[attr-defined]
        assert game.damage[0][0] == (20 if (id, coins) == ("A1-101", "T") else 0)


@exercises("R6.8")
@pytest.mark.parametrize(("id", "name", "damage", "recoil"), rows(RECOIL))
def test_recoil(id: str, name: str, damage: int, recoil: int) -> None:
    game = hit(id, name)
    assert (game.damage[1][0], game.damage[0][0]) == (damage, recoil)


@exercises("R5.13")
@pytest.mark.parametrize(("id", "name", "damage", "amount"), rows(HEALS))
def test_healing(id: str, name: str, damage: int, amount: int) -> None:
    game = hit(id, name, damage=amount + 10)
    assert (game.damage[1][0], game.damage[0][0]) == (damage, 10)
    assert hit(id, name, damage=10).damage[0][0] == 0


@exercises("R5.12")
@pytest.mark.parametrize(("id", "name", "damage", "before", "after"), rows(DISCARDS))
def test_discarding_energy(id: str, name: str, damage: int, before: str, after: str) -> None:
    index, _ = cost_of(id, name)
    game = arrange([spot(id, before)], [WALL])
    alone(game, USE_ATTACK + index)
    assert game.damage[1][0] == damage
    assert game.energy[0][0] == units(after)


@exercises("R5.11")
@pytest.mark.parametrize(("id", "name", "damage", "condition", "coin"), rows(CONDITIONS))
def test_conditions(id: str, name: str, damage: int, condition: str, coin: bool) -> None:
    expected = {"asleep": (ASLEEP, False), "paralyzed": (PARALYZED, False), "poisoned": (0, True)}[condition]
    game = hit(id, name, "H" if coin else None)
    assert (game.damage[1][0], (game.condition[1], game.poisoned[1])) == (damage, expected)
    assert (game.condition[0], game.poisoned[0]) == (0, False)
    if coin:
        game = hit(id, name, "T")
        assert (game.damage[1][0], game.condition[1]) == (damage, 0)
    game = hit(id, name, "H" if coin else None, theirs=[spot(WALL, damage=160)])
    assert (game.condition[1], game.poisoned[1]) == (0, False)  # no HP left


@exercises("R5.9")
@pytest.mark.parametrize(("id", "name", "damage", "less", "enough", "more"), rows(EXTRA))
def test_extra_energy(id: str, name: str, damage: int, less: str, enough: str, more: int) -> None:
    found = [hit(id, name, energy=energy).damage[1][0] for energy in ("", less, enough, f"{enough} fire")]
    assert found == [damage, damage, more, more]
    assert hit(id, name, energy="fire 4").damage[1][0] == damage


@exercises("R5.9")
@pytest.mark.parametrize(("id", "name", "damage", "more", "position"), rows(IF))
def test_conditions_for_more_damage(id: str, name: str, damage: int, more: int, position: dict[str, Any]) -> None:
    assert hit(id, name).damage[1][0] == damage
    before = sum(each["damage"] for each in position.get("theirs", ()) if isinstance(each, dict))
    assert hit(id, name, **position).damage[1][0] - before == more


@exercises("R5.8", "R5.9")
@pytest.mark.parametrize(("id", "name", "cases"), rows(COUNTED))
def test_counts(id: str, name: str, cases: list[tuple[int, dict[str, Any]]]) -> None:
    for damage, position in cases:
        assert hit(id, name, **position).damage[1][0] == damage


@exercises("R5.16")
@pytest.mark.parametrize(("id", "name", "damage", "fields", "coin"), rows(EFFECTS))
def test_effects(id: str, name: str, damage: int, fields: dict[str, tuple[int, int]], coin: bool) -> None:
    game = hit(id, name, "H" if coin else None)
    assert game.damage[1][0] == damage
    for field, (whose, value) in fields.items():
        assert getattr(game, field) == ([value, 0] if whose == 0 else [0, value])
    if coin:
        game = hit(id, name, "T")
        assert game.damage[1][0] == damage
        assert all(getattr(game, field) == [0, 0] for field in fields)


@exercises("R6.7")
@pytest.mark.parametrize(("id", "name", "damage", "bench"), rows(SPREAD))
def test_damage_to_the_whole_bench(id: str, name: str, damage: int, bench: int) -> None:
    game = hit(id, name, theirs=[WALL, "A1-001", None, "A1-001"], bench=["A1-001"])
    assert game.damage == [[0] * 4, [damage, bench, 0, bench]]


@exercises("R5.4", "R6.7", "R11.3")
@pytest.mark.parametrize(("id", "name", "damage", "active"), rows(CHOSEN))
def test_damage_to_a_chosen_pokemon(id: str, name: str, damage: int, active: bool) -> None:
    game = hit(id, name, theirs=[WALL, "A1-001", None, "A1-001"])
    assert game.pending == TARGET
    assert legal(game) == [OPP] * active + [OPP + 1, OPP + 3]
    alone(game, OPP + 3)
    assert game.damage[1] == [0, 0, 0, damage]
    if id == "A1a-014":
        assert game.energy[0][0] == units("darkness")  # both fire are gone
    if active:
        game = hit(id, name)
        alone(game, OPP)
        assert game.damage[1][0] == damage
    else:
        assert hit(id, name).pending == MAIN  # nobody to choose


@exercises("R5.12", "R12.2")
@pytest.mark.parametrize(("id", "name", "damage", "coin"), rows(ROBS))
def test_discarding_a_random_energy(id: str, name: str, damage: int, coin: bool) -> None:
    for index, left in enumerate(("fire water 2", "fire 2 water", "fire 2 water")):
        position: dict[str, Any] = {"theirs": [spot(WALL, "fire 2 water 2")], "dice": {"pick": one_of(index + 1, 4)}}
        game = hit(id, name, "H" if coin else None, **position)
        assert (game.damage[1][0], game.energy[1][0]) == (damage, units(left))
    assert "pick" not in hit(id, name, "H" if coin else None).dice.drawn  # type: ignore[attr-defined]
    if coin:
        game = hit(id, name, "T", theirs=[spot(WALL, "fire")])
        assert (game.damage[1][0], game.energy[1][0]) == (damage, units("fire"))


@exercises("R5.14")
@pytest.mark.parametrize(("id", "name", "type"), rows(GROWS))
def test_energy_for_the_user(id: str, name: str, type: str) -> None:
    _, cost = cost_of(id, name)
    assert hit(id, name).energy[0][0] == [a + b for a, b in zip(cost, units(type), strict=True)]


@exercises("R5.15", "R4.13")
@pytest.mark.parametrize(("id", "name"), sorted(SWITCHES))
def test_the_attacker_switches(id: str, name: str) -> None:
    game = hit(id, name, bench=["A1-001", None, "A1-002"], damage=10)
    assert (game.pending, game.actor) == (SWITCH, 0)
    assert legal(game) == [OWN + 1, OWN + 3]
    alone(game, OWN + 3)
    assert game.damage[0] == [0, 0, 0, 10]
    assert hit(id, name).pending == MAIN


@exercises("R5.18")
@pytest.mark.parametrize(("id", "name"), sorted(DRAWS))
def test_drawing_a_card(id: str, name: str) -> None:
    game = hit(id, name, decks=[["A1-001", "A1-002"], []])
    assert (game.damage[1][0], ids_in(game, IN_HAND), deck_ids(game)) == (10, ["A1-002"], ["A1-001"])


@exercises("R5.17", "R2.8")
@pytest.mark.parametrize(("id", "name", "wanted", "other"), rows(FINDS))
def test_searching_for_the_bench(id: str, name: str, wanted: str, other: str) -> None:
    game = hit(id, name, decks=[[other, wanted, other], []], dice={"pick": 0})
    assert game.stack[0][1][0]
    assert game.new[0] == [False, True, False, False]
    assert deck_ids(game) == [other, other]
    full = hit(id, name, decks=[[other, wanted], []], bench=["A1-001"] * 3)
    assert deck_ids(full) == [other, wanted]
    assert full.dice.drawn == ["keys"]  # type: ignore[attr-defined]
    assert hit(id, name, decks=[[other], []]).stack[0][1] == [0, 0, 0]
