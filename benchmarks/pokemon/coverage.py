"""What the verifier's players reach of Pokemon Showdown's rules, counted: `python coverage.py [BATTLES] [FILE.json]`.

Moves, moves beside what was active on either side, two moves in one turn, messages, and places that draw numbers.
"""

import json
import sys
from pathlib import Path

import numpy as np

from envwright.envs.pokemon.batched import ShowdownBattles
from envwright.verifier.levels.l3_lockstep import act

AT_ONCE = 256


def main() -> None:
    battles = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    games, rng = ShowdownBattles(AT_ONCE), np.random.default_rng(0)
    now, ended, updates = games.reset(0), 0, 0
    while ended < battles:
        now = games.step(act(games.policies, now.columns, rng))
        ended, updates = ended + int(now.columns["terminated"].sum()), updates + AT_ONCE
    found = games.counted()
    games.close()
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps({"battles": ended, "updates": updates, **found}, indent=1))
    print(f"{ended:,} battles, {updates:,} updates\n")
    for title, table in (("place that draws", "draw"), ("move", "move"), ("message", "log")):
        print(f"| {title} | times |\n|---|---|")
        for key, count in sorted(found[table].items(), key=lambda item: -item[1]):
            print(f"| {key} | {count:,} |")
        print()
    print(f"{len(found['pair']):,} pairs of moves in one turn, {len(found['effect']):,} of a move and what was active.")


if __name__ == "__main__":
    main()
