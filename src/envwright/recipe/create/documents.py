"""Documents as numbered lines of text, so that a rule can say where it stands: `rules.md:12-14`, `rules.pdf:2.14`.

pages (.html), Markdown and text, data files (.csv, .json, .toml, ...)     line numbers: 12
PDFs                                                                       page and line: 2.14
"""

import hashlib
import importlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError, missing_extra
from envwright.recipe.create.web_page import page_lines

TEXT = (".md", ".markdown", ".txt", ".rst")
DATA = (".csv", ".tsv", ".json", ".toml", ".yaml", ".yml")
PAGES = (".html", ".htm")
PDF = ".pdf"
KNOWN = (*PAGES, PDF, *TEXT, *DATA)
MOST = 2_000_000  # characters of all documents together, more than any agent reads
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*")
_PLACE = re.compile(r"(?P<name>.+):(?P<first>\d+(?:\.\d+)?)(?:-(?P<last>\d+(?:\.\d+)?))?")


class DocumentError(EnvwrightError, ValueError):
    """A document cannot be read, or a place is not in it; says what to do."""


@dataclass(frozen=True)
class DocumentLine:
    """A line of a document."""

    number: str  # "12", or "2.14": of page 2
    text: str
    heading: str = ""  # that it stands under


@dataclass(frozen=True)
class SourceDocument:
    """A document as it is given to an agent."""

    name: str
    lines: tuple[DocumentLine, ...]

    def text(self) -> str:
        """Every line with its number in front."""
        width = max(len(line.number) for line in self.lines)
        return "\n".join(f"{line.number:>{width}} | {line.text}".rstrip() for line in self.lines) + "\n"


def read_rulebook(paths: Sequence[Path]) -> tuple[SourceDocument, ...]:
    """All documents, each under the name of its file."""
    if not paths:
        raise DocumentError("There is no document; name at least one, such as rules.md.")
    names = [path.name for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise DocumentError(f"Two documents are called {name}; rename one, for rules name their document.")
    documents = tuple(read_document(path) for path in paths)
    size = sum(len(line.text) for document in documents for line in document.lines)
    if size > MOST:
        raise DocumentError(f"The documents have {size:,} characters, and {MOST:,} are allowed; leave out some.")
    return documents


def read_document(path: Path) -> SourceDocument:
    """One document."""
    suffix = path.suffix.lower()
    if re.match(r"https?:/", str(path)):
        raise DocumentError(f"{path} is an address; save the page to a file, and give the file.")
    if suffix not in KNOWN:
        raise DocumentError(f"{path} is of no known kind; documents end in {', '.join(KNOWN)}.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"The document {path} cannot be read: {error.strerror}; check its name.") from None
    numbered = _pdf_lines(path) if suffix == PDF else _numbered(_decoded(path, content), suffix)
    if not any(text.strip() for _, text in numbered):
        scanned = ", for a scan has only pictures of it" if suffix == PDF else ""
        raise DocumentError(f"There is no text in {path}{scanned}; give a document with the rules in words.")
    return SourceDocument(path.name, _with_headings(numbered, suffix))


def rulebook_hash(documents: Sequence[SourceDocument]) -> str:
    """A hash of all documents, as agents see them."""
    return hashlib.sha256("\0".join(f"{d.name}\0{d.text()}" for d in documents).encode()).hexdigest()


def passage(place: str, documents: Sequence[SourceDocument]) -> tuple[DocumentLine, ...]:
    """The lines at a place such as `rules.md:12-14`; complains about a place that is not there."""
    match = _PLACE.fullmatch(place.strip())
    if match is None:
        raise DocumentError(f"'{place}' is no place; write DOCUMENT:LINE or DOCUMENT:FIRST-LAST, as in rules.md:12-14.")
    document = next((d for d in documents if d.name == match["name"]), None)
    if document is None:
        known = ", ".join(d.name for d in documents)
        raise DocumentError(f"'{place}' is in no document; there is {known}.")
    numbers = [line.number for line in document.lines]
    first, last = match["first"], match["last"] or match["first"]
    for number in (first, last):
        if number not in numbers:
            raise DocumentError(f"'{place}': {document.name} has no line {number}; it ends with line {numbers[-1]}.")
    lines = document.lines[numbers.index(first) : numbers.index(last) + 1]
    if not lines:
        raise DocumentError(f"'{place}' ends before it begins.")
    return lines


# ---- how ----


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DocumentError(f"The document {path} is not text in UTF-8; save it as UTF-8.") from None


def _numbered(text: str, suffix: str) -> list[tuple[str, str]]:
    lines = page_lines(text) if suffix in PAGES else text.splitlines()
    return [(str(number), line.expandtabs()) for number, line in enumerate(lines, 1)]


def _pdf_lines(path: Path) -> list[tuple[str, str]]:
    try:
        pypdf: Any = importlib.import_module("pypdf")
    except ImportError:
        raise missing_extra("pypdf", "pdf") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it has to say of a damaged file is said below
    try:
        texts = [page.extract_text() for page in pypdf.PdfReader(path).pages]
    except Exception as error:  # a damaged file fails in many ways, also outside of the library's own errors
        said = str(error).strip().rstrip(".") or type(error).__name__
        raise DocumentError(
            f"The document {path} cannot be read as a PDF: {said}; save it again, or as text."
        ) from None
    return [
        (f"{page}.{number}", line)
        for page, text in enumerate(texts, 1)
        for number, line in enumerate(text.splitlines(), 1)
    ]


def _with_headings(numbered: Sequence[tuple[str, str]], suffix: str) -> tuple[DocumentLine, ...]:
    """Pages were given Markdown's headings; PDFs and data have none."""
    lines: list[DocumentLine] = []
    heading = ""
    for number, text in numbered:
        found = _HEADING.fullmatch(text.strip()) if suffix in (*TEXT, *PAGES) else None
        heading = found[1] if found else heading
        lines.append(DocumentLine(number, text, heading))
    return tuple(lines)
