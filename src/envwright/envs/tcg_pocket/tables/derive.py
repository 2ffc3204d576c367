"""Make the tables from the files of facts: `python -m envwright.envs.tcg_pocket.tables.derive FOLDER`.

FOLDER has `cards.json` and `decks.json` as they were compiled from public sources. What is kept: facts of cards in our
own vocabulary, and deck lists with where they come from. Prints the hashes that `tables` pins.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

# Who the facts were compared with: hp, type, stage, weakness, retreat, cost, damage, symbol of all Pokemon printings.
SOURCES = {
    "bcollazo/deckgym-core@88a8b8231ebd2651227b2a7a273073d314bacf73": "equal in 360 of 360 printings",
    "tcgdex/cards-database@d9083b73db080979123ebf5e9e97338d4e0745b2": "equal in 356 of 360 printings",
    "Vociferix/ptcgp-data@1135d916335cc97baa01b0a98cc8abfd493c3724": "equal in 359 of 360 printings",
    "marcelpanse/tcg-pocket-collection-tracker@5a9f03e04a03c84330660973b3130116e95933a0": "equal in 359 of 360",
    "hugoburguete/pokemon-tcg-pocket-card-database@ce218bdc2133e74683cecd99954f8a7b7189597e": "equal in 359 of 360",
    "chase-manning/pokemon-tcg-pocket-cards@5794eb5bc720ac3b3814eaa7b938fedba16ad339": "hp, type equal in 359 of 360",
}
ABOUT = "302 functional cards of A1, A1a and P-A 1-24, compiled 2026-11-18; effects described in our own vocabulary"
CARD = ("id", "printings", "name", "kind", "type", "stage", "evolves_from", "hp", "weakness", "retreat", "is_ex")
CARD += ("attacks", "ability", "trainer", "conflict", "note")


def cards(facts: Iterable[Mapping[str, Any]]) -> bytes:
    """The cards in ascending order of their ids, a line each, without what is empty."""
    rows = [{name: fact[name] for name in CARD if fact.get(name) not in (None, "")} for fact in facts]
    rows.sort(key=lambda row: row["id"])
    return _file({"about": ABOUT, "sources": SOURCES}, rows)


def decks(facts: Iterable[Mapping[str, Any]]) -> bytes:
    """The decks in ascending order of their ids, a line each."""
    rows = [
        {
            "id": fact["id"],
            "name": fact["name"],
            "energy": fact["energy"],
            "energy_from": fact["energy_from"],
            "cards": {card["id"]: card["n"] for card in sorted(fact["cards"], key=lambda card: card["id"])},
            "source": f"{fact['source']['repo']}@{fact['source']['commit']}:{fact['source']['path']}",
        }
        for fact in facts
    ]
    rows.sort(key=lambda row: row["id"])
    return _file({"about": "deck lists that were published, by the ids of their cards"}, rows)


def _file(provenance: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> bytes:
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{{\n "provenance": {json.dumps(provenance)},\n "rows": [\n{lines}\n ]\n}}\n'.encode()


def main() -> None:
    folder = Path(sys.argv[1])
    for name, made in (("cards.json", cards), ("decks.json", decks)):
        text = made(json.loads((folder / name).read_text()))
        (FOLDER / name).write_bytes(text)
        print(name, hashlib.sha256(text).hexdigest())


if __name__ == "__main__":
    main()
