"""The header of a table: its row, the notes above it that are left out, and the rows of a survey tool below it that are no data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.data.datasets.formats.fields import table_number
from core.errors import TouchstoneError

MOST_COLUMNS = 1_000
_MOST_NOTES = 30  # rows above a header
_LONG_TEXT = 40  # characters
_SHOWN = 60  # characters of a note
_NO_LETTER = re.compile(r"[\W_]+")
_IMPORT_ID = re.compile(r'\{\s*"ImportId"\s*:')
_ANSWER_KINDS = frozenset({"response", "openendedresponse"})
"""Second row of SurveyMonkey, below the questions."""
_USUAL_NAMES = frozenset(
    ("id", "document", "doc", "article", "source", "text", "summary", "claim", "response", "label")
)
_SENTENCE_END = (".", "!", "?", "。", "！", "？", "…", '."', ".”")

Cells = Sequence[object]


@dataclass(frozen=True, slots=True)
class Header:
    """The names of columns, the place of their row among the first rows, and how many rows after it are none of the data."""

    names: tuple[str, ...]
    row: int
    label_rows: int
    notes: tuple[str, ...]


def find_header(rows: Sequence[Cells], name: str) -> Header:
    """The header among the first rows of a table, which are not blank.

    Raises TouchstoneError, with the `name` of the file, where two columns bear the same name, there are too many of them, or the
    first row holds data.
    """
    width = _width(rows)
    row = next((place for place, cells in enumerate(rows[:_MOST_NOTES]) if _may_be_header(cells, width)), 0)
    names = [_cell_text(cell) for cell in rows[row]] if rows else []
    while len(names) > width and not names[-1]:
        names.pop()
    check_column_count(len(names), name)
    below = rows[row + 1 :]
    notes = [f"{_number(row, 'line')} above the header left out: {_shorten(rows[0])}"] if row else []

    second = _second_names(names, below)
    if second:
        names, below = second.names, below[second.rows :]
        notes.append(
            f"the header has two rows, as pandas writes columns with two levels: {', '.join(filter(None, names))}"
        )
    label_rows = _label_rows(names, below)
    if label_rows:
        notes.append(f"{_number(label_rows, 'row')} of a survey tool below the header left out: {_shorten(below[0])}")
    data = below[label_rows:]
    if data and len(names) > 1 and names[0] and all(_end(cells) == len(names) + 1 for cells in data):
        names = ["", *names]
        notes.append("the first column has no name: row names")
    if _is_data(names, data):
        raise TouchstoneError(
            f"{name} has no header: its first row reads {_shorten(rows[row])}. Add a first row with the names of the columns, such "
            "as document, summary, label."
        )
    for place in _repeated_columns(names, data):
        notes.append(f"the column {names[place]} is there twice with the same cells: the second is left out")
        names[place] = ""
    skipped = label_rows + (second.rows if second else 0)
    return Header(tuple(distinct_columns(names)), row, skipped, tuple(notes))


def _repeated_columns(names: Sequence[str], data: Sequence[Cells]) -> list[int]:
    """Places of columns that have the name of an earlier one and its cells, as a table that was written with its index has."""
    columns = [
        [_cell_text(cells[place]) if place < len(cells) else "" for cells in data] for place in range(len(names))
    ]
    return [
        place
        for place, name in enumerate(names)
        if name and name in names[:place] and columns[place] == columns[names.index(name)] and any(columns[place])
    ]


def distinct_columns(names: Iterable[str]) -> list[str]:
    """The names of a table's columns; several may have none. Raises TouchstoneError where two bear the same name."""
    listed = list(names)
    twice = [name for name, number in Counter(listed).items() if name and number > 1]
    if twice:
        raise TouchstoneError(f"Two columns are called {twice[0]!r}. Give each column a name of its own.")
    return listed


def check_column_count(number: int, name: str) -> None:
    """Raises TouchstoneError for a table of more columns than a table of summaries has."""
    if number > MOST_COLUMNS:
        raise TouchstoneError(
            f"{name} has {number:,} columns; {MOST_COLUMNS:,} is the most. Keep those with texts, labels and scores."
        )


def _width(rows: Sequence[Cells]) -> int:
    """The most frequent number of cells up to the last that is filled in any row, the larger where two are as frequent."""
    ends = Counter(_end(cells) for cells in rows)
    longest = max(ends, default=0)
    # rows whose last cells are blank are not narrower than the table
    frequent = [end for end, number in ends.items() if number * 5 >= len(rows)]
    return max(frequent, default=longest)


def _end(cells: Cells) -> int:
    return next((place for place in range(len(cells), 0, -1) if _cell_text(cells[place - 1])), 0)


