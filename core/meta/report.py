"""Rows of a table as JSON-able records, and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.meta.figures import IN_UNITS, Figure, Row
from core.stats.estimate import Estimate


def as_record(row: Row) -> dict[str, Any]:
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


def table(rows: Sequence[Row]) -> str:
    """One line a row, in columns; * marks the best of a slice, = what is not significantly worse, – what is undefined."""
    names = list(rows[0].figures) if rows else []
    lines = [("slice", "metric", "n", *(name.replace("_", " ") for name in names), "failed"), *map(_line, rows)]
    return aligned(lines)


def told(estimate: Estimate, name: str) -> str:
    """A figure of MEASURES with its interval: percent, or units of the metric."""
    return in_units(estimate) if name in IN_UNITS else percent(estimate)


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Columns of text, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    spaced = ("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in spaced)


def percent(estimate: Estimate) -> str:
    """A share with its interval, as 91.9 [89.8, 93.9]."""
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.1f}"
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def in_units(estimate: Estimate) -> str:
    """A signed value with its interval in the units of a metric, as −0.12 [−0.15, −0.09]."""
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:+.3g}".replace("-", "−")
    return f"{estimate.value:+.3g} [{estimate.low:+.3g}, {estimate.high:+.3g}]".replace("-", "−")


def marked(figure: Figure, name: str) -> str:
    """A figure with its interval, behind it * for the best and = for what is not significantly worse."""
    return f"{told(figure.estimate, name)} {'*' if figure.best else '=' if figure.level else ''}".rstrip()


def _line(row: Row) -> tuple[str, ...]:
    figures = (marked(figure, name) for name, figure in row.figures.items())
    return (row.slice, row.metric, str(row.n), *figures, str(row.failed or ""))
