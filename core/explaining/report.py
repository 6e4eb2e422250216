"""The agreement of judges of explanations with people as JSON-able records, and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.explaining.agreement import Compared
from core.meta.report import aligned
from core.stats.estimate import Estimate

Figures = Mapping[str, Estimate]


def as_record(signature: str, compared: Sequence[Compared], figures: Figures) -> dict[str, Any]:
    """One judge; null where a figure is undefined, with the reason."""
    return {
        "judge": signature,
        "explanations": len(compared),
        "failed": _failed(compared),
        "figures": {name: _figure(estimate) for name, estimate in figures.items()},
    }


def table(signature: str, compared: Sequence[Compared], figures: Figures) -> str:
    """The judge, how much it graded, and a line a figure with its 95 % interval; – where one is undefined."""
    failed = f", {_failed(compared)} of them without a grade of the judge" if _failed(compared) else ""
    lines = [(name, _number(estimate), str(estimate.n), estimate.why) for name, estimate in figures.items()]
    told = aligned([("", "value", "n", ""), *lines])
    return f"{signature}\n{len(compared)} explanations that people graded{failed}\n{told}"


def _failed(compared: Sequence[Compared]) -> int:
    return sum(case.judged is None for case in compared)


def _figure(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "why": estimate.why or None,
    }


def _number(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
