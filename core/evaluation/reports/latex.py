"""Tables of a report in LaTeX for the package booktabs: grids with metrics across, intervals in small type, marks explained."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.evaluation.report import Cell, Column, Table, estimate_of
from core.evaluation.reports.cells import NOTHING, format_value, heading, pivot_grid, pivot_titles
from core.stats import MetricStatistic
from core.types import Format

_BREAK = "\0"  # stands where a line may break, until the characters around it are escaped
_WORDS: tuple[Format, ...] = ("text", "metric", "metrics", "perturbation")
_MOST_LETTERS, _TEXT_COLUMN = 60, r"p{0.35\linewidth}"  # of a cell on one line, and the column of longer ones
_MOST_ACROSS = 6  # rows of a grid; more of them stay rows

_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "†": r"$^\dagger$",
        "‡": r"$^\ddagger$",
        "≥": r"$\geq$",
        "≤": r"$\leq$",
        "≈": r"$\approx$",
        "→": r"$\rightarrow$",
        "←": r"$\leftarrow$",
        "−": "-",
    }
)


def table_latex(table: Table, name: str = "", label: str = "") -> str:
    """The rows as they are, or the grid of the column `name` with n; up to six rows of a grid stand across, more stay rows."""
    label = f"tab:{label or (name or table.name).replace('_', '-')}"
    if not name:
        head = [latex_text(heading(column)) for column in table.columns]
        lines = [[_cell(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows]
        caption = " ".join([f"{table.title}.", *table.notes, *_legend(table, "")])
        return _latex_table(
            head, lines, ["l" if column.format in _WORDS else "r" for column in table.columns], caption, label
        )
    down, across, cells = pivot_grid(table, name)
    column, (titles, heads) = table.column(name), pivot_titles(table, down, across)
    title = table.pivot.down.capitalize() if table.pivot else ""
    if len(down) > _MOST_ACROSS:
        head = [title, *(latex_text(heads[other]) for other in across)]
        numbers = ["$n$", *(_case_numbers(cells, [(row, other) for row in down]) for other in across)]
        body = [
            [latex_text(titles[row]), *(_cell(cells.get((row, other)), column) for other in across)] for row in down
        ]
        lines = [numbers, *body]
    else:
        head = [
            table.pivot.across.capitalize() if table.pivot else "",
            "$n$",
            *(latex_text(titles[row]) for row in down),
        ]
        lines = [
            [
                latex_text(heads[other]),
                _case_numbers(cells, [(row, other) for row in down]),
                *(_cell(cells.get((row, other)), column) for row in down),
            ]
            for other in across
        ]
    caption = " ".join([f"{heading(column)}.", column.help, *_legend(table, name)])
    return _latex_table(head, lines, ["l", *"r" * (len(head) - 1)], caption, label)


def _latex_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], places: Sequence[str], caption: str, label: str
) -> str:
    """Columns at their `places`, "l" or "r", and long texts in lines; cells are LaTeX already, see `latex_text`."""
    longest = [max(map(len, cells)) for cells in zip(head, *rows, strict=True)]
    columns = "".join(
        _TEXT_COLUMN if length > _MOST_LETTERS else place for place, length in zip(places, longest, strict=True)
    )
    body = [" & ".join(line) + r" \\" for line in rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{columns}}}",
            *(r"\toprule", " & ".join(head) + r" \\", r"\midrule", *body, r"\bottomrule"),
            r"\end{tabular}",
            rf"\caption{{{latex_text(caption)}}}",
            rf"\label{{{label}}}",
            r"\end{table}",
            "",
        ]
    )


_LONG_WORD = re.compile(r"\S{30,}")  # an address or a signature, which has no blank to break a line at
_BREAK_AFTER = re.compile(r"(?<=[/|?&=_.:,;-])(?=\w)")


def latex_text(text: str) -> str:
    """Text with LaTeX's special characters escaped; long words may be broken across lines."""
    parts = _LONG_WORD.sub(lambda match: _BREAK_AFTER.sub(_BREAK, match[0]), text)
    return parts.translate(_ESCAPES).replace(_BREAK, r"\allowbreak{}")


def _cell(cell: Cell, column: Column) -> str:
    """An escaped text, or a statistic with its interval in small type: bold if it is the best, else with its sign."""
    text = format_value(cell, column.format).replace("−", "-")
    if estimate_of(cell) is None:
        return latex_text(text)
    value, bracket, rest = text.partition(" [")
    value, bounds = latex_text(value), latex_text(f"[{rest}") if bracket else ""
    value = f"${value}$" if value.startswith(("+", "-")) else value
    if isinstance(cell, MetricStatistic):
        sign = "$^\\dagger$" if cell.level else "$^\\ddagger$" if cell.untested else ""
        value = rf"\textbf{{{value}}}" if cell.best else f"{value}{sign}"
    return rf"{value} {{\scriptsize {bounds}}}" if bounds else value


def _case_numbers(cells: Mapping[tuple[str, str], Cell], places: Sequence[tuple[str, str]]) -> str:
    numbers = [estimate.n for place in places if (estimate := estimate_of(cells.get(place)))]
    if not numbers:
        return NOTHING
    return str(numbers[0]) if len(set(numbers)) == 1 else f"{min(numbers)}--{max(numbers)}"


def _legend(table: Table, name: str) -> list[str]:
    """Meanings of the signs that occur, only in the column `name` unless it is empty."""
    cells = table.cells(name) if name else [cell for row in table.rows for cell in row]
    figures = [cell for cell in cells if isinstance(cell, MetricStatistic)]
    estimates = [estimate for cell in cells if (estimate := estimate_of(cell))]
    sentences = {
        "In brackets the 95 % interval of a bootstrap over documents.": any(
            estimate.low is not None for estimate in estimates
        ),
        "Bold: the best.": any(figure.best for figure in figures),
        "†: not significantly worse (Holm over the metrics, p ≥ .05).": any(figure.level for figure in figures),
        "‡: not tested, too few documents.": any(figure.untested for figure in figures),
        "–: undefined.": any(estimate.value is None for estimate in estimates),
    }
    return [sentence for sentence, holds in sentences.items() if holds]
