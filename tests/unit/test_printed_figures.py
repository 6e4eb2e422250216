"""Every figure that is packaged as printed stands in its table of the paper's text, row by row, where the text is at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.assessment.papers.paper import PAPERS
from core.assessment.papers.published import PublishedTable, read_published
from tests.sources import ROOT

TEXTS = ROOT.parent / "shared" / "papers"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?!\w)(?!\.\d)")

LOST_LINES = {("bump", "4a", "Coreference")}
"""Rows that the text at hand has not; they were read in the figures of the release."""

TORN_LINES = {
    ("bump", "4b", "Extrinsic Entity"),
    ("bump", "4b", "Intrinsic Circumstance"),
    ("bump", "5a", "Extrinsic Entity"),
}
"""Rows of which the text at hand has lost cells: those that are left stand there in their order."""

MERGED_LINES = {("bump", "4a", "Intrinsic Error")}
"""Rows whose line has cells of another one, which has none of its own."""


def printed_tables() -> list[tuple[str, PublishedTable]]:
    return [(name, table) for name in PAPERS.names() for table in read_published(name).tables if table.printed_in]


def numbers(line: str) -> list[float]:
    """Numbers of a line; a blank inside a decimal fraction is one that the text at hand has put there."""
    whole = re.sub(r"(?<=\d\.)\s+(?=\d\b)", "", line)
    return [float(one.replace(",", "")) for one in NUMBER.findall(whole)]


def stands_in(wanted: Sequence[float], row: Sequence[float]) -> bool:
    """True if the figures stand in the row one after another."""
    return any(row[start : start + len(wanted)] == [*wanted] for start in range(len(row) - len(wanted) + 1))


def follows(wanted: Sequence[float], found: Sequence[float]) -> bool:
    """True if the figures are found in their order, with others between them."""
    rest = iter(found)
    return all(one in rest for one in wanted)


def turn(row: str, table: PublishedTable, line: str) -> tuple[int, int]:
    """The place of a row among those that one line gives cell by cell in turn, and their number."""
    together = sorted((line.index(name), name) for name in table.rows if name in line)
    return [name for _, name in together].index(row) if row in line else 0, max(1, len(together))


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
    assert numbers("UniEval (w2)\t0.73\t6,131 -0.27 57.4% V1 x8b 96.6** 55.\t0") == [
        0.73,
        6131,
        -0.27,
        57.4,
        96.6,
        55.0,
    ]
    assert stands_in([0.1, 0.2], [3, 0.1, 0.2])
    assert not stands_in([0.1, 0.2], [0.1, 3, 0.2])
    assert follows([0.1, 0.2], [0.1, 3, 0.2])
    assert not follows([0.2, 0.1], [0.1, 3, 0.2])


def test_the_domains_of_summexecedit_add_up() -> None:
    """Table 6 against itself, and its shares against the whole numbers of consistent edits that were computed from it."""
    tables = {table.id: table for table in read_published("summexecedit").tables}
    domains = {row.lower().replace(" ", "_"): values for row, values in tables["6"].rows.items()}
    total, _ = domains.pop("total")
    assert sum(number or 0 for number, _ in domains.values()) == total
    consistent = {name: round((number or 0) * (1 - (share or 0) / 100)) for name, (number, share) in domains.items()}
    assert sum(consistent.values()) == 2120
    renamed = {"qmsum": "qmsumm"}
    computed = {row: number for row, (number,) in tables["6, consistent edits"].rows.items()}
    assert {renamed.get(name, name): number for name, number in consistent.items()}.items() >= computed.items()


@pytest.mark.parametrize(("paper", "table"), printed_tables(), ids=lambda one: getattr(one, "id", one))
def test_each_printed_row_stands_in_its_table(paper: str, table: PublishedTable) -> None:
    assert table.origin == "printed", paper
    if not TEXTS.is_dir():
        pytest.skip(f"The texts of the papers are not here: {paper} needs ../shared/papers.")
    lines = lines_of(table, TEXTS)
    if table.unit == "asterisks":
        printed = [len(one) for line in lines for one in re.findall(r"\*+", line)]
        assert printed == [value for (value,) in table.rows.values() if value]
        return
    for row, values in table.rows.items():
        if (paper, table.id, row) in LOST_LINES:
            continue
        known = [value for value in values if value is not None]
        named = [line for line in lines if row.lower() in line.lower()]
        found = [numbers(line) for line in named]
        torn = (paper, table.id, row) in TORN_LINES and any(follows(one, known) for one in found if one)
        merged = (paper, table.id, row) in MERGED_LINES and any(follows(known, one) for one in found)
        assert (
            torn
            or merged
            or any(stands_in(known, one) for one in found or map(numbers, lines))
            or any(numbers(line)[start::step] == known for line in named for start, step in [turn(row, table, line)])
            or follows(known, numbers(" ".join(lines_of_row(row, table, lines))))
        ), (row, known)
