"""Running heads and feet, page numbers and footnotes of the pages of a PDF."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from core.data.documents.pdf_lines import PdfLine, rows_of

_AT = "\n"  # stands in no line
_MOST_RUNNING = 3  # rows at the head of a page, and at its foot
_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,4}|[ivxlc]{1,7})(?![\w]|[.,]\d)")
_BARE_NUMBER = re.compile(
    r"(?:page|p\.|seite|s\.|página|página|pagina|strona)?\s*[-–—|]?\s*(\d{1,4}|[ivxlc]{1,7})\s*[-–—|]?(?:\s*(?:of|/|von|de|sur|di)\s*\d{1,4})?$",
    re.I,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_NOTE_MARK = re.compile(r"(\d{1,2}|[*†‡§¶]{1,3})\s*(?=[^\W\d_]|[“\"'‘(])")
HEADS, NUMBERS, NOTES = "running heads and feet left out", "page numbers left out", "footnotes put at the end"


def without_running(pages: Sequence[Sequence[PdfLine]], counts: Counter[str]) -> list[list[PdfLine]]:
    """Lines of the pages without those that recur at the same place of several pages, alike or counting on."""
    rows, largest = [rows_of(lines) for lines in pages], 1.15 * body_size(pages)
    ends = [(page, place) for page in range(len(rows)) for place in (0, -1)]
    removed: list[PdfLine] = []
    for _ in range(_MOST_RUNNING):
        places: dict[tuple[int, str], set[int]] = defaultdict(set)
        for page, place in ends:
            for key in _keys(rows[page], page, place, largest):
                places[place, key].add(page)
        recurring = {key for key, where in places.items() if len(where) > (2 if _AT in key[1] else 1)}
        for page, place in ends:
            if any((place, key) in recurring for key in _keys(rows[page], page, place, largest)) or _is_first_number(
                rows[page], page, place
            ):
                row = rows[page].pop(place)
                removed += row
                text = " ".join(line.text for line in row)
                counts[NUMBERS if _BARE_NUMBER.match(text) else HEADS] += 1
    return [[line for row in page_rows for line in row] for page_rows in rows]


def _keys(rows: Sequence[Sequence[PdfLine]], page: int, place: int, largest: float) -> Iterator[str]:
    """Keys of an outermost row that its like on other pages share: its text, and its text without its page number."""
    if not rows or rows[place][0].size > largest or not _stands_apart(rows, place):
        return
    text = " ".join(line.text for line in rows[place])
    yield text.casefold()
    for number in _NUMBER.finditer(text):
        value = int(number[0]) if number[0].isdigit() else _roman(number[0])
        if number.start() == 0 or number.end() == len(
            text
        ):  # heads change with the chapter, the place of the number does not
            yield f"{value - page}{_AT}{round(rows[place][0].baseline / 4)}"
        yield f"{text[: number.start()]}{value - page}{text[number.end() :]}".casefold()


def _stands_apart(rows: Sequence[Sequence[PdfLine]], place: int) -> bool:
    """True where the row is further from the next than rows usually are, or is set in another size."""
    if len(rows) < 2:
        return bool(_BARE_NUMBER.match(" ".join(line.text for line in rows[place])))
    following = 1 if place == 0 else -2
    if abs(rows[place][0].size - rows[following][0].size) > 0.05 * rows[following][0].size:
        return True
    steps = [above[0].baseline - below[0].baseline for above, below in pairwise(rows)]
    step = abs(rows[place][0].baseline - rows[following][0].baseline)
    inner = steps[1:-1] or [1.2 * rows[following][0].size]
    return step > 1.3 * min(median(inner), 2.5 * rows[following][0].size)


def _is_first_number(rows: Sequence[Sequence[PdfLine]], page: int, place: int) -> bool:
    """True for the number of a page that has no like, as that of a document of one page."""
    if len(rows) < 2 or not _stands_apart(rows, place):
        return False
    number = _BARE_NUMBER.match(" ".join(line.text for line in rows[place]))
    return bool(number and number[1] == str(page + 1) and (place == -1 or not number[0].isdigit()))


def _roman(number: str) -> int:
    values = [_ROMAN[letter] for letter in number.casefold()]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))


def body_size(pages: Sequence[Sequence[PdfLine]]) -> float:
    """The font size in which most letters of a document are set."""
    letters: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            letters[round(line.size, 1)] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 0.0


def part_footnotes(lines: Sequence[PdfLine], body: float, counts: Counter[str]) -> tuple[list[PdfLine], list[PdfLine]]:
    """Lines of a page without its footnotes, and these without their marks: small lines from a mark on, below all of the text above them."""
    notes: list[PdfLine] = []
    text: list[PdfLine] = []
    for line in sorted(lines, key=lambda line: (-line.baseline, line.left)):
        is_small = line.size < 0.95 * body
        across = [other for other in lines if other.left < line.right and line.left < other.right and other is not line]
        is_last = not any(other.baseline < line.baseline and other.size >= 0.95 * body for other in across)
        mark = line.mark or (match[1] if (match := _NOTE_MARK.match(line.text)) and is_small else "")
        has_text = any(other.size >= 0.95 * body for other in across)
        above = [note for note in notes if note.left < line.right and line.left < note.right]
        if not (is_last and ((is_small and has_text and (mark or above)) or (line.mark and (has_text or above)))):
            text.append(replace(line, text=f"{line.mark} {line.text}" if line.mark else line.text, mark=""))
            continue
        if mark:
            counts[NOTES] += 1
        body_text = line.text if line.mark or not mark else line.text[len(mark) :].strip()
        notes.append(replace(line, text=body_text, mark=mark))
    return text, notes
