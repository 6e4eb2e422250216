"""Tables as aligned text, JSON-able records, Markdown, LaTeX for the booktabs package, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from core.meta.measures import UNIT_MEASURES, Measurement, MetricRow
from core.stats.statistic import Estimate
from core.stats.text_tables import align_columns, format_in_units, format_percent


def row_record(row: MetricRow) -> dict[str, Any]:
    """One line of `cli.py meta --json`; shares in 0..1, null where a figure is undefined."""
    share, area = row.figures["consistency"].estimate, row.figures["auc"].estimate
    return {
        "metric": row.metric,
        "slice": row.slice,
        "n": row.n,
        "consistency": share.value,
        "consistency_low": share.low,
        "consistency_high": share.high,
        "ties": row.figures["ties"].estimate.value,
        "auc": area.value,
        "auc_low": area.low,
        "auc_high": area.high,
    }


def format_rows(rows: Sequence[MetricRow]) -> str:
    """One line a row, in columns; * marks the best of a slice, = what is not significantly worse, – what is undefined."""
    names = list(rows[0].figures) if rows else []
    lines = [("slice", "metric", "n", *(name.replace("_", " ") for name in names), "failed"), *map(_row_cells, rows)]
    return align_columns(lines)


def format_measure(estimate: Estimate, name: str) -> str:
    """A figure of MEASURES with its interval: percent, or units of the metric."""
    return format_in_units(estimate) if name in UNIT_MEASURES else format_percent(estimate)


def format_marked(figure: Measurement, name: str) -> str:
    """A figure with its interval, behind it * for the best and = for what is not significantly worse."""
    return f"{format_measure(figure.estimate, name)} {'*' if figure.best else '=' if figure.level else ''}".rstrip()


def _row_cells(row: MetricRow) -> tuple[str, ...]:
    figures = (format_marked(figure, name) for name, figure in row.figures.items())
    return (row.slice, row.metric, str(row.n), *figures, str(row.failed or ""))


_LATEX_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Columns as wide as they come; a bar in a cell parts no columns."""
    table = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(map(_escape_bars, line))} |\n" for line in table)


def latex_table(head: Sequence[str], lines: Iterable[Sequence[str]], caption: str) -> str:
    """The first column left, the others right; cells are LaTeX already, see `latex_text`."""
    body = [" & ".join(line) + r" \\" for line in lines]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
            *(r"\toprule", " & ".join(head) + r" \\", r"\midrule", *body, r"\bottomrule"),
            r"\end{tabular}",
            rf"\caption{{{latex_text(caption)}}}",
            r"\end{table}",
            "",
        ]
    )


def latex_text(text: str) -> str:
    """Words in which nothing is a command."""
    return text.translate(_LATEX_ESCAPES)


def csv_table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """In full precision; None is an empty cell, and no spreadsheet takes a text for a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([_spreadsheet_safe(cell) if isinstance(cell, str) else cell for cell in line] for line in lines)
    return text.getvalue()


def _escape_bars(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _spreadsheet_safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
