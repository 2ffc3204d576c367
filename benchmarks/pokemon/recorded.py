"""Record battles of Pokemon Showdown for the tests that run without Node: `python recorded.py FILE.npz [BATTLES]`.

Battles of all policies, with random and with custom teams, as the verifier plays them. Of each update the file has both
actions, the seed before it, the masks and the whole state after it. Little changes from one state to the next, so that
states are written as what differs in their bits.
"""

import sys
from pathlib import Path

import numpy as np

from envwright.envs.pokemon import columns as layout
from envwright.envs.pokemon.batched import ShowdownBattles
from envwright.verifier.levels.l3_lockstep import act

SEED = 20
LONGEST = 160  # updates; a battle that lasts longer is cut there


def record(battles: int) -> dict[str, np.ndarray]:
    """The first battle in each place of a batch."""
    games = ShowdownBattles(battles, processes=1, traced=False)
    rng = np.random.default_rng(SEED)
    now = games.reset(SEED)
    on = np.ones(battles, bool)
    rows: list[list[dict[str, np.ndarray]]] = [[_row(now.columns, int(i))] for i in range(battles)]
    for _ in range(LONGEST):
        actions = act(games.policies, now.columns, rng)
        now = games.step(actions)
        ended = now.columns["terminated"]
        for i in np.flatnonzero(on & ~ended):
            chosen = {"actions": actions[i].astype(np.uint8), "before": now.chance["seed"][i]}
            rows[i].append(_row(now.columns, int(i)) | chosen)
        on &= ~ended
        if not on.any():
            break
    games.close()
    none = {"actions": np.zeros(2, np.uint8), "before": np.zeros(2, np.uint32)}
    flat = [none | row for battle in rows for row in battle]
    found = {name: np.stack([row[name] for row in flat]) for name in flat[0]}
    found["first"] = np.cumsum([0, *map(len, rows)])[:-1].astype(np.int32)
    return {name: _changes(column) if name in layout.STATE else column for name, column in found.items()}


def _row(columns: dict[str, np.ndarray], i: int) -> dict[str, np.ndarray]:
    state = {name: columns[f"state.{name}"][i] for name in layout.STATE}
    return state | {"legal": np.packbits(columns["legal_actions"][i])}


def _changes(column: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(column).view(f"u{column.dtype.itemsize}")
    return np.concatenate([bits[:1], bits[1:] ^ bits[:-1]])


if __name__ == "__main__":
    path = Path(sys.argv[1])
    np.savez_compressed(path, **record(int(sys.argv[2]) if len(sys.argv) > 2 else 48))  # pyright: ignore[reportArgumentType]
    print(f"{path}: {path.stat().st_size:,} bytes")
