"""The text of a page: a line a paragraph, list item or row of a table, headings as in Markdown."""

import re
from html.parser import HTMLParser

_SILENT = ("script", "style", "template", "noscript", "svg")
_BLOCKS = (
    "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "table", "tr", "thead", "tbody", "section", "article", "header",
    "footer", "main", "nav", "aside", "blockquote", "pre", "figure", "figcaption", "br", "hr", "title", "body", "form",
)  # fmt: skip
_HEADING = re.compile(r"h([1-6])")


class _PageText(HTMLParser):
    """Collects lines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._line = ""
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in _SILENT
        if heading := _HEADING.fullmatch(tag):
            self.end_line()
            self._line = "#" * int(heading[1]) + " "
        elif tag in _BLOCKS:
            self.end_line()
            self._line = "- " if tag == "li" else ""
        elif tag in ("td", "th") and self._line.strip():
            self._line += " | "
        elif tag == "img":
            self._line += dict(attrs).get("alt") or ""

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT and self._silent > 0
        if tag in _BLOCKS or _HEADING.fullmatch(tag):
            self.end_line()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._line += data

    def end_line(self) -> None:
        line = " ".join(self._line.split())
        if line.strip("#-| "):
            self.lines.append(line)
        self._line = ""


def page_lines(text: str) -> list[str]:
    """The lines of an HTML page, without scripts, styles and empty lines."""
    page = _PageText()
    page.feed(text)
    page.close()
    page.end_line()
    return page.lines
