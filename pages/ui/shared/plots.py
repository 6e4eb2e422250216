"""Pieces that the charts of several pages share."""

from __future__ import annotations

from collections.abc import Sequence

from core.stats.statistic import Estimate


def error_bars(estimates: Sequence[Estimate]) -> dict[str, object]:
    """Argument `error_y` for the values of these estimates; bars of no length where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [_bar_length(one.value, one.high) for one in estimates],
        "arrayminus": [_bar_length(one.low, one.value) for one in estimates],
        "thickness": 1,
    }


def _bar_length(low: float | None, high: float | None) -> float:
    return 0.0 if low is None or high is None else high - low


INTENT_COLOURS = {"preserving": "#3b7dd8", "breaking": "#d64541", "gaming": "#b8860b"}
