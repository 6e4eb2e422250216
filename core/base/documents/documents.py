"""The text of an uploaded document: plain text, Markdown or PDF."""

from __future__ import annotations

import codecs
import struct
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePath

from core.base.files.foreign_files import Limits, read_apart
from core.errors import TouchstoneError

_TEXT_SUFFIXES = {".txt", ".md"}
_SIGNATURES = {
    b"%PDF-": "a PDF; give it the ending .pdf",
    b"PK\x03\x04": "a ZIP archive or an office document; save it as .txt or .pdf",
    b"\xd0\xcf\x11\xe0": "an old office document; save it as .txt or .pdf",
    b"\x89PNG": "an image; upload its text",
    b"\xff\xd8\xff": "an image; upload its text",
    b"GIF8": "an image; upload its text",
    b"\x1f\x8b": "a compressed file; unpack it first",
    b"{\\rtf": "a rich-text file; save it as .txt",
}
# what pypdf lets through on damaged files besides its own errors
_PDF_ERRORS = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError),
    *(TypeError, ValueError, struct.error, zlib.error),
)
PDF_LIMITS = Limits(seconds=120, megabytes=1024)  # a page of a paper takes 3 to 50 ms


@dataclass(frozen=True, slots=True)
class PdfPage:
    """The text of a page, after a blank line where others with text are before it, and the number of pages of its PDF."""

    text: str
    pages: int


def read_document(
    name: str,
    data: bytes,
    limits: Limits = PDF_LIMITS,
    watch: Callable[[Iterable[PdfPage]], Iterable[PdfPage]] = iter,
) -> str:
    """The text of a file called `name`, with line ends as \\n and without a byte-order mark; never blank.

    `watch` gives the pages of a PDF as they are read. Raises TouchstoneError, with what was got and what to do, for anything
    that is not readable text.
    """
    ending = PurePath(name).suffix.lower()
    if ending == ".pdf":
        return join_pages(name, watch(read_pages(name, data, limits)))
    if ending not in _TEXT_SUFFIXES:
        raise TouchstoneError(f"{name!r} is not of a kind that can be read. Known: .txt, .md, .pdf. Or paste the text.")
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise TouchstoneError(f"{name!r} is not text but {kind}.")
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise TouchstoneError(
            f"{name!r} is not {'UTF-16' if marked else 'UTF-8'}: byte 0x{data[error.start]:02x} at position {error.start}. "
            "Save it as UTF-8 (in most editors: Save as, encoding UTF-8)."
        ) from None
    return _as_document(name, text)


def read_pages(name: str, data: bytes, limits: Limits = PDF_LIMITS) -> Generator[PdfPage]:
    """The pages of a PDF as they are read; closing it ends that. Raises TouchstoneError.

    A PDF is a program that draws, and may draw for hours: it is read in a process of its own, within `limits`.
    """
    return read_apart(name, limits, read_pdf, name, data)


def join_pages(name: str, pages: Iterable[PdfPage]) -> str:
    """The text of all pages of a PDF as one document. Raises TouchstoneError where that is none."""
    return _as_document(name, "".join(page.text for page in pages))


def _as_document(name: str, text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise TouchstoneError(
            f"{name!r} holds NUL characters: it is binary or UTF-16 without a mark. Save it as UTF-8 text."
        )
    if not text.strip():
        raise TouchstoneError(f"{name!r} is empty. Upload a file with text or paste the document.")
    return text


def read_pdf(name: str, data: bytes) -> Iterator[PdfPage]:
    """The pages of a PDF; raises TouchstoneError. Only for a process that can be ended: see `read_pages`."""
    from pypdf.errors import DependencyError, PyPdfError  # the pages need not load it

    pages, has_text = 0, False
    try:
        for text, number in _page_texts(name, data):
            pages += 1
            yield PdfPage(f"\n\n{text}" if has_text and text else text, number)
            has_text = has_text or bool(text)
    except DependencyError as error:
        raise TouchstoneError(
            f"{name!r} is encrypted or packed in a way that is not read here ({error}). Save a copy without encryption, or "
            "paste its text."
        ) from error
    except (PyPdfError, *_PDF_ERRORS) as error:
        raise TouchstoneError(f"{name!r} is not a readable PDF ({error}). Save it again or paste its text.") from error
    if not has_text:
        raise TouchstoneError(f"{name!r} has {pages} pages and no text in them, probably scans. Paste its text.")


def _page_texts(name: str, data: bytes) -> Iterator[tuple[str, int]]:
    """The text of each page, and how many pages there are."""
    from pypdf import PasswordType, PdfReader

    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise TouchstoneError(f"{name!r} is protected by a password. Save a copy without one.")
    for page in reader.pages:
        # some fonts spell surrogate pairs apart: they are joined, and a lone half becomes U+FFFD
        text = page.extract_text().strip().encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        yield text, len(reader.pages)
