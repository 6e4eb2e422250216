"""The text of an uploaded document: plain text, Markdown, PDF, Word or HTML."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from core.base import Limits, read_apart
from core.data.documents.document_part import DocumentPart
from core.errors import TouchstoneError

_TEXT_SUFFIXES = (".txt", ".md")
_SIGNATURES = {
    b"%PDF-": "a PDF; give it the ending .pdf",
    b"PK\x03\x04": "a ZIP archive or an office document; give a Word document the ending .docx",
    b"\xd0\xcf\x11\xe0": "an old office document; save it as .docx",
    b"\x89PNG": "an image; upload its text",
    b"\xff\xd8\xff": "an image; upload its text",
    b"GIF8": "an image; upload its text",
    b"\x1f\x8b": "a compressed file; unpack it first",
    b"{\\rtf": "a rich-text file; save it as .txt",
}
LIMITS = Limits(seconds=240, megabytes=1024)  # a page of a paper takes 20 to 100 ms


@dataclass(frozen=True, slots=True)
class DocumentText:
    """Text of a document, and the number of changes by their words, as `ligatures folded`; empty where nothing was cleaned."""

    text: str
    cleaning: Mapping[str, int] = field(default_factory=dict)


def read_document(
    name: str,
    data: bytes,
    limits: Limits = LIMITS,
    watch: Callable[[Iterable[DocumentPart]], Iterable[DocumentPart]] = iter,
    *,
    clean: bool = True,
) -> DocumentText:
    """The text of a file called `name`, with line ends as \\n and without a byte-order mark; never blank.

    A PDF, a Word document and a page of HTML are cleaned to what a reader would copy of them, unless `clean` is False. `watch`
    gives the pages of a PDF as they are read. Raises TouchstoneError, with what was got and what to do, for anything that is
    not readable text.
    """
    if is_formatted(name):
        return join_parts(name, watch(read_parts(name, data, limits, clean=clean)))
    if PurePath(name).suffix.lower() not in _TEXT_SUFFIXES:
        raise TouchstoneError(
            f"{name!r} is not of a kind that can be read. Known: {', '.join((*_TEXT_SUFFIXES, *_READERS))}. Or paste the text."
        )
    return DocumentText(_as_document(name, decode_text(name, data)))


def is_formatted(name: str) -> bool:
    """True for a file whose text has to be taken out of a layout or markup."""
    return PurePath(name).suffix.lower() in _READERS


def read_parts(name: str, data: bytes, limits: Limits = LIMITS, *, clean: bool = True) -> Generator[DocumentPart]:
    """The parts of a PDF, Word document or page of HTML as they are read; closing it ends that. Raises TouchstoneError.

    A PDF is a program that draws, and may draw for hours: each is read in a process of its own, within `limits`.
    """
    return read_apart(name, limits, _READERS[PurePath(name).suffix.lower()], name, data, clean)


def join_parts(name: str, parts: Iterable[DocumentPart]) -> DocumentText:
    """All parts as one document. Raises TouchstoneError where that has no text."""
    parts = list(parts)
    cleaning: Counter[str] = Counter()
    for part in parts:
        cleaning.update(part.cleaning)
    return DocumentText(_as_document(name, "".join(part.text for part in parts)), cleaning)


def format_cleaning(cleaning: Mapping[str, int]) -> str:
    """One line on what was changed, as `words joined over line ends (3), ligatures folded (1)`; empty where nothing was."""
    return ", ".join(f"{words} ({count:,})" for words, count in cleaning.items() if count)


def decode_text(name: str, data: bytes) -> str:
    """The text of a plain file: UTF-8, or UTF-16 with a byte-order mark. Raises TouchstoneError."""
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise TouchstoneError(f"{name!r} is not text but {kind}.")
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TouchstoneError(
            f"{name!r} is not {'UTF-16' if marked else 'UTF-8'}: byte 0x{data[error.start]:02x} at position {error.start}. "
            "Save it as UTF-8 (in most editors: Save as, encoding UTF-8)."
        ) from None


def _as_document(name: str, text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise TouchstoneError(
            f"{name!r} holds NUL characters: it is binary or UTF-16 without a mark. Save it as UTF-8 text."
        )
    if not text.strip():
        raise TouchstoneError(f"{name!r} is empty. Upload a file with text or paste the document.")
    return text


def _read_pdf(name: str, data: bytes, clean: bool) -> Iterator[DocumentPart]:
    from core.data.documents.pdf_text import read_pdf  # the pages need not load PDFium

    return read_pdf(name, data, clean)


def _read_docx(name: str, data: bytes, clean: bool) -> Iterator[DocumentPart]:
    from core.data.documents.docx_text import read_docx

    return read_docx(name, data, clean)


def _read_html(name: str, data: bytes, clean: bool) -> Iterator[DocumentPart]:
    from core.data.documents.html_text import read_html

    return read_html(name, data, clean)


_READERS: dict[str, Callable[[str, bytes, bool], Iterable[DocumentPart]]] = {
    ".pdf": _read_pdf,
    ".docx": _read_docx,
    **dict.fromkeys((".html", ".htm", ".xhtml"), _read_html),
}
