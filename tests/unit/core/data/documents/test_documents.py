"""Uploaded documents become text or a sentence that says why not."""

from __future__ import annotations

import random
import time
import zlib
from contextlib import suppress
from io import BytesIO

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from core.base.files.foreign_files import Limits
from core.data.documents.document_part import DocumentPart
from core.data.documents.documents import join_parts, read_document, read_parts
from core.data.documents.pdf_text import read_pdf
from core.errors import TouchstoneError


def pdf(text: str) -> bytes:
    """A PDF of one page, written by hand; no text gives a page without any."""
    drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return (body + f"xref\n0 6\n0000000000 65535 f \n{table}" + end).encode("latin-1")


def pages_pdf(number: int, lines: int = 50) -> bytes:
    """A PDF of so many pages of text, the third of them blank."""
    writer = PdfWriter()
    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(key): NameObject(name) for key, name in names.items()})
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})  # pypdf has no other way to add text
    for place in range(number):
        page = writer.add_blank_page(595, 842)
        if place == 2:
            continue
        stream = DecodedStreamObject()
        line = "(The harbour was closed on Tuesday after a storm, and nobody was hurt there.) Tj T*\n"
        stream.set_data(f"BT /F1 10 Tf 12 TL 40 800 Td (Page {place}.) Tj T*\n{line * lines}ET".encode())
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(stream.flate_encode())
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def locked(user_password: str) -> bytes:
    writer = PdfWriter(clone_from=BytesIO(pdf("A secret harbour")))
    writer.encrypt(user_password, "owner", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["a.txt", "B.MD"])
def test_text_is_read_in_every_marked_encoding(name: str, encoding: str) -> None:
    assert read_document(name, "Œuvre – 👩‍🚀 שלום".encode(encoding)).text == "Œuvre – 👩‍🚀 שלום"


def test_big_endian_text_with_a_mark_is_read() -> None:
    assert read_document("a.txt", b"\xfe\xff" + "Hafen".encode("utf-16-be")).text == "Hafen"


def test_line_ends_become_one_kind() -> None:
    assert read_document("a.txt", b"one\r\ntwo\rthree\nfour").text == "one\ntwo\nthree\nfour"


def test_markup_stays_text() -> None:
    assert read_document("a.md", b"<script>alert(1)</script> {{7*7}}").text == "<script>alert(1)</script> {{7*7}}"


def test_the_text_of_a_pdf_is_read() -> None:
    assert read_document("a.pdf", pdf("The freighter struck the quay.")).text == "The freighter struck the quay."


