"""The text of a PDF as a reader would copy it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from core.data.documents.document_part import DocumentPart
from core.data.documents.page_layout import PageBlock, reading_order
from core.data.documents.paragraphs import document_text
from core.data.documents.pdf_lines import PdfLine, Rule, page_lines, page_rules
from core.data.documents.running_lines import body_size, part_footnotes, without_running
from core.data.documents.word_breaks import vocabulary
from core.errors import TouchstoneError

SOFT_HYPHENS = "soft hyphens removed"


def read_pdf(name: str, data: bytes, clean: bool) -> Iterator[DocumentPart]:
    """The pages of a PDF; raises TouchstoneError. Only for a process that can be ended: see `read_parts`.

    Clean text comes with the last page, since what recurs on pages shows at the end; else each page has its lines as PDFium
    gives them.
    """
    try:
        document = pdfium.PdfDocument(data)
        yield from _clean_pages(name, document) if clean else _stored_pages(name, document)
    except pdfium.PdfiumError as error:
        raise TouchstoneError(_sentence(name, error)) from error


def _sentence(name: str, error: pdfium.PdfiumError) -> str:
    code = raw.FPDF_GetLastError()
    if code == raw.FPDF_ERR_PASSWORD:
        return f"{name!r} is protected by a password. Save a copy without one."
    if code == raw.FPDF_ERR_SECURITY:
        return (
            f"{name!r} is encrypted in a way that is not read here. Save a copy without encryption, or paste its text."
        )
    return f"{name!r} is not a readable PDF ({error}). Save it again or paste its text."


def _no_text(name: str, pages: int) -> TouchstoneError:
    return TouchstoneError(f"{name!r} has {pages} pages and no text in them, probably scans. Paste its text.")


def _stored_pages(name: str, document: pdfium.PdfDocument) -> Iterator[DocumentPart]:
    has_text, number = False, len(document)
    for place in range(number):
        text = document[place].get_textpage().get_text_range(errors="replace").strip().replace("\r\n", "\n")
        text = text.replace("\ufffe", "-\n").replace("\x02", "-\n")  # as PDFium marks a hyphen at the end of a line
        yield DocumentPart(f"\n\n{text}" if has_text and text else text, number)
        has_text = has_text or bool(text)
    if not has_text:
        raise _no_text(name, number)


def _clean_pages(name: str, document: pdfium.PdfDocument) -> Iterator[DocumentPart]:
    counts: Counter[str] = Counter()
    lines: list[list[PdfLine]] = []
    rules: list[list[Rule]] = []
    number = len(document)
    for place in range(number):
        page = document[place]
        lines.append(page_lines(page, counts))
        rules.append(page_rules(page))
        if place < number - 1:
            yield DocumentPart("", number)
    if not any(lines):
        raise _no_text(name, number)
    yield DocumentPart(_clean_text(lines, rules, counts), number, counts)


def _clean_text(lines: list[list[PdfLine]], rules: list[list[Rule]], counts: Counter[str]) -> str:
    size = body_size(lines)
    blocks: list[PageBlock] = []
    notes: list[list[PdfLine]] = []
    for page, page_rules_ in zip(without_running(lines, counts), rules, strict=True):
        text, page_notes = part_footnotes(page, size, counts)
        blocks += reading_order(text, page_rules_)
        for line in page_notes:
            if line.mark or not notes:
                notes.append([])
            notes[-1].append(line)
    blocks += [PageBlock(tuple(note)) for note in notes]
    words = vocabulary(line.text for block in blocks for line in block.lines)
    return _without_soft_hyphens(document_text(blocks, words, counts), counts)


def _without_soft_hyphens(text: str, counts: Counter[str]) -> str:
    counts[SOFT_HYPHENS] += text.count("\u00ad")
    return text.replace("\u00ad", "")
