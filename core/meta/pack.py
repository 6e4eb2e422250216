"""Tables as a paper wants them: Markdown, LaTeX and CSV, and what must be said of the metrics behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.errors import TouchstoneError
from core.meta.cases import Cases, Column
from core.meta.figures import IN_UNITS, Figure, Row
from core.meta.forms import csv_table, latex_table, latex_text, markdown_table
from core.metric import METRICS
from core.settings import VERSION
from core.stats.estimate import Estimate

_COLUMNS = ("metric", "slice", "figure", "value", "low", "high", "n", "failed", "best", "not_worse", "p", "why")


def markdown(rows: Sequence[Row], name: str) -> str:
    """One figure, metrics down and slices across; bold is the best of a slice, † not significantly worse."""
    parts, lines = _grid(rows, name, _markdown_cell)
    return markdown_table(["metric", *parts], lines)


def latex(rows: Sequence[Row], name: str, caption: str) -> str:
    """The same as a table for the booktabs package."""
    parts, lines = _grid(rows, name, _latex_cell)
    body = ([latex_text(line[0]), *line[1:]] for line in lines)
    return latex_table(["Metric", *map(latex_text, parts)], body, caption)


def as_csv(rows: Sequence[Row]) -> str:
    """Every figure of every row in full precision, one line each, with interval, n, p and the reason of what is missing."""
    lines = (
        (row.metric, row.slice, name, *_numbers(figure.estimate), row.failed, figure.best, figure.level, figure.p, why)
        for row in rows
        for name, figure in row.figures.items()
        for why in [figure.estimate.why]
    )
    return csv_table(_COLUMNS, lines)


def metrics_card(cases: Cases) -> str:
    """What each metric is, whose numbers they are, and the signature that tells them from others."""
    return f"# Metrics\n\nTouchstone {VERSION}\n\n{''.join(map(_card, cases.columns))}"


def _card(column: Column) -> str:
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


def _grid(rows: Sequence[Row], name: str, cell: Callable[[Figure, str], str]) -> tuple[list[str], list[list[str]]]:
    """The slices, and for each metric its name and its cells."""
    parts = list(dict.fromkeys(row.slice for row in rows))
    metrics = list(dict.fromkeys(row.metric for row in rows))
    found: Mapping[tuple[str, str], Figure] = {(row.metric, row.slice): row.figures[name] for row in rows}
    return parts, [[metric, *(cell(found[metric, part], name) for part in parts)] for metric in metrics]


def _markdown_cell(figure: Figure, name: str) -> str:
    text = _number(figure.estimate, name).replace("-", "−")
    return f"**{text}**" if figure.best else f"{text}†" if figure.level else text


def _latex_cell(figure: Figure, name: str) -> str:
    text = _number(figure.estimate, name)
    text = f"${text}$" if text.startswith(("+", "-")) else text
    return rf"\textbf{{{text}}}" if figure.best else f"{text}$^\\dagger$" if figure.level else text


def _numbers(estimate: Estimate) -> tuple[float | None, float | None, float | None, int]:
    return estimate.value, estimate.low, estimate.high, estimate.n


def _number(estimate: Estimate, name: str) -> str:
    """In percent, or in units of the metric."""
    if estimate.value is None:
        return "–"
    return f"{estimate.value:+.3g}" if name in IN_UNITS else f"{100 * estimate.value:.1f}"
