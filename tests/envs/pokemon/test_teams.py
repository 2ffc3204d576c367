"""Teams of one's own: what they come to, and a sentence for each that cannot be played."""

import re

import numpy as np
import pytest

import envwright
from envwright.envs.pokemon import Pokemon, tables
from envwright.envs.pokemon.tables import pool
from envwright.envs.pokemon.teams import TeamError, TeamMember, Teams, as_arrays, parse, stats_of

STARMIE = """\
Starmie
Level: 74
- Surf
- Blizzard
- Thunderbolt
- Recover

Lola (Mr. Mime) (F)
Ability: No Ability
Level: 68
EVs: 252 HP / 0 Atk
IVs: 2 Atk
- Psychic
"""


def test_text_and_dicts_are_the_same_team():
    team = parse(STARMIE)
    assert team == parse(
        [
            {"species": "starmie", "level": 74, "moves": ["surf", "blizzard", "Thunder bolt", "RECOVER"]},
            {"species": "Mr. Mime", "level": 68, "moves": ["Psychic"], "evs": {"hp": 252, "atk": 0}, "ivs": {"atk": 2}},
        ]
    )
    assert [tables.SPECIES[one.species] for one in team] == ["starmie", "mrmime"]
    assert [tables.MOVES[move] for move in team[0].moves] == ["surf", "blizzard", "thunderbolt", "recover"]


def test_stats_are_those_of_random_teams():
    """The pool's stats are Showdown's; most of its members have the best DVs and full training."""
    teams = pool.teams()
    full, seen = 0, 0
    for t in range(50):
        for i in range(6):
            species, level = int(teams["species"][t, i]), int(teams["level"][t, i])
            best = stats_of(TeamMember(species, level, (1,), (30,) * 5, (252,) * 5))
            full += best == teams["stats"][t, i].tolist()
            assert all(best[k] == teams["stats"][t, i, k] for k in (2, 3, 4))
            seen += 1
    assert full > seen / 2


def test_arrays_have_empty_places_behind():
    arrays = as_arrays(Teams.of(STARMIE))
    assert arrays["species"].tolist() == [[121, 122, 0, 0, 0, 0]]
    assert arrays["pp"][0, 0].tolist() == [24, 8, 24, 32]
    assert not arrays["stats"][0, 2:].any()
    assert arrays["stats"][0, 1, 0] > 150
    assert arrays["speed_points"][0, :2].tolist() == [93, 93]


def test_an_environment_of_given_teams_can_be_hashed():
    env = Pokemon(teams=STARMIE)
    assert hash(env) == hash(Pokemon(teams=[STARMIE]))
    assert env != Pokemon()
    start = env.draw_start(envwright.key(0), env.default_params)
    assert np.asarray(start.teams.species).tolist() == [[121, 122, 0, 0, 0, 0]] * 2


SURF = ["Surf"]


@pytest.mark.parametrize(
    ("team", "sentence"),
    [
        ("", "A team needs at least one Pokemon, and this one is empty."),
        ([], "There is no team to draw from; give at least one."),
        ("Starmee\n- Surf", "There is no Pokemon 'Starmee' in generation 1; did you mean Starmie?"),
        ("Tyranitar\n- Surf", "There is no Pokemon 'Tyranitar' in generation 1"),
        ("Starmie\n- Toxic", "Starmie's move 'Toxic' is not among the 67 of random battles"),
        ("Starmie\n- Surff", "did you mean Surf?"),
        ("Starmie", "Starmie has no move; give it one to 4."),
        ("Starmie\n" + "- Surf\n" * 5, "Starmie has 5 moves, and 4 is the most."),
        ("Starmie\n- Surf\n- surf", "Starmie has Surf twice."),
        ("Starmie @ Leftovers\n- Surf", "holds an item"),
        ("Starmie\nLevel: many\n- Surf", "Starmie is of level many, but levels go from 1 to 100."),
        ("Starmie\nIVs: lots\n- Surf", "should look like"),
        ("Starmie\nwhat is this\n- Surf", "is neither a move"),
        ([{"species": "Starmie", "moves": SURF, "level": 101}], "levels go from 1 to 100"),
        ([{"species": "Starmie", "moves": SURF, "item": "Leftovers"}], "Starmie has 'item', which generation 1"),
        ([{"species": "Starmie", "moves": SURF, "ivs": {"atk": 31}}], "Starmie's ivs have 31 atk"),
        ([{"species": "Starmie", "moves": SURF, "evs": {"luck": 1}}], "Starmie's evs have 'luck'"),
        ([{"species": "Starmie", "moves": SURF}] * 2, "Species Clause allows one of each"),
        ([{"species": name, "moves": SURF} for name in tables.SPECIES_NAMES[1:8]], "at most 6 Pokemon"),
        (3, "Teams are text in Showdown's format, or a list of dicts, but this is 3."),
        ([3], "A team is text in Showdown's format, or a list of dicts, but this is 3."),
    ],
)
def test_what_cannot_be_played_is_one_sentence(team: object, sentence: str):
    with pytest.raises(TeamError, match=re.escape(sentence)) as error:
        Pokemon(teams=team)  # pyright: ignore[reportArgumentType]
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith((".", ")", "?"))
