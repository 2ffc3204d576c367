"""HTML by construction: what was not made by `tag` is text and escaped, so nothing an agent wrote becomes markup."""

import re
from collections.abc import Sequence
from html import escape

VOID = ("meta", "br", "img")  # elements that have no end
_UNPRINTABLE = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Child = object  # markup, text, a number, a list of these, or None for nothing


class Html(str):
    """Markup."""


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Html:
    """An element. `class_` is class, `stroke_width` is stroke-width; an attribute that is None or False is left out."""
    shown = "".join(_attribute(key, value) for key, value in attributes.items() if value not in (None, False))
    if name in VOID:
        return Html(f"<{name}{shown}>")
    return Html(f"<{name}{shown}>{join(*children)}</{name}>")


def join(*children: Child) -> Html:
    """One after the other."""
    return Html("".join(_child(child) for child in children))


def text(value: object) -> Html:
    """Text as it is to be read. Characters that HTML knows not, such as escapes of a terminal, become a mark."""
    return Html(escape(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", str(value))))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, list | tuple):
        return join(*child)
    return child if isinstance(child, Html) else text(child)


def _attribute(key: str, value: str | float | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def section(id: str, title: str, *children: Child) -> Html:
    """A part of the page with a heading, that can be linked to."""
    return tag("section", tag("h2", title, id=f"{id}-title"), *children, id=id, aria_labelledby=f"{id}-title")


def table(
    head: Sequence[Child], rows: Sequence[Sequence[Child]], class_: str | None = None, numbers: tuple[int, ...] = ()
) -> Html:
    """A table whose first column names its rows; the columns in `numbers` are set to the right."""

    def cell(name: str, i: int, value: Child, scope: str | None = None) -> Html:
        return tag(name, value, scope=scope, class_="number" if i in numbers else None)

    body = [tag("tr", [cell("td", i, v) if i else cell("th", i, v, "row") for i, v in enumerate(row)]) for row in rows]
    heads = tag("tr", [cell("th", i, v, "col") for i, v in enumerate(head)])
    return tag("div", tag("table", tag("thead", heads), tag("tbody", body), class_=class_), class_="scroll")


def details(summary: Child, *children: Child, open_: bool = False) -> Html:
    """Something that is shown when asked for."""
    return tag("details", tag("summary", summary), *children, open=open_)
