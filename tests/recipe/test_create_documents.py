"""Documents as numbered lines; and one sentence about each that cannot be read."""

import sys
from pathlib import Path

import pypdf
import pytest

from envwright.recipe.create.documents import DocumentError, passage, read_document, read_rulebook

PAGE = """<html><head><title>Rules</title><style>p {}</style><script>var x = "no rule";</script></head><body>
<h2>Dawn &amp; dusk</h2><p>When the last hour
has passed, it is <b>dawn</b>.</p><ul><li>Row.</li><li>Drift.</li></ul>
<table><tr><th>die</th><th>stones</th></tr><tr><td>1</td><td>4</td></tr></table></body></html>"""


def pdf_of(lines: list[str]) -> bytes:
    """A PDF of one page, by hand."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    stream = f"BT /F1 12 Tf 14 TL 72 700 Td {shown} ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + head + table + end


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_markdown_and_data_keep_their_lines(tmp_path: Path):
    rules = written(tmp_path, "rules.md", "# Start\n\nYou have 3 planks.\n## Dawn\nIt is over.\n")
    table = written(tmp_path, "crates.csv", "die,stones\n1,1\n")
    documents = read_rulebook([rules, table])
    assert [line.text for line in documents[0].lines][2] == "You have 3 planks."
    assert [line.heading for line in documents[0].lines] == ["Start"] * 3 + ["Dawn"] * 2
    assert documents[1].text() == "1 | die,stones\n2 | 1,1\n"
    assert [line.number for line in passage("rules.md:3-5", documents)] == ["3", "4", "5"]


def test_a_page_is_its_paragraphs_items_and_rows_without_scripts(tmp_path: Path):
    document = read_document(written(tmp_path, "rules.html", PAGE))
    assert [line.text for line in document.lines] == [
        "Rules", "## Dawn & dusk", "When the last hour has passed, it is dawn.", "- Row.", "- Drift.", "die | stones",
        "1 | 4",
    ]  # fmt: skip
    assert document.lines[2].heading == "Dawn & dusk"


def test_a_pdf_has_pages_and_lines(tmp_path: Path):
    document = read_document(written(tmp_path, "rules.pdf", pdf_of(["You have 3 planks.", "The night has 20 hours."])))
    assert [(line.number, line.text) for line in document.lines] == [
        ("1.1", "You have 3 planks."), ("1.2", "The night has 20 hours."),
    ]  # fmt: skip
    assert passage("rules.pdf:1.2", [document])[0].text == "The night has 20 hours."


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("rules.md", "is no place; write DOCUMENT:LINE"),
        ("rulez.md:1", "is in no document; there is rules.md"),
        ("rules.md:9", "has no line 9; it ends with line 2"),
        ("rules.md:2-1", "ends before it begins"),
    ],
)
def test_a_place_that_is_not_there_is_named(place: str, sentence: str, tmp_path: Path):
    documents = [read_document(written(tmp_path, "rules.md", "a\nb\n"))]
    with pytest.raises(DocumentError, match=sentence):
        passage(place, documents)


def blank_pdf(path: Path) -> None:
    writer = pypdf.PdfWriter()
    writer.add_blank_page(72, 72)
    with path.open("wb") as file:
        writer.write(file)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("rules.docx", b"PK", "is of no known kind; documents end in"),
        ("rules.md", None, "cannot be read: No such file or directory; check its name"),
        ("rules.md", b"\xff\xfe\x00", "is not text in UTF-8; save it as UTF-8"),
        ("rules.md", b" \n\n", "There is no text in"),
        ("rules.csv", b"", "There is no text in"),
        ("rules.html", b"<html><script>x</script></html>", "There is no text in"),
        ("rules.pdf", b"%PDF-1.4 broken", "cannot be read as a PDF: .*; save it again, or as text"),
        ("rules.pdf", None, "cannot be read: No such file"),
    ],
)
def test_a_document_that_cannot_be_read_is_one_sentence(
    name: str, content: bytes | None, sentence: str, tmp_path: Path
):
    path = tmp_path / name if content is None else written(tmp_path, name, content)
    with pytest.raises(DocumentError, match=sentence) as raised:
        read_document(path)
    assert len(str(raised.value).splitlines()) == 1


def test_a_pdf_of_pictures_is_told_from_an_empty_one(tmp_path: Path):
    blank_pdf(tmp_path / "scan.pdf")
    with pytest.raises(DocumentError, match="for a scan has only pictures of it"):
        read_document(tmp_path / "scan.pdf")


def test_without_the_library_for_pdfs_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(ImportError, match=r"needs the package 'pypdf'.*pip install 'envwright\[pdf\]'"):
        read_document(written(tmp_path, "rules.pdf", pdf_of(["a"])))


def test_an_address_and_two_documents_of_one_name_are_refused(tmp_path: Path):
    with pytest.raises(DocumentError, match="is an address; save the page to a file"):
        read_document(Path("https://example.com/rules.html"))
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    with pytest.raises(DocumentError, match=r"Two documents are called rules\.md"):
        read_rulebook([written(one, "rules.md", "a"), written(two, "rules.md", "b")])
