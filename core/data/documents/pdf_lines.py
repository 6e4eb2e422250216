"""Lines of text on the pages of a PDF, with their places, as PDFium reads them."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import pi
from statistics import median
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

SEGMENT_GAP = 0.9  # of the font size: a wider gap separates cells or columns, or is that of a justified line
_SPACE_GAP = 0.15
_RAISED = (0.12, 0.75)  # of the size of the line: how far a mark stands above its baseline
_SMALL = 0.82  # of the size of the line, that of a raised mark
_MARK = re.compile(r"(?:\d{1,2}(?:[,–-]\d{1,2})*|[*†‡§¶#]{1,3}|[a-z])$")
_BEFORE_MARK = re.compile(r"(?:[^\W\d_]{3,}|[^\W\d_]['’]s|[.,;:!?)\]”’\"%])$")
_UNICODE_MARK = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[.,;:!?)”\"]))[⁰¹²³⁴-⁹]{1,2}(?![\w⁰¹²³⁴-⁹])")
_RAISED_FORMS = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LIST_MARK = re.compile(r"(?:[•‣◦▪●○■□⁃∙·–*-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])$")
_LINE_ENDS, _SPACE, _HYPHENS = frozenset({10, 13}), 32, frozenset({0x02, 0x2D, 0xAD, 0x2010, 0xFFFE})
_SAME_HEIGHT = 0.01  # points: two fonts of one height to this digit have one size
_BULLETS = str.maketrans({"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "•", "\uf076": "•", "\u25aa": "▪", "\x7f": "•"})


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A piece of text on one baseline, in points from the lower left corner of its page."""

    text: str
    """Text of the line, without marks of footnotes."""
    left: float
    """Left end of the first glyph, or of the mark of a list."""
    right: float
    """Right end of the last glyph."""
    baseline: float
    """Height on which the letters stand."""
    size: float
    """Font size of its largest letters."""
    bold: bool = False
    """True where the whole line is bold."""
    mark: str = ""
    """Mark of the footnote that the line opens, "" for other lines."""
    inner: float = 0.0
    """Left end of the text after the mark of a list, 0.0 where the mark stands close to it."""

    @property
    def is_list_item(self) -> bool:
        first, _, rest = self.text.partition(" ")
        return bool(rest and _LIST_MARK.match(first))


@dataclass(frozen=True, slots=True)
class Rule:
    """A horizontal line that is drawn on a page."""

    left: float
    right: float
    height: float


class _Glyph(NamedTuple):
    text: str
    left: float
    right: float
    baseline: float
    size: float
    place: int


def page_lines(page: pdfium.PdfPage, counts: Counter[str]) -> list[PdfLine]:
    """Lines of a page from top to bottom, without the marks of footnotes; what was left out or folded is counted."""
    text_page = page.get_textpage()
    segments = [_line(text_page, glyphs, counts) for glyphs in _segments(_glyphs(text_page, counts))]
    return _joined(_without_marks([line for line in segments if line.text], counts))


def page_rules(page: pdfium.PdfPage) -> list[Rule]:
    """Horizontal lines of a page that are longer than two letters."""
    boxes = (shape.get_bounds() for shape in page.get_objects([raw.FPDF_PAGEOBJ_PATH], max_depth=3))
    return [
        Rule(left, right, height)
        for left, bottom, right, top in boxes
        if right - left > 20
        for height in ({bottom} if top - bottom < 3 else {bottom, top})
    ]


