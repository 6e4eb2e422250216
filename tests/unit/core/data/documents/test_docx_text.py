"""A Word document gives its text as a reader sees it: lists with numbers, tables as rows, no deleted words."""

from __future__ import annotations

import zipfile
from io import BytesIO

import docx
import pytest
from docx.document import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.text.paragraph import Paragraph

from core.data.documents.documents import read_document
from core.errors import TouchstoneError

_BOX = (
    f'<w:r {nsdecls("w")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml"><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing/></mc:Choice>'
    "<mc:Fallback><w:pict><v:rect><v:textbox><w:txbxContent><w:p><w:r><w:t>Text in a box.</w:t></w:r></w:p></w:txbxContent>"
    "</v:textbox></v:rect></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


def written(document: Document) -> bytes:
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def track(paragraph: Paragraph, change: str, words: str) -> None:
    """Add words that a tracked change inserted (ins) or deleted (del)."""
    text = "delText" if change == "del" else "t"
    paragraph._p.append(
        parse_xml(
            f'<w:{change} {nsdecls("w")} w:id="1" w:author="a" w:date="2024-01-01T00:00:00Z"><w:r>'
            f'<w:{text} xml:space="preserve">{words}</w:{text}></w:r></w:{change}>'
        )
    )


def with_footnote(data: bytes) -> bytes:
    """The document with a footnote after its first run, in the parts in which Word keeps it."""
    names = nsdecls("w")
    note = f'<w:footnotes {names}><w:footnote w:id="2"><w:p><w:r><w:t>See the minutes.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    file = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as source, zipfile.ZipFile(file, "w") as target:
        for name in source.namelist():
            text = source.read(name)
            if name == "word/document.xml":
                text = text.replace(b"</w:t></w:r>", b'</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r>', 1)
            elif name == "word/_rels/document.xml.rels":
                kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
                text = text.replace(
                    b"</Relationships>",
                    f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'.encode(),
                )
            target.writestr(name, text)
        target.writestr("word/footnotes.xml", note)
    return file.getvalue()


def test_headings_lists_and_tables_are_lines_and_deleted_words_no_text() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Running head of the report"
    document.add_heading("Harbour report", 1)
    paragraph = document.add_paragraph("The board voted to dredge the chan\u00adnel.")
    track(paragraph, "del", " Deleted words.")
    track(paragraph, "ins", " It was close.")
    for style, text in (("List Number", "First"), ("List Number", "Second"), ("List Bullet", "A bullet")):
        document.add_paragraph(text, style=style)
    table = document.add_table(2, 2)
    for row, texts in zip(table.rows, (("Port", "Ships"), ("Westmere", "12")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.add_paragraph("Before the box. ")._p.append(parse_xml(_BOX))
    document.add_paragraph("Seen. ").add_run("Hidden words.").font.hidden = True
    text = read_document("a.docx", written(document))
    assert text.text == (
        "Harbour report\n\nThe board voted to dredge the channel. It was close.\n\n1. First\n2. Second\n\n• A bullet\n\n"
        "Port\tShips\nWestmere\t12\n\nBefore the box.\n\nText in a box.\n\nSeen."
    )
    assert dict(text.cleaning) == {
        "hidden parts left out": 1,
        "deleted passages of tracked changes left out": 1,
        "running heads and feet left out": 1,
        "soft hyphens removed": 1,
    }


def test_the_mark_of_a_footnote_is_left_out_and_its_text_stands_at_the_end() -> None:
    document = docx.Document()
    document.add_paragraph("The board voted.")
    data = with_footnote(written(document))
    assert read_document("a.docx", data).text == "The board voted.\n\n1. See the minutes."
    assert read_document("a.docx", data, clean=False).text.startswith("The board voted.[1]")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04rest", b"plain text"])
def test_what_is_no_word_document_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(TouchstoneError, match=r"'a\.docx' is not a readable Word document"):
        read_document("a.docx", data)


def test_a_document_that_expands_without_end_is_given_up() -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as target:
        entities = "".join(f'<!ENTITY e{place} "{f"&e{place - 1};" * 10}">' for place in range(1, 12))
        body = f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e0 "ship ">{entities}]><w:document {nsdecls("w")}><w:body><w:p><w:r><w:t>&e11;</w:t></w:r></w:p></w:body></w:document>'
        target.writestr("word/document.xml", body)
    with pytest.raises(TouchstoneError, match=r"'a\.docx'"):
        read_document("a.docx", file.getvalue())
