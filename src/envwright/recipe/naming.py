"""What a user types to name an original, and what follows from it: where it is, its options, a name for the rest."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError

TAKEN = frozenset(  # by what the files of a translation import
    {"Box", "Discrete", "Env", "JaxBatch", "Params", "Space", "StartChance", "State", "Step", "StepChance", "TimeLimit"}
)
LONGEST = 60  # characters of a name that is made of options


class BeginError(EnvwrightError, ValueError):
    """A run cannot be begun like this."""


def located(reference: str, folder: Path) -> str:
    """`file.py:Class` as a project in `folder` names it: from the folder if it is inside, else from the root."""
    where, _, name = reference.rpartition(":")
    if not where.endswith(".py"):
        return reference
    path, home = Path(where).resolve(), folder.resolve()
    return f"{path.relative_to(home) if path.is_relative_to(home) else path}:{name}"


def told(reference: str) -> str:
    """A reference as others are told of it: where the file is on this machine is nobody else's business."""
    where, _, name = reference.rpartition(":")
    return f"{Path(where).name}:{name}" if Path(where).is_absolute() else reference


def read_options(texts: Sequence[str]) -> dict[str, Any]:
    """`is_slippery=false` as {"is_slippery": False}: values as JSON writes them, or else as texts."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.isidentifier() and equals):
            raise BeginError(f"'{text}' is not an option of an original; write it like --set is_slippery=false.")
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda name: text)
    except ValueError:
        return text


def all_options(reference: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a reference: those that were given, and those that it is told without being asked."""
    return {**({"forgets": True} if reference.startswith("minatar:") else {}), **given}


def short_name(reference: str, options: Mapping[str, Any] | None = None) -> str:
    """`gymnasium:CartPole-v1` is cart_pole; a name for files, packages and folders. Options make it another one."""
    text = re.sub(r"-v\d+$", "", reference.rpartition(":")[2]).rpartition("/")[2]
    name = _words(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text))
    if not name.isidentifier():
        raise BeginError(f"{reference} gives no name for a package; make a project with: envwright init --name.")
    return f"{name}_{_named(options)}" if options else name


def title_of(name: str) -> str:
    """cart_pole is the class CartPole; one that is called like what the file of the class imports is another word."""
    title = "".join(word.capitalize() for word in name.split("_"))
    return f"{title}Env" if title in TAKEN else title


def _named(options: Mapping[str, Any]) -> str:
    """Options as part of a name: the same for the same, in any order."""
    text = json.dumps(options, sort_keys=True)
    words = _words(text)
    return words if len(words) <= LONGEST else hashlib.sha256(text.encode()).hexdigest()[:8]


def _words(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_").lower()
