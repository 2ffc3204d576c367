"""A run, kept as a recording."""

import json
from pathlib import Path

from envwright.recipe.begin import copy_project
from envwright.recipe.events import Finished
from envwright.recipe.journal import read_journal
from envwright.recipe.recorded import FILE, RecordingError, make_recording
from envwright.recipe.run import PROMPT
from envwright.recipe.start import JOURNAL


def keep_recording(folder: Path, into: Path) -> int:
    """Write the recording of a finished run; gives the number of answers in it."""
    events = read_journal(folder / JOURNAL)
    if not any(isinstance(event, Finished) for event in events):
        raise RecordingError(f"The run in {folder} is not finished; finish it with: envwright resume {folder}.")
    prompts = {path.parent.name: path.read_text() for path in (folder / "work").glob(f"*/{PROMPT}")}
    content = make_recording(events, prompts)
    if into.resolve() != folder.resolve():
        copy_project(folder, into)
    (into / FILE).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return len(content["answers"])
