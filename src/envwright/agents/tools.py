"""What a model may do in a workspace: look, read, search, and write the files it was asked for.

A tool never raises for what the model asks. What is wrong comes back as a sentence, which the model can act on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.agents.protocol import Task
from envwright.agents.workspace import IGNORED, LARGEST

LONGEST = 50_000  # characters of one answer
MATCHES = 200

Schema = dict[str, Any]


class Misuse(Exception):  # noqa: N818 - it is no error of ours: its sentence is the tool's answer
    """The model asked for something that cannot be done."""


@dataclass(frozen=True)
class Tool:
    """Something a model can call."""

    name: str
    description: str
    parameters: Schema
    work: Callable[..., str]


def make_tools(workspace: Path, task: Task) -> dict[str, Tool]:
    """The tools of a task, confined to its workspace."""
    root = workspace.resolve()
    text, number = {"type": "string"}, {"type": "integer"}
    path = text | {"description": "relative to the folder"}
    writable = ", ".join(task.writes)

    def list_files() -> str:
        names = [_name(root, file) for file in _files(root)]
        return _cut("\n".join(names)) or "The folder is empty."

    def read_file(path: str, first_line: int = 1) -> str:
        lines = _read(_inside(root, path)).splitlines(keepends=True)
        if not 1 <= first_line <= max(1, len(lines)):
            raise Misuse(f"{path} has {len(lines)} lines; first_line is {first_line}.")
        return _cut("".join(lines[first_line - 1 :]), "; ask for the rest with first_line") or f"{path} is empty."

    def write_file(path: str, content: str) -> str:
        _write(_writable(root, task, path), path, content)
        return f"{path} is written: {len(content.splitlines())} lines."

    def edit_file(path: str, old: str, new: str) -> str:
        file = _writable(root, task, path)
        before = _read(file)
        if not old or (found := before.count(old)) == 0:
            raise Misuse(f"{path} does not contain this text; old has to be copied from it exactly.")
        if found > 1:
            raise Misuse(f"{path} contains this text {found} times; give more of what stands around it.")
        _write(file, path, before.replace(old, new, 1))
        return f"{path} is changed."

    def grep(text: str, path: str = "") -> str:
        # plain text: a regular expression of a model's could keep us busy for ever
        start = _inside(root, path) if path else root
        hits: list[str] = []
        for file in [start] if start.is_file() else _files(start):
            try:
                lines = _read(file).splitlines()
            except Misuse:  # not text
                continue
            hits += [f"{_name(root, file)}:{n}: {line[:300]}" for n, line in enumerate(lines, 1) if text in line]
            if len(hits) >= MATCHES:
                return _cut("\n".join(hits[:MATCHES])) + f"\nThese are the first {MATCHES}; search for less."
        return _cut("\n".join(hits)) or "No line contains it."

    tools = (
        Tool("list_files", "List all files of the folder.", _object(), list_files),
        Tool("read_file", "Read a file.", _object(path=path, optional={"first_line": number}), read_file),
        Tool(
            "write_file",
            f"Write a whole file, replacing what it held. Only these can be written: {writable}.",
            _object(path=path, content=text),
            write_file,
        ),
        Tool(
            "edit_file",
            f"Replace the one place of a file where a text stands. Only these can be changed: {writable}.",
            _object(path=path, old=text, new=text),
            edit_file,
        ),
        Tool(
            "grep",
            "Find the lines that contain a text, exactly as it is given, in a file, a folder, or everywhere.",
            _object(text=text, optional={"path": path}),
            grep,
        ),
    )
    return {tool.name: tool for tool in tools}


def use(tools: Mapping[str, Tool], name: str, arguments: Any) -> str:
    """What a call answers, whatever was asked for."""
    if (tool := tools.get(name)) is None:
        return f"There is no tool {name!r}; there are {', '.join(tools)}."
    try:
        return tool.work(**_checked(tool, arguments))
    except Misuse as misuse:
        return str(misuse)
    except OSError as error:
        return f"That did not work: {error.strerror}."


def _checked(tool: Tool, arguments: Any) -> dict[str, Any]:
    """Arguments of the right names and types."""
    if not isinstance(arguments, dict):
        raise Misuse(f"The arguments of {tool.name} were not complete JSON; write less at once.")
    known, needed = tool.parameters["properties"], tool.parameters["required"]
    given = {name: value for name, value in arguments.items() if value is not None or name in needed}
    if wrong := [name for name in given if name not in known] or [name for name in needed if name not in given]:
        raise Misuse(f"{tool.name} takes {', '.join(known) or 'no arguments'}; check {wrong[0]}.")
    for name, value in given.items():
        wanted = {"string": str, "integer": int}[known[name]["type"]]
        if not isinstance(value, wanted):
            raise Misuse(f"{name} has to be {'a text' if wanted is str else 'a whole number'}.")
    return given


def _inside(root: Path, name: str) -> Path:
    """A path in the workspace, links followed."""
    if "\0" in name or not (path := (root / name).resolve()).is_relative_to(root):
        raise Misuse(f"{name!r} is outside of the folder; give a path relative to it.")
    if not path.exists():
        raise Misuse(f"There is no file {name}; list_files shows what there is.")
    return path


def _writable(root: Path, task: Task, name: str) -> Path:
    """A path that the task asks for, with no link on the way to it."""
    if name not in task.writes:
        raise Misuse(f"{name} cannot be written; only these can: {', '.join(task.writes)}.")
    path = root / name
    if path.resolve() != path:
        raise Misuse(f"{name} leads out of the folder and cannot be written.")
    return path


def _read(path: Path) -> str:
    if not path.is_file():
        raise Misuse(f"{path.name} is a folder, not a file.")
    if path.stat().st_size > LARGEST:
        raise Misuse(f"{path.name} is larger than {LARGEST} bytes, which is too much to read.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Misuse(f"{path.name} is not text.") from None


def _write(path: Path, name: str, content: str) -> None:
    try:
        data = content.encode()
    except UnicodeEncodeError:
        raise Misuse("The content has half a character in it, which cannot be written.") from None
    if len(data) > LARGEST:
        raise Misuse(f"{name} would be larger than {LARGEST} bytes.")
    if path.is_dir():
        raise Misuse(f"{name} is a folder.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _files(root: Path) -> list[Path]:
    found = (path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink())
    return [path for path in found if not any(part in IGNORED for part in path.relative_to(root).parts)]


def _name(root: Path, file: Path) -> str:
    return file.relative_to(root).as_posix()


def _cut(text: str, hint: str = "") -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n(cut off after {LONGEST} characters{hint})"


def _object(optional: Mapping[str, Schema] | None = None, **needed: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {**needed, **(optional or {})},
        "required": list(needed),
        "additionalProperties": False,
    }
