"""Whether two sources score the same texts alike: where one of them was rescaled, their scores must not be pooled."""

from __future__ import annotations

import numpy as np

from core.stats.statistic import Values

_ROUNDING = 1e-4  # of the range of scores: what releases of the same scores differ by


def warning(first: Values, second: Values) -> str:
    """Why the scores of one metric in two sources must not be pooled; empty where they may.

    Both are (n,), scores of the same texts, nan where a source lacks one.
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    x, y = first[both], second[both]
    if not len(x):
        return "The two sources share no text with a score, so nobody can tell whether their scales are the same."
    differ = np.abs(x - y) > _ROUNDING * max(np.ptp(x), np.abs(x).max())
    if not differ.any():
        return ""
    found = f"The two sources score {differ.sum()} of {len(x)} common texts differently"
    return f"{found}{_line(x, y)}. Their scores cannot be pooled."


def _line(x: Values, y: Values) -> str:
    """How the second scale follows from the first, if it does by a straight line."""
    if np.ptp(x) == 0:
        return ""
    slope, offset = np.polyfit(x, y, 1)
    if np.abs(slope * x + offset - y).max() > _ROUNDING * np.ptp(y):
        return ""
    return f": the second is {slope:.4f} times the first {'+' if offset >= 0 else '−'} {abs(offset):.4f}"
