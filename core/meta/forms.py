"""Tables as text: Markdown, LaTeX for the booktabs package, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Columns as wide as they come; a bar in a cell parts no columns."""
    table = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(map(_piped, line))} |\n" for line in table)


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
    return text.translate(_LATEX)


def csv_table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """In full precision; None is an empty cell, and no spreadsheet takes a text for a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([_safe(cell) if isinstance(cell, str) else cell for cell in line] for line in lines)
    return text.getvalue()


def _piped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
