"""The static site of all reproduced papers: each table as printed with ours beside it, coloured by the difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.assessment.papers.paper_comparison import PaperCoverage, format_coverage
from core.base import open_templates

_TEMPLATES = open_templates(Path(__file__).with_name("templates"))

STATES: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "within": ("✓", "within", "within the tolerance"),
        "known": ("△", "known", "differs for a known reason"),
        "BEYOND": ("✗", "beyond", "differs beyond the tolerance"),
        "ours alone": ("●", "alone", "ours alone: nobody printed a figure"),
        "in bounds": ("⊂", "alone", "inside the bounds that the paper states in words, of its texts"),
        "out of bounds": ("⊄", "alone", "outside the bounds that the paper states in words, of its texts"),
        "waits": ("…", "waits", "waits"),
        "other texts": ("≠", "waits", "of other texts than the paper's: not compared"),
        "unreadable": ("?", "unreadable", "cannot be read in the paper for sure"),
    }
)
"""By state of a cell: its sign, its class in the style sheet, and what it means."""

_ORIGINS = MappingProxyType(
    {
        "printed": "printed in the paper",
        "again": "printed in the paper, compared once more",
        "elsewhere": "printed in another paper",
        "computed": "computed from released files by the authors' rule",
        "ours": "printed nowhere: our figures alone",
    }
)


@dataclass(frozen=True, slots=True)
class SiteTable:
    """One table of a page: `grid` has a cell for each column in each row, None where the table has none."""

    record: Mapping[str, Any]
    columns: tuple[str, ...]
    grid: Mapping[str, tuple[Mapping[str, Any] | None, ...]]
    counts: Mapping[str, int]
    waits: Mapping[str, int]
    deviations: tuple[str, ...]
    origin: str


def site_pages(
    papers: Mapping[str, Mapping[str, Any]], benchmarks: Mapping[str, str], titles: Mapping[str, str], version: str
) -> dict[str, str]:
    """The files of the site by name. `papers` are records of comparisons by name, `benchmarks` pages with their `titles`.

    Every text is escaped. The same records give the same bytes.
    """
    pages = {
        f"{name}.html": _TEMPLATES.get_template("paper.html").render(
            name=name,
            record=record,
            coverage=_coverage(record),
            tables=[_table(table) for table in record["tables"]],
            states=STATES,
            version=version,
        )
        for name, record in papers.items()
    }
    pages |= {f"{name}.html": page for name, page in benchmarks.items()}
    rows = [(name, record, _counts(record["tables"]), _coverage(record)) for name, record in papers.items()]
    index = _TEMPLATES.get_template("index.html").render(
        rows=rows,
        states=STATES,
        benchmarks={name: titles[name] for name in benchmarks},
        version=version,
    )
    return {"index.html": index, **pages}


def _coverage(record: Mapping[str, Any]) -> str:
    return format_coverage(PaperCoverage(**record["coverage"]))


def _counts(tables: Sequence[Mapping[str, Any]]) -> Counter[str]:
    return Counter(cell["state"] for table in tables for cell in table["cells"])


def _table(record: Mapping[str, Any]) -> SiteTable:
    cells = record["cells"]
    columns = tuple(dict.fromkeys(cell["column"] for cell in cells))
    rows: dict[str, dict[str, Mapping[str, Any]]] = {}
    for cell in cells:
        rows.setdefault(cell["row"], {})[cell["column"]] = cell
    return SiteTable(
        record,
        columns,
        {row: tuple(of_row.get(column) for column in columns) for row, of_row in rows.items()},
        _counts([record]),
        Counter(cell["waits"] for cell in cells if cell["waits"]),
        tuple(dict.fromkeys(cell["deviation"] for cell in cells if cell["deviation"])),
        _ORIGINS[record["origin"]],
    )