def _may_be_header(cells: Cells, width: int) -> bool:
    """True for a row that names nearly all of the columns, and is no remark."""
    named = sum(bool(_cell_text(cell)) for cell in cells)
    distinct = {_cell_text(cell) for cell in cells} - {""}
    first = _cell_text(cells[0]) if cells else ""
    # a title stands in the first cell, and a name of a column hardly alone
    is_title = named == 1 and bool(first)
    if width > 1 and (named * 2 < width or is_title or (len(distinct) == 1 and named > 1)):
        return False
    return not (first.startswith("# ") and len(cells) != width)


@dataclass(frozen=True, slots=True)
class _SecondNames:
    """The names of a header of two rows, and how many rows below the first belong to it."""

    names: list[str]
    rows: int


def _second_names(names: Sequence[str], below: Sequence[Cells]) -> _SecondNames | None:
    """The names of columns with two levels: the second, with the first before it where the second alone is not distinct.

    The first level repeats or is blank under merged cells, or the second is words above numbers. None for any other table.
    """
    width = len(names)
    if len(below) < 2 or width < 2:
        return None
    level = [_cell_text(cell) for cell in [*below[0], *[None] * width][:width]]
    filled = [text for text in level if text]
    if len(filled) < 2 or any(len(text) > _LONG_TEXT or table_number(text) is not None for text in filled):
        return None
    rows = 2 if _end(below[1]) == 1 and width > 2 else 1
    first, before = list[str](), ""
    for name, text in zip(names, level, strict=True):
        before = name or (before if text else "")
        first.append(before)
    pairs = [pair for pair in zip(first, level, strict=True) if any(pair)]
    repeats = len({*names} - {""}) < sum(map(bool, names))
    merged = any(text and not name for name, text in [*zip(names, level, strict=True)][1:])
    above_numbers = _is_above_numbers(level, below[rows:])
    named = {_plain(text) for text in filled} & _USUAL_NAMES
    if len({*pairs}) < len(pairs) or not (above_numbers or ((repeats or merged) and named)):
        return None
    once = Counter(level)
    combined = [
        text if text and once[text] == 1 and text not in names else f"{name}.{text}".strip(".")
        for name, text in zip(first, level, strict=True)
    ]
    if rows > 1:
        combined[0] = _cell_text(below[1][0])  # the name of the index
    return _SecondNames(combined, rows)


def _is_above_numbers(level: Sequence[str], data: Sequence[Cells]) -> bool:
    """True if a row has words above columns of numbers alone, and is blank above all others or names them."""
    above = 0
    for place, text in enumerate(level):
        column = [cell for cells in data if place < len(cells) and (cell := _cell_text(cells[place]))]
        numbers = bool(column) and all(table_number(cell) is not None for cell in column)
        if text and not numbers and any(len(cell) <= len(text) for cell in column):
            return False
        above += bool(text and numbers)
    return above >= 2


def _label_rows(names: Sequence[str], below: Sequence[Cells]) -> int:
    """Number of rows below the names that a survey tool adds: questions and import ids of Qualtrics, kinds of answers of SurveyMonkey."""
    for place, cells in enumerate(below[:2]):
        filled = [text for cell in cells if (text := _cell_text(cell))]
        if filled and all(_IMPORT_ID.match(text) for text in filled):
            return place + 1
    if not below:
        return 0
    filled = [text for cell in below[0] if (text := _plain(_cell_text(cell)))]
    is_kinds = bool(filled) and {*filled} <= _ANSWER_KINDS
    # options that were ticked repeat their names too, in other rows as well
    repeats = [_repeated_names(names, cells) for cells in below[:_MOST_NOTES]]
    return int(is_kinds or (repeats[0] >= 2 and not any(repeats[1:])))


def _repeated_names(names: Sequence[str], cells: Cells) -> int:
    texts = [_plain(_cell_text(cell)) for cell in cells]
    return sum(bool(text) and text == _plain(name) for name, text in zip(names, texts, strict=False))


def _is_data(names: Sequence[str], data: Sequence[Cells]) -> bool:
    """True if what should be names is a number in a column of numbers, or a sentence as long as those below it."""
    if _USUAL_NAMES & {_plain(name) for name in names}:
        return False
    for place, name in enumerate(names):
        column = [text for cells in data if place < len(cells) and (text := _cell_text(cells[place]))]
        if not name or len(column) < 2:
            continue
        numbers = sum(table_number(text) is not None for text in column)
        if table_number(name) is not None and numbers == len(column):
            return True
        lengths = sorted(map(len, column))
        median = lengths[len(lengths) // 2]
        is_sentence = name.endswith(_SENTENCE_END) and len(name.split()) >= 4
        if is_sentence and median >= _LONG_TEXT and len(name) * 2 >= median:
            return True
    return False


def _cell_text(cell: object) -> str:
    return "" if cell is None else str(cell).strip().strip("\ufeff")


def _plain(text: str) -> str:
    return _NO_LETTER.sub("", text.lower())


def _shorten(cells: Cells) -> str:
    text = " | ".join(filled for cell in cells if (filled := _cell_text(cell)))
    return f"“{text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}”"


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}"
