"""Failing inputs, kept: one file each, tried first the next time, replayed alone by `envwright replay FILE`."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.references.plain import from_json, to_json
from envwright.references.protocol import Draw
from envwright.verifier.record import Case
from envwright.verifier.session import Session
from envwright.verifier.verdict import Divergence

VERSION = 1


def keep_step(session: Session, divergence: Divergence, case: Case, precision: str, level: str) -> Divergence:
    """Write a single step down, if there is a folder for it; the divergence then says how to replay it."""
    content = {
        "kind": "step",
        "precision": precision,
        "snapshot": to_json(case.snapshot),
        "action": to_json(case.action),
        "tape": None if case.tape is None else to_json([tuple(d) for d in case.tape]),
        "scales": to_json(session.scales if session.rounds else {}),  # by which rounding was judged
        "sizes": to_json(session.sizes if session.rounds else {}),
    }
    return keep(session, divergence, content, level)


def keep(session: Session, divergence: Divergence, content: dict[str, Any], level: str) -> Divergence:
    folder: Path | None = session.regressions
    if folder is None:
        return divergence
    about = {
        "version": VERSION,
        "pair": session.pair,
        "level": level,
        "module": divergence.module,
        "column": divergence.column,
        **content,
    }
    text = json.dumps(about, indent=1) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    name = f"{level}-{divergence.module}-{divergence.column}-{digest}.json".replace(" ", "_").replace("/", "_")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return replace(divergence, replay=f"envwright replay {folder / name}")


def load(path: Path) -> dict[str, Any]:
    """Read one back."""
    try:
        content = json.loads(path.read_text())
    except OSError as error:
        raise EnvwrightError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:  # not text, or not JSON
        raise EnvwrightError(f"{path} is not a regression of envwright's: it is not JSON.") from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        found = content.get("version") if isinstance(content, dict) else None
        raise EnvwrightError(f"{path} is of version {found}; this envwright reads version {VERSION}.")
    for key in ("pair", "kind", "level", "column"):
        if key not in content:
            raise EnvwrightError(f"{path} lacks {key!r}; it is not a whole regression.")
    return content


def stored_steps(session: Session) -> list[Case]:
    """The single steps kept from earlier runs of this pair."""
    folder: Path | None = session.regressions
    if folder is None or not folder.is_dir():
        return []
    found = [load(path) for path in sorted(folder.glob("*.json"))]
    return [step_of(content) for content in found if content["kind"] == "step" and content["pair"] == session.pair]


def step_of(content: dict[str, Any]) -> Case:
    tape = content["tape"]
    draws = None if tape is None else tuple(Draw(*draw) for draw in from_json(tape))
    return Case(from_json(content["snapshot"]), from_json(content["action"]), draws)


def keep_call(session: Session, divergence: Divergence, function: str, arguments: Any) -> Divergence:
    """Write a call of a single function down."""
    return keep(
        session, divergence, {"kind": "call", "function": function, "arguments": to_json(dict(arguments))}, "L1"
    )


def keep_chance(session: Session, divergence: Divergence) -> Divergence:
    """Write down how much chance was drawn; that is all there is to do it again."""
    return keep(session, divergence, {"kind": "chance", "effort": vars(session.effort)}, "L1")


def keep_start(session: Session, divergence: Divergence, seed: int, level: str) -> Divergence:
    """Write down the seed of a new game."""
    return keep(session, divergence, {"kind": "start", "seed": seed}, level)


def keep_episode(session: Session, divergence: Divergence, policy: str, seed: int, precision: str) -> Divergence:
    """Write down an episode up to where it went wrong."""
    content = {
        "kind": "episode",
        "policy": policy,
        "seed": seed,
        "precision": precision,
        "steps": (divergence.step or 0) + 1,
    }
    return keep(session, divergence, content, "L3")