def _glyphs(text_page: pdfium.PdfTextPage, counts: Counter[str]) -> Iterator[_Glyph | None]:
    """Glyphs in the order of drawing, upright; None where PDFium ends a line."""
    page = text_page.raw  # several calls for each letter: what is looked up or asked once is not asked again
    box, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    places = range(raw.FPDFText_CountChars(page))
    turns = Counter(_turn(page, place) for place in places[::10])  # a line in the margin has more than ten letters
    turn = turns.most_common(1)[0][0] if turns else 0
    last_box, letters, ligatures, rotated = (0.0, 0.0, 0.0), 1, 0, 0
    height = size = -1.0
    for place in places:
        code = raw.FPDFText_GetUnicode(page, place)
        if code in _LINE_ENDS:
            yield None
            continue
        if code == _SPACE and raw.FPDFText_IsGenerated(page, place) == 1:
            yield _Glyph(" ", 0.0, 0.0, 0.0, 0.0, place)
            continue
        if len(turns) > 1 and _turn(page, place) != turn:
            rotated += 1
            continue
        raw.FPDFText_GetLooseCharBox(page, place, box)
        raw.FPDFText_GetCharOrigin(page, place, x, y)
        left, right, bottom, top = box.left, box.right, box.bottom, box.top
        is_hyphen = code in _HYPHENS and raw.FPDFText_IsHyphen(page, place) == 1
        text = "-" if is_hyphen else _BULLETS.get(code) or chr(code)
        letters = letters + 1 if (left, right, bottom) == last_box and text.isalpha() else 1
        ligatures += letters == 2  # its letters have one box, of three the third counts no more
        last_box = (left, right, bottom)
        if abs((top - bottom if turn % 2 == 0 else right - left) - height) > _SAME_HEIGHT:
            height = top - bottom if turn % 2 == 0 else right - left
            size = _size(raw.FPDFText_GetFontSize(page, place), height)
        yield _Glyph(text, *_upright(turn, (left, right, bottom, top), x.value, y.value), size, place)
    counts["ligatures folded"] += ligatures
    counts["rotated letters left out"] += rotated


def _turn(page: raw.FPDF_TEXTPAGE, place: int) -> int:
    """Quarters of a turn by which a glyph is rotated."""
    angle: float = raw.FPDFText_GetCharAngle(page, place)
    return round(angle / (pi / 2)) % 4


def _size(size: float, height: float) -> float:
    """Font size as it is seen: a writer may set size 1 and scale the page, which the height of the box tells."""
    return size if height and 0.6 < height / max(size, 0.01) < 2 else max(height / 1.2, 0.1)


def _upright(turn: int, box: tuple[float, float, float, float], x: float, y: float) -> tuple[float, float, float]:
    left, right, bottom, top = box
    if turn == 1:  # letters that read downwards or upwards the page
        return -top, -bottom, x
    if turn == 2:
        return -right, -left, -y
    if turn == 3:
        return bottom, top, -x
    return left, right, y


def _segments(glyphs: Iterable[_Glyph | None]) -> Iterator[list[_Glyph]]:
    """Runs of glyphs on one line, raised ones included, without wide gaps."""
    run: list[_Glyph] = []
    last: _Glyph | None = None
    for glyph in glyphs:
        if glyph is None or not glyph.size:
            if run and glyph and run[-1].text != " ":
                run.append(run[-1]._replace(text=" ", left=run[-1].right))
            continue  # where a line ends is seen by the place of the next glyph
        if last and run and not _continues(run, last, glyph):
            yield run
            run = []
        run.append(glyph)
        last = glyph if glyph.text.strip() else last
    if run:
        yield run


def _continues(run: Sequence[_Glyph], last: _Glyph, glyph: _Glyph) -> bool:
    size = max(last.size, glyph.size)
    if abs(glyph.baseline - last.baseline) > _RAISED[1] * size:
        return False
    if abs(glyph.baseline - last.baseline) > _RAISED[0] * size and min(last.size, glyph.size) > _SMALL * size:
        return False
    gap = glyph.left - max(last.right, run[-1].left)
    return -0.6 * size < gap < SEGMENT_GAP * size


