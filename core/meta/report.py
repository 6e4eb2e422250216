"""Rows of a table as JSON-able records, and as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.meta.figures import Figure, Row
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


_HEAD = ("slice", "metric", "n", "consistency [95 %]", "ties", "AUC [95 %]", "AP", "bal. acc.", "failed")


def table(rows: Iterable[Row]) -> str:
    """One line a row, in columns; * marks the best of a slice, = what is not significantly worse, – what is undefined."""
    lines = [_HEAD, *map(_line, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    return "\n".join(_spaced(line, widths) for line in lines)


def percent(estimate: Estimate) -> str:
    """A share with its interval, as 91.9 [89.8, 93.9]."""
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.1f}"
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def mark(figure: Figure) -> str:
    return "*" if figure.best else "=" if figure.level else ""


def _spaced(line: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()


def _line(row: Row) -> tuple[str, ...]:
    figures = row.figures
    value = {name: figure.estimate.value for name, figure in figures.items()}
    return (
        row.slice,
        row.metric,
        str(row.n),
        f"{percent(figures['consistency'].estimate)} {mark(figures['consistency'])}",
        *(_short(value["ties"]),),
        f"{percent(figures['auc'].estimate)} {mark(figures['auc'])}",
        _short(value["average_precision"]),
        _short(value["balanced_accuracy"]),
        str(row.failed or ""),
    )


def _short(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
