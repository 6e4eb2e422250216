"""Comparison of a pin with the same result made again: unchanged, of other data, or of a metric with another signature."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.assessment.pinned.pin import Pin
from core.base import apart_from_code
from core.evaluation import Cell, estimate_of
from core.scoring import metric_title

VARYING = frozenset({"resources", "reaction"})
"""Columns that no second run gives again: times, and words on a noise that was still being measured."""

_COUNTS = {"samples": "summaries", "documents": "documents", "pairs": "pairs"}
_DIGITS = 6  # significant ones that count: the order of summing changes the last


class PinChange(StrEnum):
    """Result of a comparison."""

    NONE = "unchanged"
    DATA = "data changed"
    SIGNATURE = "signature changed"


@dataclass(frozen=True, slots=True)
class PinBasis:
    """Enough of a pin to compare it: a hash of its figures, counts of its data, and the signatures of its metrics."""

    figures: str
    counts: Mapping[str, int] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)


def basis_of(pin: Pin) -> PinBasis:
    """The basis of a pin as it was made."""
    figures: list[object] = []  # without those that vary from one run to the next
    for table in pin.content.tables:
        counting = [
            place
            for place, column in enumerate(table.columns)
            if column.name not in VARYING and column.format != "seconds"
        ]
        figures.append([[_plain(row[place]) for place in counting] for row in table.rows])
    for chart in pin.content.charts:
        if chart.y.format != "seconds":
            lines = [(series.name, series.x, series.y) for series in chart.series]
            figures.append([[name, [_plain(x) for x in xs], [_plain(y) for y in ys]] for name, xs, ys in lines])
    figures.append([[pair.before, pair.after] for pair in pin.pairs])
    digest = hashlib.sha256(json.dumps(figures, ensure_ascii=False).encode()).hexdigest()
    data = pin.content.data
    run = data.get("run")
    facts = {**data, **run} if isinstance(run, dict) else data
    counts = {title: value for name, title in _COUNTS.items() if isinstance(value := facts.get(name), int)}
    return PinBasis(digest, counts, dict(pin.signatures))


def compare(then: PinBasis, now: PinBasis) -> tuple[PinChange, str]:
    """The change from one basis to another; a signature that changed counts before data that did."""
    common = then.signatures.keys() & now.signatures.keys()
    renamed = [
        metric_title(name)
        for name in sorted(common)
        if _identity(then.signatures[name]) != _identity(now.signatures[name])
    ]
    missing = [metric_title(name) for name in sorted(then.signatures.keys() - now.signatures.keys())]
    counted = [
        f"{title} {then.counts[title]:,} → {now.counts[title]:,}"
        for title in _COUNTS.values()
        if title in then.counts and title in now.counts and then.counts[title] != now.counts[title]
    ]
    if renamed or missing:
        words = [
            f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} {what}"
            for names, what in ((renamed, "another signature now"), (missing, "no score any more"))
            if names
        ]
        also = f" The data changed too: {', '.join(counted)}." if counted else ""
        return PinChange.SIGNATURE, f"Signature changed: {' and '.join(words)}.{also}"
    if counted:
        return PinChange.DATA, f"Data changed: {', '.join(counted)}."
    if then.figures != now.figures:
        return PinChange.DATA, "Data changed: as many texts as before, but the figures are others."
    return PinChange.NONE, "Unchanged: the same figures from the same signatures."


def _identity(signature: str) -> list[str]:
    """The parts of a signature besides the version of the code, whose figures say by themselves that they are others."""
    return apart_from_code(signature).split("|")


def _plain(cell: Cell) -> str | None:
    """The value as text, numbers to six significant digits."""
    if isinstance(cell, str) or cell is None:
        return cell
    if estimate := estimate_of(cell):
        bounds = (estimate.value, estimate.low, estimate.high)
        return " ".join([*("–" if bound is None else f"{bound:.{_DIGITS}g}" for bound in bounds), str(estimate.n)])
    return f"{float(cell):.{_DIGITS}g}" if isinstance(cell, bool | int | float) else str(cell)