def test_a_pdf_that_only_its_owner_may_change_is_read() -> None:
    assert read_document("a.pdf", locked("")).text == "A secret harbour"


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt", "é".encode("latin-1"), "not UTF-8: byte 0xe9 at position 0. Save it as UTF-8"),
        ("a.txt", b"\xff\xfeabc", "not UTF-16"),
        ("a.txt", "text".encode("utf-16-le"), "NUL characters"),
        ("a.txt", b"a\0b", "NUL characters"),
        ("a.txt", b" \r\n ", "is empty"),
        ("a.md", b"", "is empty"),
        ("a.txt", pdf("x"), "a PDF; give it the ending .pdf"),
        ("a.txt", b"PK\x03\x04rest", "office document"),
        ("a.txt", b"\x89PNG\r\n", "an image"),
        ("a.docx", b"PK\x03\x04rest", "not a readable Word document"),
        ("a.odt", b"PK\x03\x04rest", "Known: .txt, .md, .pdf, .docx, .html"),
        ("README", b"text", "Known: .txt, .md, .pdf, .docx, .html"),
        ("a.pdf", pdf(""), "no text in them, probably scans"),
        ("a.pdf", locked("secret"), "protected by a password"),
        ("a.pdf", b"%PDF-1.4 and nothing more", "not a readable PDF"),
        ("a.pdf", pdf("x")[:200], "not a readable PDF"),
        ("a.pdf", b"", "not a readable PDF"),
        ("a.pdf", b"plain text", "not a readable PDF"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(name: str, data: bytes, says: str) -> None:
    with pytest.raises(TouchstoneError) as refused:
        read_document(name, data)
    assert says in str(refused.value)
    assert name in str(refused.value)


def compressed(drawn: bytes, filters: str = "/FlateDecode") -> bytes:
    """A PDF of one page whose drawing is compressed, as most are."""
    content = zlib.compress(drawn, 9)
    head, _, rest = pdf("x").partition(b"<< /Length ")
    _, _, tail = rest.partition(b"endstream")
    stream = f"<< /Length {len(content)} /Filter {filters} >>\nstream\n".encode() + content + b"\nendstream"
    return head + stream + tail


def test_a_compressed_pdf_is_read() -> None:
    drawn = b"BT /F1 12 Tf 72 720 Td (The freighter struck the quay.) Tj ET"
    assert read_document("a.pdf", compressed(drawn)).text == "The freighter struck the quay."


@pytest.mark.parametrize("filters", ["/Nope", "[/FlateDecode /Nope]", "/JBIG2Decode", "/Crypt"])
def test_a_pdf_with_a_filter_that_nobody_knows_is_refused_in_a_sentence(filters: str) -> None:
    with pytest.raises(TouchstoneError, match=r"'a\.pdf' .*(not a readable PDF|not read here|no text in them)"):
        read_document("a.pdf", compressed(b"BT (x) Tj ET", filters))


@pytest.mark.slow
def test_a_small_pdf_that_draws_for_hours_is_given_up() -> None:
    bomb = compressed(b"BT /F1 12 Tf " + b"(a) Tj " * 4_000_000 + b"ET")
    assert len(bomb) < 50_000
    began = time.monotonic()
    with pytest.raises(TouchstoneError, match=r"'bomb\.pdf' takes longer than 2 s to read, and was given up"):
        read_document("bomb.pdf", bomb, Limits(seconds=2, megabytes=1024))
    assert time.monotonic() - began < 10


def test_a_pdf_that_needs_much_memory_is_given_up() -> None:
    bomb = compressed(b"BT /F1 12 Tf " + b"(a) Tj " * 4_000_000 + b"ET")
    with pytest.raises(TouchstoneError, match=r"'bomb\.pdf' (cannot be read|is not a readable PDF)"):
        read_document("bomb.pdf", bomb, Limits(seconds=60, megabytes=60))


def test_the_pages_of_a_pdf_come_one_by_one_with_their_number() -> None:
    seen: list[DocumentPart] = []
    document = read_document(
        "a.pdf",
        pages_pdf(4, 1),
        watch=lambda pages: (seen.append(page) or page for page in pages),
        clean=False,
    )
    assert [page.pages for page in seen] == [4] * 4
    assert [page.text.strip()[:7] for page in seen] == ["Page 0.", "Page 1.", "", "Page 3."]
    assert document.text == "".join(page.text for page in seen)
    assert document.text.count("\n\n") == 2
    assert document.cleaning == {}


def test_the_clean_text_of_a_pdf_comes_with_its_last_page() -> None:
    parts = list(read_parts("a.pdf", pages_pdf(4, 1)))
    assert [(part.pages, bool(part.text)) for part in parts] == [(4, False)] * 3 + [(4, True)]


@pytest.mark.slow
def test_a_pdf_of_a_thousand_pages_is_read_and_can_be_left_after_the_first() -> None:
    book = pages_pdf(1000)
    pages = read_parts("book.pdf", book)
    assert next(pages).pages == 1000
    began = time.monotonic()
    pages.close()  # which ends the process that reads
    assert time.monotonic() - began < 1
    text = read_document("book.pdf", book).text
    assert text.count("nobody was hurt") == 999 * 50


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_pdf_is_read_or_refused_and_never_crashes(seed: int) -> None:
    chance, whole = (
        random.Random(seed),
        [pdf("The freighter struck the quay."), locked(""), compressed(b"BT (x) Tj ET")],
    )
    for _ in range(100):
        damaged = bytearray(chance.choice(whole))
        for _ in range(chance.randint(1, 8)):
            place, length = chance.randrange(len(damaged)), chance.randint(0, 6)
            damaged[place : place + length] = chance.choice(
                [b"<</[(", b">>", b" 0 R", b"/", b"-1", b"99999999999", b"stream\n", chance.randbytes(3), b""]
            )
        with suppress(TouchstoneError):
            assert join_parts(
                "a.pdf", read_pdf("a.pdf", bytes(damaged), clean=True)
            ).text  # in this process, which an error would fail
