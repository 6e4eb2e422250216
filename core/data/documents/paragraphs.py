"""Lines in reading order, put together to paragraphs, headings, lists and tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from core.data.documents.page_layout import PageBlock
from core.data.documents.pdf_lines import PdfLine
from core.data.documents.word_breaks import join_lines

_SENTENCE_END = tuple(".!?:;…。！？")
_CLOSING = "\"'”’»)]"
_LEADERS = re.compile(r"(?:\. ?){4,}\s*\w+$")  # of a table of contents
TABLES = "tables read as rows"


@dataclass(frozen=True, slots=True)
class _Margins:
    """Left and right end of a column, and the usual distance and font size of its lines."""

    left: float
    right: float
    step: float
    size: float


def document_text(blocks: Iterable[PageBlock], words: frozenset[str], counts: Counter[str]) -> str:
    """Text of a document: paragraphs and headings apart by a blank line, items of lists and rows of tables by a line end."""
    pieces: list[str] = []
    margins = _Margins(0.0, 0.0, 0.0, 0.0)
    last: PdfLine | None = None
    opening: PdfLine | None = None
    for block in blocks:
        if block.rows:
            counts[TABLES] += 1
            pieces += ["\n\n" if pieces else "", "\n".join(block.rows)]
            last = opening = None
            continue
        above, margins = margins, _margins(block.lines)
        for place, line in enumerate(block.lines):
            counts_on = _counts_on(opening, line)
            if (
                last
                and not counts_on
                and not _begins(last, line, margins if place else above, opening, over_columns=place == 0)
            ):
                joined = join_lines(pieces[-1], line.text, words, counts)
                pieces[-1:] = [joined.removesuffix(line.text), line.text]
            else:
                is_close = counts_on or (opening and opening.is_list_item and line.is_list_item)
                pieces += ["\n" if is_close else "\n\n", line.text] if pieces else [line.text]
                opening = line
            last = line
    return "".join(pieces)


def _counts_on(opening: PdfLine | None, line: PdfLine) -> bool:
    """True for an item that has the number after that of the paragraph before it."""
    before, number = opening.text.partition(" ")[0] if opening else "", line.text.partition(" ")[0]
    return before.isdecimal() and number.isdecimal() and len(number) < 4 and int(number) == int(before) + 1


def _margins(lines: Sequence[PdfLine]) -> _Margins:
    steps = [above.baseline - below.baseline for above, below in pairwise(lines)]
    close = [step for step, line in zip(steps, lines, strict=False) if 0 < step < 2.3 * line.size]
    usual = median(close) if close else 0.0
    step = min([usual, *close]) if len(close) < 3 else usual
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    return _Margins(left, right, step, median(line.size for line in lines))


def _begins(last: PdfLine, line: PdfLine, margins: _Margins, opening: PdfLine | None, *, over_columns: bool) -> bool:
    """True where a line begins a paragraph, a heading or an item of a list, and does not go on with the line before it."""
    if abs(line.size - last.size) > 0.08 * last.size or line.bold != last.bold or line.is_list_item or line.mark:
        return True
    ends = last.text.rstrip(_CLOSING).endswith(_SENTENCE_END)
    divided = last.text.endswith(("-", "\u00ad", "\u2010"))
    if over_columns:
        is_full = margins.step > 0 and last.right > margins.right - 1.5 * last.size
        return ends or not (divided or is_full or not line.text[:1].isupper())
    if (
        last.baseline - line.baseline > 1.35 * margins.step * max(1.0, line.size / margins.size)
        or last.baseline < line.baseline
    ):
        return True
    if divided or _LEADERS.search(last.text):
        return not divided
    if opening and opening.is_list_item:
        inner = opening.inner or opening.left + 0.6 * line.size
        return line.left < opening.left - 0.3 * line.size or (ends and line.left < inner - 0.4 * line.size)
    return _is_indented(last, line, margins) or (ends and _leaves_room(last, line, margins))


def _is_indented(last: PdfLine, line: PdfLine, margins: _Margins) -> bool:
    is_centred = abs((last.left + last.right) - (line.left + line.right)) < last.size
    return line.left - last.left > 0.8 * line.size and not is_centred and last.left - margins.left < 0.5 * line.size


def _leaves_room(last: PdfLine, line: PdfLine, margins: _Margins) -> bool:
    """True where the first word of a line had found room in the line before it."""
    first_word = 0.55 * line.size * (len(line.text.partition(" ")[0]) + 1)
    return last.right + max(first_word, 2 * line.size) < margins.right
