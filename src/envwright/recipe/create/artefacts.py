"""The artefacts of a creation: in the journal as they were accepted, and as files that a person may edit.

A file that is not as it was last accepted was edited. It is checked; if it is right it is accepted as it is, and what
was made from it before no longer holds.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.recipe.create.judging import REFERENCE, SPECIFICATION, TESTS, CreationJudge
from envwright.recipe.events import Accepted, Event
from envwright.recipe.journal import Journal

FOLDER = "created"
ORDER = (SPECIFICATION, REFERENCE, TESTS)


class EditedError(EnvwrightError, ValueError):
    """An artefact was edited, and is not right; nothing was taken over."""


@dataclass(frozen=True)
class Artefacts:
    """What holds after some events."""

    files: Mapping[str, str]  # those that hold
    outdated: Mapping[str, str]  # those that were made from another specification
    revision: int  # how often the specification was made by hand or anew, from 1


def artefacts(events: Iterable[Event]) -> Artefacts:
    """The artefacts after these events."""
    files: dict[str, str] = {}
    outdated: dict[str, str] = {}
    revision = 1
    for event in events:
        if not isinstance(event, Accepted):
            continue
        if event.edited and SPECIFICATION in event.files:
            revision += 1
            outdated |= {name: text for name, text in files.items() if name != SPECIFICATION}
            files = {}
        files |= event.files
    return Artefacts(files, {name: text for name, text in outdated.items() if name not in files}, revision)


def write_artefacts(folder: Path, files: Mapping[str, str], path_of: Mapping[str, str]) -> None:
    """Put what holds where a person can edit it; each file whole or not at all."""
    for artefact, text in files.items():
        path = folder / FOLDER / path_of[artefact]
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.read_bytes() == text.encode():
            continue
        part = path.with_name(f".{path.name}.part")
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)


def take_edits(folder: Path, journal: Journal, judge: CreationJudge, path_of: Mapping[str, str]) -> list[str]:
    """Accept what a person has edited, in order, so that each is checked with those before it; gives their names."""
    taken: list[str] = []
    for artefact in ORDER:
        held = artefacts(journal.events)
        text = _edited(folder / FOLDER / path_of[artefact], artefact, journal.events)
        if text is None:
            continue
        if artefact != SPECIFICATION and SPECIFICATION not in held.files:
            continue  # there is nothing yet to check it with
        if complaint := judge.complaint(artefact, {**held.files, artefact: text}):
            raise EditedError(
                f"{folder / FOLDER / path_of[artefact]} was edited and is not right: {complaint.rstrip('.')}. Correct "
                f"it, and go on with: envwright resume {folder}."
            )
        journal.append(Accepted({artefact: text}, edited=True))
        taken.append(artefact)
    return taken


def _edited(path: Path, artefact: str, events: Iterable[Event]) -> str | None:
    """What a person has made of a file, if it is neither as it was last accepted, nor, for a run may be killed between
    accepting and writing, as it was before that."""
    versions = [(e.files[artefact], e.edited) for e in events if isinstance(e, Accepted) and artefact in e.files]
    if not versions or not path.exists():
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EditedError(f"{path} cannot be read: {error}; save it as UTF-8, or delete it to have it back.") from None
    last, by_hand = versions[-1]
    ours = [last] if by_hand else [last, *(text for text, _ in versions[-2:-1])]
    return None if text in ours else text
