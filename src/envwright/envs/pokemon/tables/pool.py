"""Random teams that Pokemon Showdown's generator has made, from which battles draw theirs.

`python -m envwright.envs.pokemon.tables.pool NUMBER` makes the file anew, with ENVWRIGHT_SHOWDOWN naming the folder of
pokemon-showdown; team n is the one of the generator's seed n, so that a larger pool begins with the smaller one.
"""

import functools
import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).with_name("teams.npz")
SHA256 = "c101c7c601fb90d81bc9dc7e34d9d8fa8b56e28365ba6e98727eced54f41daed"
DTYPES = {"species": np.uint8, "level": np.uint8, "moves": np.uint8, "pp": np.uint8, "stats": np.int16}
DTYPES |= {"speed_points": np.uint8}


@functools.cache
def teams() -> dict[str, NDArray[Any]]:
    """The fields of `Team`, with a leading axis of teams."""
    raw = FILE.read_bytes()
    if hashlib.sha256(raw).hexdigest() != SHA256:
        raise ImportError(f"{FILE.name} is not what `python -m {__name__}` made; restore it, or pin its new hash.")
    with np.load(io.BytesIO(raw)) as file:
        return {name: file[name] for name in DTYPES}


def make(number: int) -> bytes:
    """The file of so many teams, of six each."""
    command = ["node", Path(__file__).with_name("pool.js"), str(number)]
    made = [json.loads(line) for line in subprocess.run(command, capture_output=True, check=True).stdout.splitlines()]
    for team in made:
        for member in team:
            for name in ("moves", "pp"):
                member[name] += [0] * (4 - len(member[name]))
    fields = {
        name: np.array([[member[name] for member in team] for team in made]).astype(kind)
        for name, kind in DTYPES.items()
    }
    file = io.BytesIO()
    np.savez_compressed(file, **fields)  # pyright: ignore[reportArgumentType]
    return file.getvalue()


if __name__ == "__main__":
    made = make(int(sys.argv[1]))
    FILE.write_bytes(made)
    print(FILE.name, len(made), hashlib.sha256(made).hexdigest())
