"""Games shown: as a page, as text at a terminal, and as a picture."""

import json
import re

import numpy as np
import pytest
from told import told_game

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import IN_HAND
from envwright.envs.tcg_pocket.shown.board import hand, in_play
from envwright.envs.tcg_pocket.shown.render import draw_table
from envwright.envs.tcg_pocket.shown.replay import replay
from envwright.envs.tcg_pocket.shown.screen import screen
from envwright.envs.tcg_pocket.shown.story import chosen, tell
from envwright.play.page import page_of

ESCAPES = re.compile("\x1b\\[[0-9;]*m")
NAMES = ("one </script>", "two")


def text_of(lines: list[str]) -> str:
    return ESCAPES.sub("", "\n".join(lines))


def test_the_page_holds_the_game_and_needs_nothing_else() -> None:
    start, moments, _ = told_game()
    page = page_of(replay(None, start, moments, NAMES))
    data = re.search(r'<script id="game" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    game = json.loads(data[1])
    states = [start, *(moment.step.state for moment in moments)]
    assert len(game["frames"]) == len(states)
    for frame, state in zip(game["frames"], states, strict=True):
        for player, side in enumerate(frame["sides"]):
            assert side["points"] == int(state.points[player])
            assert len(side["hand"]) == int((state.where[player] == IN_HAND).sum())
            hp = [None if mon is None else mon["hp"] for mon in side["places"]]
            assert hp == [None if mon is None else mon.hp for mon in in_play(state, player)]
    assert "wins" in game["result"]["text"]
    assert "__GAME__" not in page
    assert "__BOARD__" not in page
    assert not re.search(r"""(src|href)=|url\(|https?://|@import""", page)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_sentences_tell_damage_knock_outs_and_the_winner(seed: int) -> None:
    _, moments, _ = told_game(seed)
    for moment in moments:
        text = " ".join(line.text for line in tell(moment, NAMES))
        before, after = moment.state, moment.step.state
        for player in (0, 1):
            old = {mon.base: mon for mon in in_play(before, player) if mon}
            new = {mon.base: mon for mon in in_play(after, player) if mon}
            for base, mon in old.items():
                if base not in new:
                    assert mon.card.name in text
                elif new[base].card == mon.card and new[base].hp < mon.hp:
                    assert f"{mon.card.name} takes {mon.hp - new[base].hp} damage, {new[base].hp} HP left." in text
    winner = int(moments[-1].step.state.winner)
    assert tell(moments[-1], NAMES)[-1].text == f"The winner: {NAMES[winner - 1]}."


def test_the_screen_has_a_numbered_menu_and_nothing_hidden() -> None:
    start, moments, legal = told_game()
    menus = 0
    for i, (moment, actions) in enumerate(zip(moments, legal, strict=True)):
        state = moment.state
        cursor = actions[0] if len(actions) > 1 else None
        text = text_of(screen(None, start, moments[:i], 0, actions, cursor))
        if cursor is not None:
            menus += 1
            for number, action in enumerate(actions):
                assert re.search(rf"^ +{number} +{re.escape(chosen(state, action))}", text, re.MULTILINE)
        own = {card.name for card in hand(state, 0)}
        shown = {
            tables.card(int(n)).name for player in (0, 1) for n in state.cards[player][state.where[player] != IN_HAND]
        }
        for card in hand(state, 1):
            if card.name not in own | shown:
                assert card.name not in text.split("hand:")[1].split("\n")[0]
                assert not re.search(rf"^  (Active|Bench \d) +{re.escape(card.name)}", text, re.MULTILINE)
        if int(state.turn) == 0:
            assert "face down" in text
    assert menus > 5
    last = text_of(screen(None, start, moments, 0, [], None))
    assert ("You win!" if int(moments[-1].step.state.winner) == 1 else "You lose.") in last


def test_the_other_side_of_setup_is_not_told() -> None:
    start, moments, legal = told_game()
    for i, moment in enumerate(moments):
        if int(moment.state.turn) == 0:
            text = text_of(screen(None, start, moments[:i], 0, legal[i], None))
            assert "Other: " not in text


@pytest.mark.parametrize("at", [0, -1])
def test_the_picture_shows_hp(at: int) -> None:
    _, moments, _ = told_game()
    state = moments[at].step.state
    frame = draw_table(state)
    assert frame.dtype == np.uint8
    assert frame.shape == (300, 480, 3)
    hurt = state.replace(damage=np.where(state.stack[:, :, 0] > 0, 10, state.damage).astype(np.uint16))
    assert (draw_table(hurt) != frame).any()
