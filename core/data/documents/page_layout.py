"""Reading order of the lines of a page: columns one after another, tables as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median

from core.data.documents.pdf_lines import SEGMENT_GAP, PdfLine, Rule, rows_of

_FLOWING_WORDS = 3.0  # average words per line from which it is a column; a cell has fewer
_FLOWING_WIDTH = 0.6  # of the column that a middling line fills
_OPEN_ROWS = 1.45  # line height of rows of a table, of the font size
_FAR = 3.0  # line heights between two parts of a page

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PageBlock:
    """Lines of a column from top to bottom, or the rows of a table, whose cells are separated by tabs."""

    lines: tuple[PdfLine, ...] = ()
    rows: tuple[str, ...] = ()


def reading_order(lines: Sequence[PdfLine], rules: Sequence[Rule]) -> list[PageBlock]:
    """Blocks of a page, or of one of its columns, as they are read."""
    blocks: list[PageBlock] = []
    is_open = False
    for rows in _bands(rows_of(lines)):
        parts = _band_blocks(rows, rules)
        is_column = len(parts) == 1 and bool(parts[0].lines)
        if is_open and is_column:
            blocks[-1] = PageBlock((*blocks[-1].lines, *parts[0].lines))
        else:
            blocks += parts
        is_open = is_column
    return blocks


def _bands(rows: Sequence[list[PdfLine]]) -> list[list[list[PdfLine]]]:
    """Rows that follow each other and leave a gap free in common, else single rows."""
    bands: list[list[list[PdfLine]]] = []
    right = max((line.right for row in rows for line in row), default=0.0)
    for row in rows:
        if bands and _shares_gap([*bands[-1], row], right):
            bands[-1].append(row)
        else:
            bands.append([row])
    return bands


def _shares_gap(rows: Sequence[list[PdfLine]], right: float) -> bool:
    above, below = rows[-2][0], rows[-1][0]
    if above.baseline - below.baseline > _FAR * 1.2 * max(above.size, below.size):
        return False
    before, after = _covered(rows[:-1]), _covered(rows)
    free = right - after[-1][1] > SEGMENT_GAP * below.size and right - before[-1][1] > SEGMENT_GAP * below.size
    return len(after) > 1 or (free and all(len(row) == 1 for row in rows))


def _covered(rows: Sequence[list[PdfLine]]) -> list[Interval]:
    """Intervals of the width in which some line stands; a gap between two is as wide as one that separates cells."""
    intervals: list[Interval] = []
    for line in sorted((line for row in rows for line in row), key=lambda line: line.left):
        if intervals and line.left - intervals[-1][1] < SEGMENT_GAP * line.size:
            intervals[-1] = (intervals[-1][0], max(intervals[-1][1], line.right))
        else:
            intervals.append((line.left, line.right))
    return intervals


def _gutters(rows: Sequence[list[PdfLine]]) -> list[float]:
    covered = _covered(rows)
    return [(left[1] + right[0]) / 2 for left, right in pairwise(covered)]


def _band_blocks(rows: Sequence[list[PdfLine]], rules: Sequence[Rule]) -> list[PageBlock]:
    gutters = _gutters(rows)
    columns = [
        [line for row in rows for line in row if _column(line, gutters) == place] for place in range(len(gutters) + 1)
    ]
    shared = [row for row in rows if len({_column(line, gutters) for line in row}) > 1]
    if len(columns) == 2 and _is_numbering(columns[0]):
        return [PageBlock(tuple(_one_line(row) for row in rows))]
    crossing = _crossing(rows, rules)
    if gutters and shared and (len(crossing) > 1 or (_is_spaced(rows, shared) and len(shared) > 1)):
        return _table(rows, gutters, crossing)
    if gutters and all(_flows(column) for column in columns) and max(map(len, columns)) > 2:
        return [block for column in columns for block in reading_order(column, rules)]
    if gutters and len(shared) > 1:
        return _table(rows, gutters, crossing)
    return [PageBlock(tuple(_one_line(row) for row in rows))]


def _is_numbering(lines: Sequence[PdfLine]) -> bool:
    numbers = [int(line.text) for line in lines if line.text.isdecimal() and len(line.text) < 4]
    return len(numbers) == len(lines) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _column(line: PdfLine, gutters: Sequence[float]) -> int:
    return sum(line.left > gutter for gutter in gutters)


def _flows(column: Sequence[PdfLine]) -> bool:
    lines = [_one_line(row) for row in rows_of(column)]  # a justified line may have wide blanks
    width = max(line.right for line in lines) - min(line.left for line in lines)
    return (
        fmean(len(line.text.split()) for line in lines) >= _FLOWING_WORDS
        and median(line.right - line.left for line in lines) >= _FLOWING_WIDTH * width
    )


def _crossing(rows: Sequence[list[PdfLine]], rules: Sequence[Rule]) -> list[float]:
    """Heights of the rules that cross most of the rows' width, within their height; cells may have one each."""
    lines = [line for row in rows for line in row]
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    top, bottom = rows[0][0].baseline + 2 * rows[0][0].size, rows[-1][0].baseline - 1.5 * rows[-1][0].size
    widths: dict[int, float] = {}
    for rule in rules:
        if bottom < rule.height < top:
            overlap = min(rule.right, right) - max(rule.left, left)
            widths[round(rule.height)] = widths.get(round(rule.height), 0.0) + max(0.0, overlap)
    return [float(height) for height, width in widths.items() if width > 0.6 * (right - left)]


