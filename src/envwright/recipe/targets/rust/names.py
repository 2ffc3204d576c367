"""Names and types of an interface as Rust writes them."""

import re
from collections.abc import Iterable

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Discrete, Space
from envwright.verifier.interface import Field

TYPES = {
    "bool": "bool",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    "float32": "f32",
    "float64": "f64",
}

KEYWORDS = frozenset({
    "as", "async", "await", "break", "const", "continue", "dyn", "else", "enum", "extern", "false", "fn", "for",
    "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "static",
    "struct", "trait", "true", "type", "unsafe", "use", "where", "while", "abstract", "become", "box", "do", "final",
    "macro", "override", "priv", "try", "typeof", "unsized", "virtual", "yield",
})  # fmt: skip
NEVER = frozenset({"crate", "self", "super", "Self", "_"})  # which not even r# makes into names


def rust_type(field: Field) -> str:
    """A number, or arrays of it: the last axis is the innermost."""
    if field.dtype not in TYPES:
        raise EnvwrightError(
            f"{field.name} is {field.dtype}, which Rust has no number for; map it in the contract to one of "
            f"{', '.join(TYPES)}."
        )
    written = TYPES[field.dtype]
    for size in reversed(field.shape):
        written = f"[{written}; {size}]"
    return written


def action_field(space: Space) -> Field:
    """An action as the rules get it: as Python has it where it is a whole number, and in the space's own type else."""
    return Field("action", space.shape, "int64" if isinstance(space, Discrete) else str(space.dtype))


def identifier(name: str) -> str:
    """A name of the contract as a name in Rust."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not plain or plain[0].isdigit() or plain in NEVER:
        plain = f"x_{plain}"
    return f"r#{plain}" if plain in KEYWORDS else plain


def identifiers(names: Iterable[str], what: str) -> dict[str, str]:
    """Each name with its identifier; two names that become the same cannot stand side by side."""
    taken: dict[str, str] = {}
    for name in names:
        mine = identifier(name)
        if mine in taken:
            raise EnvwrightError(
                f"{what}: '{taken[mine]}' and '{name}' are both called {mine} in Rust; rename one in the contract."
            )
        taken[mine] = name
    return {name: mine for mine, name in taken.items()}


def one_line(text: str) -> str:
    """Text for a comment."""
    return " ".join(text.split())


def literal(text: str) -> str:
    """A string as Rust writes it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\\0").replace("\n", "\\n")
    return f'"{plain}"'
