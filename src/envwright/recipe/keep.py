"""A run, kept as a recording."""

import json
from pathlib import Path

from envwright.recipe.events import Finished
from envwright.recipe.journal import read_journal
from envwright.recipe.journaled_run import PROMPT
from envwright.recipe.new_project import copy_project
from envwright.recipe.open_run import JOURNAL, read_documents
from envwright.recipe.project import load_project
from envwright.recipe.recorded import FILE, RecordingError, copied_lines, make_recording


def keep_recording(folder: Path, into: Path) -> int:
    """Write the recording of a finished run; gives the number of answers in it."""
    events = read_journal(folder / JOURNAL)
    if not any(isinstance(event, Finished) for event in events):
        raise RecordingError(f"The run in {folder} is not finished; finish it with: envwright resume {folder}.")
    prompts = {path.parent.name: path.read_text() for path in (folder / "work").glob(f"*/{PROMPT}")}
    content = make_recording(events, prompts)
    project = load_project(folder)
    analysis = read_documents(project).analysis
    original = [line for source in analysis.sources for line in analysis.text(source.path).splitlines()]
    if not project.rulebook and (copied := copied_lines(content, original)):  # else the original is an answer itself
        raise RecordingError(f"An answer holds a line of the original, which is not ours to keep: {copied[0]}")
    if into.resolve() != folder.resolve():
        copy_project(folder, into)
    (into / FILE).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return len(content["answers"])
