"""Tables as a paper wants them: measures by slice, correlations, explanations, and what must be said of the metrics behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from core.cases.cases import Cases, MetricColumn
from core.cases.measures import SIGNED_MEASURES, MetricRow
from core.dataset import DATASETS
from core.errors import TouchstoneError
from core.explanations.explainer_scores import INCOMPLETE_NOTE, ExplainerScores
from core.metric import METRICS, Card
from core.reports.latex import latex_table, latex_text
from core.reports.spreadsheet import csv_lines
from core.settings import VERSION
from core.stats.best_metric import Measurement
from core.stats.statistic import Estimate
from core.stats.text_tables import markdown_table
from core.studies.tables import format_marked

_CSV_COLUMNS = (
    *("metric", "slice", "figure", "value", "low", "high", "n", "failed", "best", "not_worse", "p", "why"),
    *("documents", "second_test", "second_p"),
)


def rows_markdown(rows: Sequence[MetricRow], name: str) -> str:
    """One figure, metrics down and slices across; bold is the best of a slice, † not significantly worse, ‡ not tested."""
    parts, lines = _slice_grid(rows, name, _markdown_cell)
    return markdown_table(["metric", *parts], lines)


_MOST_ACROSS = 6  # metrics; more of them are rows


def rows_latex(rows: Sequence[MetricRow], name: str, caption: str) -> str:
    """The same for the booktabs package, with intervals and n; up to six metrics stand across, more are rows."""
    parts = list(dict.fromkeys(row.slice for row in rows))
    metrics = list(dict.fromkeys(row.metric for row in rows))
    figures = {(row.metric, row.slice): row.figures[name] for row in rows}
    if len(metrics) > _MOST_ACROSS:
        head = ["Metric", *map(latex_text, parts)]
        body = [[latex_text(one), *(_latex_cell(figures[one, part], name) for part in parts)] for one in metrics]
        numbers = ["$n$", *(_case_numbers([figures[one, part] for one in metrics]) for part in parts)]
        lines = [numbers, *body]
    else:
        head = ["Slice", "$n$", *map(latex_text, metrics)]
        lines = [
            [
                latex_text(part),
                _case_numbers([figures[one, part] for one in metrics]),
                *(_latex_cell(figures[one, part], name) for one in metrics),
            ]
            for part in parts
        ]
    return latex_table(head, lines, f"{caption} {_notes(rows, name)}", f"tab:{name.replace('_', '-')}")


def _case_numbers(figures: Sequence[Measurement]) -> str:
    numbers = [figure.estimate.n for figure in figures]
    return str(numbers[0]) if len(set(numbers)) == 1 else f"{min(numbers)}--{max(numbers)}"


def _notes(rows: Sequence[MetricRow], name: str) -> str:
    """Meanings of the signs of a table; only of those that are in it."""
    figures = [row.figures[name] for row in rows]
    failed = sum(row.failed for row in rows if row.slice == rows[0].slice)
    notes = [
        "In brackets the 95 % interval of a bootstrap over documents."
        if any(f.estimate.low is not None for f in figures)
        else "",
        "Bold: the best of a slice." if any(figure.best for figure in figures) else "",
        "†: not significantly worse (paired bootstrap, Holm over the metrics, p ≥ .05)."
        if any(figure.level for figure in figures)
        else "",
        "‡: not tested, too few documents." if any(figure.untested for figure in figures) else "",
        "–: undefined." if any(figure.estimate.value is None for figure in figures) else "",
        f"Left out without a score: {failed}." if failed else "",
        "n: cases of a slice.",
    ]
    return " ".join(filter(None, notes))


def correlations_latex(rows: Sequence[MetricRow], aspect: str) -> str:
    """Metrics down, coefficients across, with intervals and n."""
    names = list(rows[0].figures)
    lines = [
        [latex_text(row.metric), str(row.n), *(_latex_marked(row.figures[name], _correlation_text) for name in names)]
        for row in rows
    ]
    caption = (
        f"Correlation with {aspect}. In brackets the 95 % interval of a bootstrap over documents. Bold: the best; †: not "
        "significantly worse (Williams, Holm over the metrics, p ≥ .05); ‡: not tested."
    )
    return latex_table(["Metric", "$n$", *map(latex_text, names)], lines, caption, "tab:correlations")


def citations_bib(cases: Cases, importers: Sequence[str]) -> str:
    """A BibTeX entry for Touchstone, each metric and each imported dataset, by what its card names."""
    entries = {"touchstone": ("Touchstone", f"Version {VERSION}", "")}
    for column in cases.all_columns:
        card = _card_of(column)
        if card and not card.paper.startswith("none"):
            entries[_citation_key(card.title)] = (card.title, card.paper, card.url)
    for name in dict.fromkeys(importers):
        plugin = DATASETS.get(name)
        if plugin.url:
            entries[_citation_key(plugin.title)] = (plugin.title, plugin.release, plugin.url)
    return "\n".join(_bib_entry(key, *fields) for key, fields in entries.items())


def _citation_key(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _bib_entry(key: str, title: str, note: str, url: str) -> str:
    fields = {
        "title": f"{{{latex_text(title)}}}",
        "note": latex_text(note),
        "howpublished": rf"\url{{{url}}}" if url else "",
    }
    return f"@misc{{{key},\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items() if text) + "}\n"


def _card_of(column: MetricColumn) -> Card | None:
    if column.released:
        return None
    try:
        return METRICS.parse(column.signature.partition("|")[0]).card
    except TouchstoneError:
        return None


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
    return csv_lines(_CSV_COLUMNS, lines)


def _second_test(figure: Measurement) -> tuple[str, float | None]:
    """The test beside the first, and its p; empty where there is none."""
    return next(iter(list(figure.tests.items())[1:]), ("", None))


def metrics_card(cases: Cases) -> str:
    """Card of each metric: what it is, whose numbers they are, and the signature that distinguishes them."""
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
    return _latex_marked(figure, lambda estimate: _interval_text(estimate, name))


def _latex_marked(figure: Measurement, text: Callable[[Estimate], str]) -> str:
    """A figure with its interval and its sign; bold where it is the best."""
    value, _, bounds = text(figure.estimate).partition(" ")
    value = f"${value}$" if value.startswith(("+", "-")) else value
    sign = "$^\\dagger$" if figure.level else "$^\\ddagger$" if figure.untested else ""
    marked = rf"\textbf{{{value}}}" if figure.best else f"{value}{sign}"
    return rf"{marked} {{\scriptsize {bounds}}}" if bounds else marked


def _interval_text(estimate: Estimate, name: str) -> str:
    """Value and bounds, separated by the first blank."""
    value = _format_value(estimate, name)
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return value
    low, high = (
        f"{bound:+.3g}" if name in SIGNED_MEASURES else f"{100 * bound:.1f}" for bound in (estimate.low, estimate.high)
    )
    return f"{value} [{low}, {high}]"


def _correlation_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    bounds = (
        f" [{estimate.low:.3f}, {estimate.high:.3f}]" if estimate.low is not None and estimate.high is not None else ""
    )
    return f"{estimate.value:.3f}{bounds}"


def _estimate_cells(estimate: Estimate) -> tuple[float | None, float | None, float | None, int]:
    return estimate.value, estimate.low, estimate.high, estimate.n


def _format_value(estimate: Estimate, name: str) -> str:
    """In percent, or in units of the metric."""
    if estimate.value is None:
        return "–"
    return f"{estimate.value:+.3g}" if name in SIGNED_MEASURES else f"{100 * estimate.value:.1f}"


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
    return csv_lines(("metric", "rated", "coefficient", "value", "low", "high", "n", "p", "why"), lines)


def explainers_markdown(found: Sequence[ExplainerScores]) -> str:
    """Explainers down, their scores in percent across, and what a mark among them means."""
    rows = [one.cells() for one in found]
    table = markdown_table(list(rows[0]), (list(row.values()) for row in rows))
    return f"{table}\n{INCOMPLETE_NOTE}\n" if any(one.incomplete for one in found) else table


def explainers_csv(found: Sequence[ExplainerScores]) -> str:
    """Every score, one line each."""
    lines = (
        (one.name, name, given.value, given.low, given.high, given.n, one.ungraded, one.failed, given.why)
        for one in found
        for name, given in one.figures.items()
    )
    return csv_lines(("explained by", "score", "value", "low", "high", "n", "ungraded", "failed", "why"), lines)
