"""A forecast in one line; what is not known is said to be unknown."""

from __future__ import annotations

from collections.abc import Sequence

from core.forecast import Forecast


def told(forecast: Forecast) -> str:
    """The line that stands beside the key."""
    loading = f"{_gigabytes(forecast.load_bytes)} to load" if forecast.load_bytes else ""
    too_large = f"{_list(forecast.too_large)} will not fit into memory" if forecast.too_large else ""
    in_turns = "the models take turns in memory" if forecast.in_turns else ""
    return " · ".join(filter(None, [_time(forecast), loading, _leavers(forecast), in_turns, too_large]))


def _time(forecast: Forecast) -> str:
    known = f"≈ {_duration(forecast.seconds)}{' once loaded' if forecast.load_bytes else ''}"
    if not forecast.unknown:
        return known
    until = f"unknown until {'it has' if len(forecast.unknown) == 1 else 'they have'} run once"
    return f"{known}, that of {_list(forecast.unknown)} {until}" if forecast.seconds else f"time {until}"


def _leavers(forecast: Forecast) -> str:
    if not forecast.leaving:
        return ""
    if forecast.any_of:
        return f"one or more of {_list(forecast.leaving)} may leave memory"
    return f"{_list(forecast.leaving)} {'leaves' if len(forecast.leaving) == 1 else 'leave'} memory"


def _list(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _duration(time: float) -> str:
    if time < 1:
        return f"{max(time, 0.1):.1f} s"
    return f"{time:.0f} s" if time < 120 else f"{time / 60:.0f} min"


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count / 1e6, 1):.0f} MB"