def _line(text_page: pdfium.PdfTextPage, glyphs: Sequence[_Glyph], counts: Counter[str]) -> PdfLine:
    """Text of a run, in which marks of footnotes are left out and other raised signs become those of Unicode."""
    printed = [glyph for glyph in glyphs if glyph.text.strip()]
    if not printed:
        return PdfLine("", 0, 0, 0, 0)
    size = max(glyph.size for glyph in printed)
    baseline = median(glyph.baseline for glyph in printed if glyph.size > _SMALL * size)
    text, opening, place = "", "", 0
    while place < len(glyphs):
        end = place
        while end < len(glyphs) and _is_raised(glyphs[end], baseline, size):
            end += 1
        if end == place:
            text += glyphs[place].text
            place += 1
            continue
        raised = "".join(glyph.text for glyph in glyphs[place:end]).strip()
        if not text.strip():
            opening = raised
        elif _MARK.match(raised) and _BEFORE_MARK.search(text):
            counts["footnote marks left out"] += 1
        else:
            text += raised if raised.isalpha() and len(raised) > 1 else raised.translate(_RAISED_FORMS)
        place = end
    text, marks = _UNICODE_MARK.subn("", _whole(text))
    counts["footnote marks left out"] += marks
    ends = (printed[0], printed[len(printed) // 2], printed[-1])
    is_bold = all(_is_bold(text_page, glyph.place) for glyph in ends)
    mark = opening if _MARK.match(opening) else ""
    text = text.strip() if mark or not opening else f"{opening}{text}".strip()
    return PdfLine(
        text, min(glyph.left for glyph in printed), max(glyph.right for glyph in printed), baseline, size, is_bold, mark
    )


def _without_marks(lines: Sequence[PdfLine], counts: Counter[str]) -> list[PdfLine]:
    """Lines without the marks of footnotes that were drawn by themselves."""
    marks = [line for line in lines if _MARK.match(line.text) and any(_is_mark_of(line, other) for other in lines)]
    counts["footnote marks left out"] += len(marks)
    return [line for line in lines if line not in marks]


def _is_mark_of(mark: PdfLine, line: PdfLine) -> bool:
    raised = mark.baseline - line.baseline
    return (
        mark.size < _SMALL * line.size
        and _RAISED[0] * line.size < raised < _RAISED[1] * line.size
        and line.left + line.size < mark.left < line.right + 0.5 * line.size
        and (mark.left < line.right - 0.5 * line.size or bool(_BEFORE_MARK.search(line.text)))
    )


def _is_raised(glyph: _Glyph, baseline: float, size: float) -> bool:
    return bool(glyph.text.strip()) and glyph.size < _SMALL * size and glyph.baseline - baseline > _RAISED[0] * size


def _whole(text: str) -> str:
    """The text with the halves of surrogate pairs joined, a lone half as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


def _is_bold(text_page: pdfium.PdfTextPage, place: int) -> bool:
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    raw.FPDFText_GetFontInfo(text_page, place, name, 128, flags)
    return raw.FPDFText_GetFontWeight(text_page, place) >= 600 or b"bold" in name.value.lower()


def _joined(segments: Iterable[PdfLine]) -> list[PdfLine]:
    """Segments from top to bottom and left to right; those that touch, and marks of lists with their items, as one."""
    lines: list[PdfLine] = []
    for row in rows_of(segments):
        for place, line in enumerate(row):
            before = lines[-1] if place else None
            gap = line.left - before.right if before else 0.0
            if (
                before
                and _LIST_MARK.match(before.text)
                and (place == 1 or before.text[0] not in "-–*·")
                and gap < 4 * line.size
            ):
                lines[-1] = replace(line, text=f"{before.text} {line.text}", left=before.left, inner=line.left)
            elif before and gap < SEGMENT_GAP * max(line.size, before.size):
                space = " " if gap > _SPACE_GAP * line.size else ""
                size = max(before.size, line.size)
                lines[-1] = replace(
                    before, text=f"{before.text}{space}{line.text}", right=max(before.right, line.right), size=size
                )
            else:
                lines.append(line)
    return lines


def rows_of(lines: Iterable[PdfLine]) -> list[list[PdfLine]]:
    """Lines on about one baseline, from left to right; rows from top to bottom."""
    rows: list[list[PdfLine]] = []
    for line in sorted(lines, key=lambda line: -line.baseline):
        if rows and rows[-1][0].baseline - line.baseline < 0.35 * min(line.size, rows[-1][0].size):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]
