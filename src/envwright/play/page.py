"""A game as a page of HTML to click through, which needs nothing beside itself: `replay.html`, with the game in it."""

import json
from pathlib import Path

from envwright.core.course import ToldGame

PAGE = Path(__file__).with_name("replay.html")


def page_of(told: ToldGame) -> str:
    """The page."""
    game = {name: getattr(told, name) for name in ("title", "about", "chart", "result", "frames")}
    data = json.dumps(game, separators=(",", ":"), ensure_ascii=False)
    page = PAGE.read_text(encoding="utf-8").replace("__BOARD__", told.board)
    return page.replace("__GAME__", data.replace("<", "\\u003c"))