def _is_spaced(rows: Sequence[list[PdfLine]], shared: Sequence[list[PdfLine]]) -> bool:
    if len(rows) < 2 or len(shared) < 0.8 * len(rows):
        return False
    steps = [above[0].baseline - below[0].baseline for above, below in pairwise(rows)]
    return median(steps) > _OPEN_ROWS * rows[0][0].size and not all(
        fmean(len(line.text.split()) for line in row) > 2 * _FLOWING_WORDS for row in rows
    )


def _table(rows: Sequence[list[PdfLine]], gutters: Sequence[float], crossing: Sequence[float]) -> list[PageBlock]:
    """The table; lines before and after it with only a first cell remain lines."""
    shared = [place for place, row in enumerate(rows) if len({_column(line, gutters) for line in row}) > 1]
    start, end = shared[0], shared[-1] + 1
    while end < len(rows) and (
        _column(rows[end][0], gutters) or any(rows[end][0].baseline > height for height in crossing)
    ):
        end += 1  # a cell that goes on in a further line, or a row above the lowest rule
    cells: list[list[str]] = []
    for place, row in enumerate(rows[start:end], start=start):
        texts = [
            " ".join(line.text for line in row if _column(line, gutters) == column)
            for column in range(len(gutters) + 1)
        ]
        if cells and _goes_on(rows[place - 1], row, texts, crossing):
            cells[-1] = [f"{above} {below}".strip() for above, below in zip(cells[-1], texts, strict=True)]
        else:
            cells.append(texts)
    blocks = [PageBlock(rows=tuple("\t".join(texts).rstrip() for texts in cells))]
    if start:
        blocks.insert(0, PageBlock(tuple(_one_line(row) for row in rows[:start])))
    if end < len(rows):
        blocks.append(PageBlock(tuple(_one_line(row) for row in rows[end:])))
    return blocks


def _goes_on(above: Sequence[PdfLine], row: Sequence[PdfLine], texts: Sequence[str], crossing: Sequence[float]) -> bool:
    """True for a row that continues cells of the row above it: further lines of a cell, or a cell that stands a little lower."""
    top, baseline = above[0].baseline, row[0].baseline
    if any(baseline < height < top for height in crossing) or all(texts):
        return False
    step = top - baseline
    return step < 0.8 * row[0].size or (step < _OPEN_ROWS * row[0].size and (not texts[0] or len(crossing) > 3))


def _one_line(row: Sequence[PdfLine]) -> PdfLine:
    size = max(line.size for line in row)
    return replace(row[0], text=" ".join(line.text for line in row), right=row[-1].right, size=size)
