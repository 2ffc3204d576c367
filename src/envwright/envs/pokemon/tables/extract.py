"""Take the tables out of the package anew: `python -m envwright.envs.pokemon.tables.extract`, for a new version of it.

ENVWRIGHT_SHOWDOWN names the folder of pokemon-showdown. Prints the hash that `tables` pins.
"""

import hashlib
import json
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent


def extract() -> bytes:
    """The tables as the file has them."""
    printed = subprocess.run(["node", FOLDER / "extract.js"], capture_output=True, check=True).stdout
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in json.loads(printed).items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def main() -> None:
    text = extract()
    (FOLDER / "gen1.json").write_bytes(text)
    print("gen1.json", hashlib.sha256(text).hexdigest())


if __name__ == "__main__":
    main()
