"""What the README shows, runs; what the pages link to, exists."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readmes_code_runs_from_top_to_bottom():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    space: dict[str, Any] = {}
    for block in blocks:
        exec(block, space)
    assert len(blocks) == 2
    assert space["last"].obs.shape == (4096, 8)
    assert space["obs"].shape == (8,)  # of the last block's Pong


def test_every_link_and_picture_is_there():
    links = [(page, a or b) for page in PAGES for a, b in re.findall(r'\]\(([^)#]+)\)|src="([^"]+)"', page.read_text())]
    assert len(links) > len(PAGES)
    assert [(page.name, target) for page, target in links if not (page.parent / target).exists()] == []
