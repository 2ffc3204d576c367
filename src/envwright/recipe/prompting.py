"""Prompts from templates: the same few for every environment, with slots.

All are files in `prompts/`; a project's own folder `prompts/` goes before ours, so that every word an agent is told can
be seen and changed.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from envwright.core.errors import EnvwrightError

SHIPPED = Path(__file__).parent / "prompts"
TRANSLATE, REPAIR, REST = "translate", "repair", "rest"
_SLOT = re.compile(r"\{\{(\w+)\}\}")


class PromptError(EnvwrightError, ValueError):
    """A template cannot be used."""


def template(name: str, own: Path | None = None) -> str:
    """The text of a template: the project's, or ours."""
    for folder in (own, SHIPPED):
        if folder is not None and (path := folder / f"{name}.md").is_file():
            return path.read_text()
    raise PromptError(f"There is no template {name}.md in {own or SHIPPED}.")


def fill(text: str, slots: Mapping[str, str]) -> str:
    """A template with its slots filled. What is filled in is not looked at for further slots."""
    unknown = sorted({name for name in _SLOT.findall(text) if name not in slots})
    if unknown:
        raise PromptError(
            f"A template asks for {{{{{unknown[0]}}}}}, which there is not; there are {', '.join(sorted(slots))}."
        )
    return _SLOT.sub(lambda match: slots[match[1]], text).strip() + "\n"


def prompts_hash(own: Path | None = None) -> str:
    """A hash of all templates in use."""
    names = sorted({path.stem for folder in (own, SHIPPED) if folder is not None for path in folder.glob("*.md")})
    return hashlib.sha256("\0".join(f"{name}\0{template(name, own)}" for name in names).encode()).hexdigest()
