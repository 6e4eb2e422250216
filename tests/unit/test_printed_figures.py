"""Every figure that is packaged as printed stands in its table of the paper's text, row by row, where the text is at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.papers.paper import PAPERS
from core.papers.published import PublishedTable, read_published
from tests.sources import ROOT

TEXTS = ROOT.parent / "shared" / "papers"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?!\w)(?!\.\d)")


def printed_tables() -> list[tuple[str, PublishedTable]]:
    return [(name, table) for name in PAPERS.names() for table in read_published(name).tables if table.printed_in]


def numbers(line: str) -> list[float]:
    return [float(one.replace(",", "")) for one in NUMBER.findall(line)]


def stands_in(wanted: Sequence[float], row: Sequence[float]) -> bool:
    """True if the figures stand in the row one after another."""
    return any(row[start : start + len(wanted)] == [*wanted] for start in range(len(row) - len(wanted) + 1))


def follows(wanted: Sequence[float], found: Sequence[float]) -> bool:
    """True if the figures are found in their order, with others between them."""
    rest = iter(found)
    return all(one in rest for one in wanted)


def lines_of_row(row: str, table: PublishedTable, lines: Sequence[str]) -> list[str]:
    """The lines from the one that begins with the row's name to that of the next row; none without such a line."""
    starts = {place: line for place, line in enumerate(lines) if line.startswith(tuple(table.rows))}
    first = next((place for place, line in starts.items() if line.startswith(row)), len(lines))
    last = next((place for place in starts if place > first), len(lines))
    return list(lines[first:last])


def lines_of(table: PublishedTable, folder: Path) -> list[str]:
    assert table.printed_in
    text = (folder / table.printed_in.text).read_text(encoding="utf-8").splitlines()
    return text[table.printed_in.first - 1 : table.printed_in.last]


def test_numbers_are_read_as_papers_print_them() -> None:
    assert numbers("UniEval (w2)\t0.73\t6,131 -0.27 57.4% V1 x8b 96.6**") == [0.73, 6131, -0.27, 57.4, 96.6]
    assert stands_in([0.1, 0.2], [3, 0.1, 0.2])
    assert not stands_in([0.1, 0.2], [0.1, 3, 0.2])
    assert follows([0.1, 0.2], [0.1, 3, 0.2])
    assert not follows([0.2, 0.1], [0.1, 3, 0.2])


@pytest.mark.parametrize(("paper", "table"), printed_tables(), ids=lambda one: getattr(one, "id", one))
def test_each_printed_row_stands_in_its_table(paper: str, table: PublishedTable) -> None:
    if not TEXTS.is_dir():
        pytest.skip(f"The texts of the papers are not here: {paper} needs ../shared/papers.")
    lines = lines_of(table, TEXTS)
    for row, values in table.rows.items():
        known = [value for value in values if value is not None]
        named = [line for line in lines if row.lower() in line.lower()]
        in_one_line = any(stands_in(known, numbers(line)) for line in named or lines)
        assert in_one_line or follows(known, numbers(" ".join(lines_of_row(row, table, lines)))), (row, known)


@pytest.mark.parametrize(("paper", "table"), printed_tables(), ids=lambda one: getattr(one, "id", one))
def test_places_of_tables_are_ranges_of_lines(paper: str, table: PublishedTable) -> None:
    assert table.origin == "printed", paper
    assert table.printed_in
    assert 0 < table.printed_in.first <= table.printed_in.last
