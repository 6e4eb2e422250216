"""The text of a page of HTML as a reader would copy it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from lxml import etree, html

from core.data.documents.document_part import DocumentPart
from core.errors import TouchstoneError

_UNREAD = frozenset("script style template noscript head object embed svg math iframe select datalist textarea".split())
_AROUND = frozenset("nav header footer aside menu form button dialog".split())
_AROUND_ROLES = frozenset("navigation banner contentinfo complementary search menu menubar toolbar dialog".split())
_BLOCKS = frozenset(
    "address article blockquote body center dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6 hr html legend li main "
    "ol p pre section summary table ul header footer nav aside form caption".split()
)
_CLOSE_BLOCKS = frozenset({"li", "dt", "dd", "tr"})
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_NOTE_MARK = re.compile(r"\[?(?:\d{1,3}|[a-z]|[*†‡§¶])\]?")
_BACK_LINKS = frozenset({"↑", "↩", "↩︎", "^", "¶"})
_RAISED_FORMS = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_BLANKS = re.compile(r"[^\S\xa0]+")
_PAGE_LETTERS = 2_000  # some sites put the whole page into a form
AROUND, HIDDEN, MARKS = "parts around the text left out", "hidden parts left out", "footnote marks left out"


def read_html(name: str, data: bytes, clean: bool) -> Iterator[DocumentPart]:
    """The text of a page; raises TouchstoneError. Only for a process that can be ended: see `read_parts`."""
    counts: Counter[str] = Counter()
    yield DocumentPart(html_text(name, data, counts, clean), cleaning=counts)


def html_text(name: str, data: bytes, counts: Counter[str], clean: bool) -> str:
    """Text of HTML: blocks apart by a blank line, items of lists and rows of tables by a line end, cells by tabs.

    Scripts are never text. What is `clean` also lacks navigation, hidden elements and marks of footnotes.
    """
    parser = html.HTMLParser(
        encoding=None if _states_encoding(data) else "utf-8", remove_comments=True, remove_pis=True
    )
    try:
        tree = html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise TouchstoneError(f"{name!r} is not readable HTML ({error}). Save it again or paste its text.") from error
    writer = _Writer(counts, clean)
    writer.write(tree)
    text = re.sub(r"[ \xa0]+(?=[\n\t])", "", "".join(writer.pieces))
    counts["soft hyphens removed"] += text.count("\u00ad") if clean else 0
    text = text.replace("\u00ad", "") if clean else text
    return re.sub(r"\n{3,}", "\n\n", text).replace("\xa0", " ").strip()


def _states_encoding(data: bytes) -> bool:
    return data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) or b"charset" in data[:2048].lower()


class _Writer:
    """Pieces of text in the order of a tree, `pieces`, which is walked without recursion: files may nest thousands of elements."""

    def __init__(self, counts: Counter[str], clean: bool) -> None:
        self.pieces: list[str] = []
        self._counts = counts
        self._clean = clean
        self._numbers: list[int] = []  # the next number of each list that is open, -1 for one without
        self._preformatted = 0
        self._raised = 0
        self._cells = 0
        self._ends = 0  # line ends before the next text
        self._mark = ""  # of the item that the next text opens

    def write(self, tree: html.HtmlElement) -> None:
        skipped: html.HtmlElement | None = None
        for event, element in etree.iterwalk(tree, events=("start", "end")):
            if event == "start" and skipped is None:
                if self._is_left_out(element):
                    skipped = element
                else:
                    self._open(element)
                    self._add(element.text)
            elif event == "end" and (skipped is None or skipped is element):
                if skipped is None:
                    self._close(element)
                skipped = None
                if element is not tree:
                    self._add(element.tail)

    def _is_left_out(self, element: html.HtmlElement) -> bool:
        if element.tag in _UNREAD:
            return True
        if not self._clean:
            return False
        words = _left_out_as(element)
        if words:
            self._counts[words] += 1
        return bool(words) or (element.tag == "a" and element.text_content().strip() in _BACK_LINKS)

    def _open(self, element: html.HtmlElement) -> None:
        tag = element.tag
        if tag == "br":
            self._break(1)
        elif tag in {"td", "th"}:
            if self._cells:
                self.pieces.append("\t")
            self._cells += 1
        elif tag == "tr":
            self._break_block(tag)
            self._cells = 0
        elif tag in _BLOCKS or tag in _CLOSE_BLOCKS:
            self._break_block(tag)
        if tag in {"ol", "ul"}:
            start = element.get("start", "1")
            self._numbers.append((int(start) if start.isdecimal() else 1) if tag == "ol" else -1)
        elif tag == "li":
            self._mark = "• " if not self._numbers or self._numbers[-1] < 0 else f"{self._numbers[-1]}. "
            if self._numbers and self._numbers[-1] >= 0:
                self._numbers[-1] += 1
        self._preformatted += tag == "pre"
        self._raised += tag == "sup"

    def _close(self, element: html.HtmlElement) -> None:
        tag = element.tag
        if tag in {"ol", "ul"} and self._numbers:
            self._numbers.pop()
        self._preformatted -= tag == "pre"
        self._raised -= tag == "sup"
        if tag in {"table", "tr"}:
            self._cells = 0
        if tag in _BLOCKS or tag in _CLOSE_BLOCKS:
            self._break_block(tag)

    def _break_block(self, tag: str) -> None:
        """End a line; a blank line is between blocks other than items and rows, and in an item or a cell no line ends."""
        self._break(1 if tag in _CLOSE_BLOCKS or (self._numbers and tag not in {"table", "pre"}) else 2)

    def _break(self, ends: int) -> None:
        if self._cells:
            self._add(" ")
        else:
            self._ends = max(self._ends, ends)

    def _add(self, text: str | None) -> None:
        if not text or (not text.strip() and (self._ends or self._mark)):
            return
        if not self._preformatted:
            text = _BLANKS.sub(" ", text)
            if self._ends or self._mark or not self.pieces or self.pieces[-1].endswith(("\n", "\t", " ")):
                text = text.lstrip(" ")
        if self._raised and self._clean:
            text = text.translate(_RAISED_FORMS)
        if text:
            self.pieces.append(("\n" * self._ends if self.pieces else "") + self._mark + text)
            self._ends, self._mark = 0, ""


def _left_out_as(element: html.HtmlElement) -> str:
    """Words on an element that is no part of the text, "" for one that is."""
    tag, style = element.tag, element.get("style", "")
    in_article = tag in {"header", "footer"} and any(True for _ in element.iterancestors("article", "main", "section"))
    is_page = tag == "form" and len(element.text_content()) > _PAGE_LETTERS
    if (tag in _AROUND and not in_article and not is_page) or element.get("role", "").casefold() in _AROUND_ROLES:
        return AROUND
    if "hidden" in element.attrib or element.get("aria-hidden") == "true" or _HIDDEN_STYLE.search(style):
        return HIDDEN
    return MARKS if tag == "sup" and _is_note_mark(element) else ""


def _is_note_mark(element: html.HtmlElement) -> bool:
    """True for a mark that leads to a note, or stands behind a word; an exponent stays."""
    text = element.text_content().strip()
    if not _NOTE_MARK.fullmatch(text):
        return False
    previous = element.getprevious()
    before = (previous.tail if previous is not None else element.getparent().text) or ""
    return element.find(".//a") is not None or bool(re.search(r"(?:[^\W\d_]{3}|[.,;:!?)”\"])$", before))
