"""Tables as aligned text, JSON-able records, LaTeX for the booktabs package, and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from core.cases.cases import Cases, MetricColumn
from core.cases.measures import PAPER_MEASURES, SIGNED_MEASURES, MetricRow
from core.settings import VERSION
from core.stats.best_metric import CORRECTION, SIGNIFICANCE_LEVEL, Measurement
from core.stats.comparison import MIN_TEST_DOCUMENTS
from core.stats.statistic import Estimate
from core.stats.text_tables import align_columns, format_correlation, format_in_units, format_percent
from core.studies.rating_correlation import COEFFICIENTS
from core.studies.released_scores import compare_with_released


def tables_record(cases: Cases, rows: Sequence[MetricRow], **head: object) -> dict[str, Any]:
    """Record that `cli.py meta --json` prints: `head`, the facts that the rows rest on, and the rows."""
    return {
        **head,
        "version": VERSION,
        "seed": 0,
        "samples": len(cases.samples),
        "documents": cases.clusters,
        "multiple_testing": CORRECTION,
        "metrics": [_column_record(column) for column in cases.all_columns],
        "warnings": list(cases.warnings),
        "released": [asdict(one) for one in compare_with_released(cases)],
        "rows": [row_record(row) for row in rows],
    }


def row_record(row: MetricRow) -> dict[str, Any]:
    """One row of `cli.py meta --json`; shares in 0..1, null where a figure is undefined.

    The figures of the paper stand in the row itself as well, where they were computed.
    """
    paper = {name: figure.estimate for name, figure in row.figures.items() if name in PAPER_MEASURES}
    flat: dict[str, Any] = {}
    for name, estimate in paper.items():
        bounds = {} if name == "ties" else {f"{name}_low": estimate.low, f"{name}_high": estimate.high}
        flat |= {name: estimate.value, **bounds}
    figures = {name: _figure_record(figure) for name, figure in row.figures.items()}
    return {"metric": row.metric, "slice": row.slice, "n": row.n, "failed": row.failed, **flat, "figures": figures}


def _figure_record(figure: Measurement) -> dict[str, Any]:
    estimate = figure.estimate
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "documents": estimate.documents,
        "few_documents": estimate.of_few_documents,
        "best": figure.best,
        "not_worse": None if figure.untested else figure.level,
        "p": figure.p,
        "tests": dict(figure.tests),
        "why": estimate.why,
    }


def _column_record(column: MetricColumn) -> dict[str, Any]:
    """Record of a metric in `cli.py meta --json`."""
    return {
        "metric": column.name,
        "signature": column.signature,
        "released": column.released,
        "direction": column.direction,
        "scores": int(np.sum(~np.isnan(column.values))),
        "failures": column.failed,
    }


def format_rows(rows: Sequence[MetricRow], legend: str = "") -> str:
    """One line a row, in columns, – for what is undefined; below them what the marks mean, `legend` where it is given."""
    names = list(rows[0].figures) if rows else []
    head = ("slice", "metric", "n", *(name.replace("_", " ") for name in names), "failed", "")
    legend = legend or format_legend([figure for row in rows for figure in row.figures.values()])
    return "\n\n".join(filter(None, [align_columns([head, *map(_row_cells, rows)]), legend]))


def format_legend(figures: Sequence[Measurement]) -> str:
    """Meanings of the marks that occur, and the test; empty where nothing was compared."""
    first = dict.fromkeys(next(iter(figure.tests)) for figure in figures if figure.best and figure.tests)
    if not first:
        return ""
    marks = {figure.mark for figure in figures}
    untested = f"; ? not tested (fewer than {MIN_TEST_DOCUMENTS} documents, or no interval)" if "?" in marks else ""
    return (
        f"* the best of its slice; = not significantly worse ({', '.join(first)} test, p ≥ {SIGNIFICANCE_LEVEL:g}, "
        f"corrected by {CORRECTION}){untested}."
    )


def format_tests(rows: Sequence[MetricRow]) -> str:
    """The p of every test, in columns; empty where none was made."""
    tested = [(row, name, figure) for row in rows for name, figure in row.figures.items() if figure.tests]
    if not tested:
        return ""
    names = list(dict.fromkeys(test for *_, figure in tested for test in figure.tests))
    lines = [
        (row.slice, row.metric, name.replace("_", " "), *(_format_p(figure.tests, test) for test in names))
        for row, name, figure in tested
        if any(p is not None for p in figure.tests.values())
    ]
    head = ("slice", "metric", "figure", *(f"p, {test}" for test in names))
    return (
        f"{align_columns([head, *lines])}\n\np of being equal to the best of the slice, of the sign test that pairs go either "
        f"way equally often; corrected by {CORRECTION}. DeLong, McNemar, Williams and the sign test take cases as independent."
    )


def _format_p(tests: Mapping[str, float | None], name: str) -> str:
    p = tests.get(name)
    return "–" if p is None else f"{p:.4f}"


def format_measure(estimate: Estimate, name: str) -> str:
    """A figure with its interval: percent, units of the metric, a quotient, or a correlation."""
    if name in COEFFICIENTS:
        return format_correlation(estimate)
    return format_in_units(estimate) if name in SIGNED_MEASURES else format_percent(estimate)


def format_marked(figure: Measurement, name: str) -> str:
    """A figure with its interval, and its mark behind it."""
    return f"{format_measure(figure.estimate, name)} {figure.mark}".rstrip()


def format_few_documents(figures: Iterable[Measurement]) -> str:
    """Note that intervals rest on few documents, and on how many at least; empty where they do not."""
    few = [figure.estimate.documents for figure in figures if figure.estimate.of_few_documents]
    return f"few documents ({min(few)})" if few else ""


def _row_cells(row: MetricRow) -> tuple[str, ...]:
    figures = (format_marked(figure, name) for name, figure in row.figures.items())
    few = format_few_documents(row.figures.values())
    return (row.slice, row.metric, str(row.n), *figures, str(row.failed or ""), few)
