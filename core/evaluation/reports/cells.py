"""A cell in words: the number with its interval, as the format of its column says, and the mark of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from core.edits import kind_title
from core.evaluation.report import Cell, Column, Table, estimate_of
from core.registry import split_pieces
from core.scoring import metric_title, metric_titles
from core.stats import (
    CORRECTION,
    MIN_TEST_DOCUMENTS,
    SIGNIFICANCE_LEVEL,
    Estimate,
    MetricStatistic,
    format_coefficient,
    format_correlation,
    format_in_units,
    format_percent,
    format_share,
    format_signed,
    format_unsigned,
)
from core.types import Format

NOTHING = "–"


def format_rank(rank: Estimate) -> str:
    """A rank with those that no difference rules out, as 2 [1, 3.5]; alone where all others are ruled out."""
    if rank.value is None:
        return NOTHING
    between = (
        "" if rank.low is None or rank.high is None or rank.low == rank.high else f" [{rank.low:g}, {rank.high:g}]"
    )
    return f"{rank.value:g}{between}"


_TINY = 1e-6


def _format_number(estimate: Estimate) -> str:
    if estimate.value is None:
        return NOTHING
    # nobody reads 5e-28, and as a p-value it says no more
    return f"< {_TINY:f}" if 0 < estimate.value < _TINY else f"{estimate.value:,.4g}"


_FORMATTERS: Mapping[Format, Callable[[Estimate], str]] = MappingProxyType(
    {
        "text": _format_number,
        "metric": _format_number,
        "metrics": _format_number,
        "perturbation": _format_number,
        "number": _format_number,
        "count": lambda estimate: NOTHING if estimate.value is None else f"{estimate.value:,.0f}",
        "seconds": lambda estimate: NOTHING if estimate.value is None else f"{estimate.value:,.1f} s",
        "percent": format_percent,
        "share": format_share,
        "coefficient": format_coefficient,
        "unsigned": format_unsigned,
        "signed": format_signed,
        "units": format_in_units,
        "correlation": format_correlation,
        "rank": format_rank,
    }
)

_TITLES: Mapping[Format, Callable[[str], str]] = MappingProxyType(
    {
        "metric": metric_title,
        "metrics": lambda names: " + ".join(map(metric_title, split_pieces(names, "+"))),
        "perturbation": kind_title,
    }
)

PERCENT_FORMATS: tuple[Format, ...] = ("percent", "share")


def format_value(cell: Cell, form: Format) -> str:
    """The cell without a mark; a dash where there is no value."""
    if cell is None:
        return NOTHING
    if isinstance(cell, str):
        return _TITLES[form](cell) if form in _TITLES else cell
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int | float):
        return _FORMATTERS[form](Estimate(float(cell), None, None, 0))
    return _FORMATTERS[form](estimate_of(cell) or Estimate(None, None, None, 0))


def format_cell(cell: Cell, column: Column) -> str:
    """The cell with its mark: * the best, = not significantly worse, ? not tested."""
    text = format_value(cell, column.format)
    return f"{text} {cell.mark}".rstrip() if isinstance(cell, MetricStatistic) else text


def heading(column: Column) -> str:
    """The title of a column, with the unit of shares that are written in percent."""
    return f"{column.heading}, %" if column.format == "percent" else column.heading


def pivot_grid(table: Table, name: str) -> tuple[list[str], list[str], dict[tuple[str, str], Cell]]:
    """The rows and columns of the grid of one column of cells, and the cells by both; a place without a row is missing."""
    if table.pivot is None:
        raise ValueError(f"{table.name} is no grid.")
    down, across = ([str(cell) for cell in table.cells(of)] for of in (table.pivot.down, table.pivot.across))
    cells = dict(zip(zip(down, across, strict=True), table.cells(name), strict=True))
    return list(dict.fromkeys(down)), list(dict.fromkeys(across)), cells


def pivot_titles(table: Table, down: Sequence[str], across: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The rows and the columns of a grid as people read them, each another."""
    if table.pivot is None:
        raise ValueError(f"{table.name} is no grid.")
    of_metrics = (table.column(of).format == "metric" for of in (table.pivot.down, table.pivot.across))
    rows, columns = (
        metric_titles(names) if titled else {name: name for name in names}
        for names, titled in zip((down, across), of_metrics, strict=True)
    )
    return rows, columns


def legend(tables: Sequence[Table]) -> str:
    """Meanings of the marks that occur in tables, and the test; empty where nothing was compared."""
    figures = [cell for table in tables for row in table.rows for cell in row if isinstance(cell, MetricStatistic)]
    tests = dict.fromkeys(next(iter(figure.tests)) for figure in figures if figure.best and figure.tests)
    if not tests:
        return ""
    lacks_documents = any(figure.untested for figure in figures)
    untested = f"; ? not tested (fewer than {MIN_TEST_DOCUMENTS} documents, or no interval)" if lacks_documents else ""
    return (
        f"* the best of its slice; = not significantly worse ({', '.join(tests)} test, p ≥ {SIGNIFICANCE_LEVEL:g}, "
        f"corrected by {CORRECTION}){untested}."
    )


_MARKS = ("* the best", "= not", "? not")
SHADES = ("Dark: the best", "light: not", "italic: not")
SIGNS = ("Bold: the best", "†: not", "‡: not")
"""Words for the marks of a terminal in a legend: where cells have a ground, and in Markdown."""


def legend_in(words: Sequence[str], tables: Sequence[Table]) -> str:
    """The legend with these words in the place of the marks."""
    text = legend(tables)
    for mark, word in zip(_MARKS, words, strict=True):
        text = text.replace(mark, word)
    return text


def few_documents(cells: Iterable[Cell]) -> str:
    """Note that intervals rest on few documents, and on how many at least; empty where they do not."""
    few = [estimate.documents for cell in cells if (estimate := estimate_of(cell)) and estimate.of_few_documents]
    return f"few documents ({min(few)})" if few else ""


def missing_reasons(tables: Sequence[Table]) -> Iterator[str]:
    """The reasons why statistics are missing, each once with the metrics that it concerns, or without if it is all of them."""
    metrics: set[str] = set()
    errors: dict[str, list[str]] = {}
    for table in tables:
        for row in table.records():
            metric = str(row.get("metric") or "")
            metrics.add(metric)
            for estimate in (estimate_of(cell) for cell in row.values()):
                if estimate and estimate.value is None and estimate.error:
                    errors.setdefault(estimate.error, []).append(metric)
    for error, names in errors.items():
        concerned = dict.fromkeys(names)
        yield (
            error
            if len(concerned) == len(metrics) or "" in concerned
            else f"{', '.join(map(metric_title, concerned))}: {error}"
        )
