"""The text of a Word document as a reader would copy it."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

import mammoth
from lxml import etree

from core.data.documents.document_part import DocumentPart
from core.data.documents.html_text import html_text
from core.errors import TouchstoneError

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BODY = "word/document.xml"
_DAMAGE = (
    BadZipFile,
    etree.XMLSyntaxError,
    ExpatError,
    KeyError,
    AttributeError,
    ValueError,
    LookupError,
    OSError,
    zlib.error,
)


def read_docx(name: str, data: bytes, clean: bool) -> Iterator[DocumentPart]:
    """The text of a Word document; raises TouchstoneError. Only for a process that can be ended: see `read_parts`.

    Deleted words of tracked changes are no text, cleaned or not; heads, feet and comments are not read.
    """
    counts: Counter[str] = Counter()
    try:
        page = mammoth.convert_to_html(
            _visible(data, counts, clean), convert_image=mammoth.images.img_element(_without_image)
        ).value
    except _DAMAGE as error:
        raise TouchstoneError(
            f"{name!r} is not a readable Word document ({type(error).__name__}: {error}). Save it again as .docx, or paste its text."
        ) from error
    if not page:
        raise TouchstoneError(f"{name!r} has no text, perhaps only images. Paste its text.")
    text = html_text(name, page.encode(), counts, clean)
    yield DocumentPart(text, cleaning=counts)


def _without_image(_: object) -> dict[str, str]:
    return {}


def _visible(data: bytes, counts: Counter[str], clean: bool) -> BytesIO:
    """The document without hidden runs, which mammoth does not tell from others; what a reader does not see is counted."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    copied = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(copied, "w") as target:
        body = etree.fromstring(source.read(_BODY), parser)
        hidden = [run for run in body.iter(f"{_W}r") if _is_on(run.find(f"{_W}rPr/{_W}vanish"))]
        for run in hidden if clean else ():
            run.getparent().remove(run)
        counts["hidden parts left out"] += len(hidden) if clean else 0
        counts["deleted passages of tracked changes left out"] += len(list(body.iter(f"{_W}del", f"{_W}moveFrom")))
        for part in source.namelist():
            if part.startswith(("word/header", "word/footer")) and b"<w:t" in source.read(part):
                counts["running heads and feet left out"] += 1
            if not part.startswith("word/media/"):
                target.writestr(part, etree.tostring(body) if part == _BODY else source.read(part))
    copied.seek(0)
    return copied


def _is_on(toggle: etree._Element | None) -> bool:
    return toggle is not None and toggle.get(f"{_W}val", "1") not in {"0", "false", "off"}
