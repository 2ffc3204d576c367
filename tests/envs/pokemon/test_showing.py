"""Battles shown: as sentences, as a page, as text at a terminal, and as a picture."""

import functools
import json
import re

import numpy as np
import pytest

from envwright.core.course import Course
from envwright.envs.pokemon import Pokemon, tables
from envwright.envs.pokemon.replay import lines_of, replay
from envwright.envs.pokemon.screen import screen
from envwright.envs.pokemon.story import as_numpy
from envwright.play.page import page_of

SEED = 5
ESCAPES = re.compile("\x1b\\[[0-9;]*m")


@functools.cache
def played() -> Course:
    """A whole battle, at random."""
    course, rng = Course(Pokemon(), SEED), np.random.default_rng(SEED)
    while not course.over:
        assert course.legal is not None
        course.step(np.argmax(course.legal * rng.random(course.legal.shape), axis=1))
    return course


def test_the_sentences_tell_every_change_of_hp_and_who_wins():
    course = played()
    for moment in course.moments[::7] + course.moments[-1:]:
        before, after = as_numpy(moment.state), as_numpy(moment.step.state)
        text = " ".join(line.text for line in lines_of(moment))
        for side in (0, 1):
            for i in range(6):
                name = tables.SPECIES_NAMES[int(before.species[side, i])]
                if after.hp[side, i] != before.hp[side, i]:
                    assert name in text
                if after.hp[side, i] == 0 < before.hp[side, i]:
                    assert f"{name} fainted." in text
    winner = int(course.state.winner)
    assert lines_of(course.moments[-1])[-1].text == f"Player {winner} wins."


def test_the_page_holds_the_battle_and_needs_nothing_else():
    course = played()
    page = page_of(replay(course.env, course.start, course.moments, ["one </script>", "two"]))
    data = re.search(r'<script id="game" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    battle = json.loads(data[1])
    assert len(battle["frames"]) == len(course.moments) + 1
    for frame, state in zip(battle["frames"][1:], (moment.step.state for moment in course.moments), strict=True):
        assert frame["label"] == f"Turn {int(state.turn)}"
        assert [member["hp"] for side in frame["sides"] for member in side["team"]] == state.hp.ravel().tolist()
    assert battle["result"]["text"].endswith("wins")
    assert "__GAME__" not in page
    assert "__BOARD__" not in page
    assert not re.search(r"""(src|href)=|url\(|https?://|@import""", page)


def test_the_screen_shows_a_menu_and_nothing_hidden():
    course = played()
    lines = screen(course.env, course.start, [], 0, range(10), 1)
    text = ESCAPES.sub("", "\n".join(lines))
    state = as_numpy(course.start)
    for slot in range(4):
        assert re.search(rf"\b{slot}\s+{re.escape(tables.MOVE_NAMES[int(state.moves[0, 0, slot])])}", text)
    for i in range(1, 6):
        assert f"Switch to {tables.SPECIES_NAMES[int(state.species[0, i])]}" in text
        if state.species[1, i] not in state.species[0]:
            assert tables.SPECIES_NAMES[int(state.species[1, i])] not in text
    assert f"{int(state.hp[1, 0])}" not in text
    last = ESCAPES.sub("", "\n".join(screen(course.env, course.start, course.moments, 0, [], None)))
    assert ("You win!" if int(course.state.winner) == 1 else "You lose.") in last


@pytest.mark.parametrize("at", [0, -1])
def test_the_picture_has_a_bar_for_each_active_pokemon(at: int):
    course = played()
    env, state = course.env, course.moments[at].step.state
    frame = env.render(state, course.params)
    assert frame.dtype == np.uint8
    assert frame.shape == (270, 480, 3)
    hurt = state.replace(hp=np.where(np.arange(6) == state.order[:, :1], 1, state.hp).astype(np.int16))
    assert (env.render(hurt, course.params) != frame).any()
