"""Tables as a paper wants them: Markdown, LaTeX and CSV, and what must be said of the metrics behind them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

from core.errors import TouchstoneError
from core.meta.cases import Cases, Column
from core.meta.figures import IN_UNITS, Figure, Row
from core.metric import METRICS
from core.settings import VERSION
from core.stats.estimate import Estimate

_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def markdown(rows: Sequence[Row], name: str) -> str:
    """One figure, metrics down and slices across; bold is the best of a slice, † not significantly worse."""
    parts, lines = _grid(rows, name, _markdown_cell)
    head = ["metric", *parts]
    table = [head, ["---"] * len(head), *([_piped(line[0]), *line[1:]] for line in lines)]
    return "".join(f"| {' | '.join(line)} |\n" for line in table)


def latex(rows: Sequence[Row], name: str, caption: str) -> str:
    """The same as a table for the booktabs package."""
    parts, lines = _grid(rows, name, _latex_cell)
    body = [" & ".join([line[0].translate(_LATEX), *line[1:]]) + r" \\" for line in lines]
    head = " & ".join(["Metric", *(part.translate(_LATEX) for part in parts)]) + r" \\"
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{l{'r' * len(parts)}}}",
            *(r"\toprule", head, r"\midrule", *body, r"\bottomrule"),
            r"\end{tabular}",
            rf"\caption{{{caption.translate(_LATEX)}}}",
            r"\end{table}",
            "",
        ]
    )


def as_csv(rows: Sequence[Row]) -> str:
    """Every figure of every row in full precision, one line each, with interval, n, p and the reason of what is missing."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(
        ("metric", "slice", "figure", "value", "low", "high", "n", "failed", "best", "not_worse", "p", "why")
    )
    for row in rows:
        for name, figure in row.figures.items():
            estimate = figure.estimate
            writer.writerow(
                [
                    *(_safe(row.metric), _safe(row.slice), name),
                    *(estimate.value, estimate.low, estimate.high, estimate.n, row.failed),
                    *(figure.best, figure.level, figure.p, estimate.why),
                ]
            )
    return text.getvalue()


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


def _number(estimate: Estimate, name: str) -> str:
    """In percent, or in units of the metric."""
    if estimate.value is None:
        return "–"
    return f"{estimate.value:+.3g}" if name in IN_UNITS else f"{100 * estimate.value:.1f}"


def _piped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _safe(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
