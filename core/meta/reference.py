"""Where a raw score stands among the scores that the same metric gave a whole dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.meta.cases import Cases, Column
from core.stats.statistic import Values


@dataclass(frozen=True, slots=True)
class Standing:
    """The percentile of a score, 0 to 100, among `n` scores: the share that lies below it and half of those equal to it."""

    percentile: float
    n: int


def standing(cases: Cases, column: Column, score: float) -> Mapping[str, Standing]:
    """Among all summaries that the metric scored, the consistent and the inconsistent ones; without parts that are empty."""
    parts = parts_of(cases, column)
    return {name: _standing(values, score) for name, values in parts.items() if len(values)}


def parts_of(cases: Cases, column: Column) -> Mapping[str, Values]:
    """The scores of all summaries, of the consistent and of the inconsistent ones."""
    scored = ~np.isnan(column.values)
    return {
        "all": column.values[scored],
        "consistent": column.values[scored & (cases.labels == 1)],
        "inconsistent": column.values[scored & (cases.labels == 0)],
    }


def column_of(cases: Cases, signature: str) -> Column | None:
    """The scores of this very signature; another one's numbers are no reference."""
    return next((column for column in cases.columns if column.signature == signature), None)


def in_words(found: Mapping[str, Standing]) -> str:
    """As: above 73 % of all 1386 summaries, 68 % of the 693 consistent, 78 % of the 693 inconsistent."""
    parts = [
        f"{standing.percentile:.0f} % of {'all' if name == 'all' else 'the'} {standing.n} "
        f"{'summaries' if name == 'all' else name}"
        for name, standing in found.items()
    ]
    return f"above {', '.join(parts)}"


def _standing(values: Values, score: float) -> Standing:
    below = float(np.mean(values < score) + np.mean(values == score) / 2)
    return Standing(100 * below, len(values))
