"""Tables as a paper wants them: measures by slice, correlations, explanations, and what must be said of the metrics behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.errors import TouchstoneError
from core.meta.best_metric import Measurement
from core.meta.cases import Cases, MetricColumn
from core.meta.explanation_scores import ExplainerScores
from core.meta.measures import UNIT_MEASURES, MetricRow
from core.meta.table_formats import csv_table, format_marked, latex_table, latex_text, markdown_table
from core.metric import METRICS
from core.settings import VERSION
from core.stats.statistic import Estimate
from core.stats.text_tables import format_percent

_CSV_COLUMNS = (
    *("metric", "slice", "figure", "value", "low", "high", "n", "failed", "best", "not_worse", "p", "why"),
    *("documents", "second_test", "second_p"),
)


def rows_markdown(rows: Sequence[MetricRow], name: str) -> str:
    """One figure, metrics down and slices across; bold is the best of a slice, † not significantly worse, ‡ not tested."""
    parts, lines = _slice_grid(rows, name, _markdown_cell)
    return markdown_table(["metric", *parts], lines)


def rows_latex(rows: Sequence[MetricRow], name: str, caption: str) -> str:
    """The same as a table for the booktabs package."""
    parts, lines = _slice_grid(rows, name, _latex_cell)
    body = ([latex_text(line[0]), *line[1:]] for line in lines)
    return latex_table(["Metric", *map(latex_text, parts)], body, caption)


def rows_csv(rows: Sequence[MetricRow]) -> str:
    """Every figure of every row in full precision, one line each, with interval, n, p and the reason of what is missing."""
    lines = (
        (
            row.metric,
            row.slice,
            name,
            *_estimate_cells(figure.estimate),
            row.failed,
            figure.best,
            None if figure.untested else figure.level,
            figure.p,
            why,
            figure.estimate.documents,
            *_second_test(figure),
        )
        for row in rows
        for name, figure in row.figures.items()
        for why in [figure.estimate.why]
    )
    return csv_table(_CSV_COLUMNS, lines)


def _second_test(figure: Measurement) -> tuple[str, float | None]:
    """The test beside the first, and its p; empty where there is none."""
    return next(iter(list(figure.tests.items())[1:]), ("", None))


def metrics_card(cases: Cases) -> str:
    """What each metric is, whose numbers they are, and the signature that tells them from others."""
    return f"# Metrics\n\nTouchstone {VERSION}\n\n{''.join(map(_metric_card, cases.all_columns))}"


def _metric_card(column: MetricColumn) -> str:
    if column.released:
        return f"## {column.name}\n\nReleased by the authors of the data. Higher is more consistent.\n\n"
    try:
        card = METRICS.parse(column.signature.partition("|")[0]).card
    except TouchstoneError as error:
        return f"## {column.name}\n\n{error}\n\nSignature: `{column.signature}`\n\n"
    differs = f"{card.differs}\n\n" if card.differs else ""
    return (
        f"## {column.name}\n\n{card.measures} {card.paper}. {card.url}\n\n{differs}Signature: `{column.signature}`\n\n"
    )


def _slice_grid(
    rows: Sequence[MetricRow], name: str, cell: Callable[[Measurement, str], str]
) -> tuple[list[str], list[list[str]]]:
    """The slices, and for each metric its name and its cells."""
    parts = list(dict.fromkeys(row.slice for row in rows))
    metrics = list(dict.fromkeys(row.metric for row in rows))
    found: Mapping[tuple[str, str], Measurement] = {(row.metric, row.slice): row.figures[name] for row in rows}
    return parts, [[metric, *(cell(found[metric, part], name) for part in parts)] for metric in metrics]


def _markdown_cell(figure: Measurement, name: str) -> str:
    text = _format_value(figure.estimate, name).replace("-", "−")
    return f"**{text}**" if figure.best else f"{text}†" if figure.level else f"{text}‡" if figure.untested else text


def _latex_cell(figure: Measurement, name: str) -> str:
    text = _format_value(figure.estimate, name)
    text = f"${text}$" if text.startswith(("+", "-")) else text
    sign = "$^\\dagger$" if figure.level else "$^\\ddagger$" if figure.untested else ""
    return rf"\textbf{{{text}}}" if figure.best else f"{text}{sign}"


def _estimate_cells(estimate: Estimate) -> tuple[float | None, float | None, float | None, int]:
    return estimate.value, estimate.low, estimate.high, estimate.n


def _format_value(estimate: Estimate, name: str) -> str:
    """In percent, or in units of the metric."""
    if estimate.value is None:
        return "–"
    return f"{estimate.value:+.3g}" if name in UNIT_MEASURES else f"{100 * estimate.value:.1f}"


def correlations_markdown(rows: Sequence[MetricRow], aspect: str) -> str:
    """Metrics down, coefficients across; * marks the best, = what is not significantly worse (Williams, Holm), ? what was not tested."""
    names = list(rows[0].figures)
    lines = ([row.metric, *(format_marked(row.figures[name], name) for name in names)] for row in rows)
    return f"Correlation with: {aspect}\n\n{markdown_table(['metric', *names], lines)}"


def correlations_csv(rows: Sequence[MetricRow], aspect: str) -> str:
    """Every coefficient, one line each; p is that of Williams's test against the best."""
    lines = (
        (row.metric, aspect, name, *_estimate_cells(figure.estimate), figure.p, figure.estimate.why)
        for row in rows
        for name, figure in row.figures.items()
    )
    return csv_table(("metric", "rated", "coefficient", "value", "low", "high", "n", "p", "why"), lines)


def explainers_markdown(found: Sequence[ExplainerScores]) -> str:
    """Explainers down, their scores in percent across."""
    names = list(found[0].figures)
    lines = ([one.name or "unnamed", str(one.graded), *map(format_percent, one.figures.values())] for one in found)
    return markdown_table(["explained by", "graded", *names], lines)


def explainers_csv(found: Sequence[ExplainerScores]) -> str:
    """Every score, one line each."""
    lines = (
        (one.name, name, given.value, given.low, given.high, given.n, given.why)
        for one in found
        for name, given in one.figures.items()
    )
    return csv_table(("explained by", "score", "value", "low", "high", "n", "why"), lines)
