"""Judgement of a metric by the sanity battery: how many of its pairs have the score that anybody would expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.edits import Expectation, SanityPair
from core.stats import Values

TWIN_SHIFT = 0.05
"""Most that a twin may move, as a share of the distance between consistent and senseless summaries."""
LOW_QUANTILE = 0.1
"""Quantile of the consistent summaries that texts without content and foreign summaries must stay below."""


@dataclass(frozen=True, slots=True)
class SanityRow:
    """Scores that a metric gives the pairs of one kind of the battery, in counts."""

    expectation: Expectation
    """Group of the battery."""
    kind: str
    """Kind of text within the group."""
    pairs: int
    """Number of pairs with a score."""
    passed: int
    """Number of them whose score is as expected."""
    failed: int
    """Number of pairs without a score."""
    mean: float
    """Mean score of the pairs."""
    largest_shift: float
    """Largest distance from the score of the source, in the unit of the score."""
    worst: str
    """Id of the pair that is farthest from what is expected; "" where none has a score."""


def sanity_margins(
    pairs: Sequence[SanityPair],
    scores: Mapping[str, float],
    consistent: Mapping[str, float],
    *,
    higher_is_better: bool = True,
) -> Values:
    """Distance of each pair's score to the side that is not expected, (pairs,), in the unit of the score.

    Below 0 where the score is on that side; nan where a score is missing, or no consistent summary has one. Arguments are those of
    `sanity_rows`.
    """
    sign = 1.0 if higher_is_better else -1.0
    real = sign * np.array([value for value in consistent.values() if not np.isnan(value)], dtype=np.float64)
    if not len(real):
        return np.full(len(pairs), np.nan)
    own = np.array([sign * scores.get(pair.example.id, np.nan) for pair in pairs])
    sources = np.array([sign * consistent.get(pair.source, np.nan) for pair in pairs])
    expectations = np.array([pair.expectation for pair in pairs])
    senseless = own[np.isin(expectations, ("contentless", "foreign")) & ~np.isnan(own)]
    usual, low = float(np.median(real)), float(np.quantile(real, LOW_QUANTILE))
    allowed = TWIN_SHIFT * max(0.0, usual - float(np.median(senseless))) if len(senseless) else 0.0
    margins = np.full(len(pairs), np.nan)
    for expectation in dict.fromkeys(pair.expectation for pair in pairs):
        is_of_it = expectations == expectation
        margins[is_of_it] = _margins(expectation, own[is_of_it], sources[is_of_it], usual, low, allowed)
    return margins


def sanity_rows(
    pairs: Sequence[SanityPair],
    scores: Mapping[str, float],
    consistent: Mapping[str, float],
    *,
    higher_is_better: bool = True,
) -> list[SanityRow]:
    """A row for each kind of the battery, in its order.

    `scores` are those of pairs by the id of their example, `consistent` those of consistent summaries by their id, the
    sources among them; what is missing or nan has no score. A copy must reach the median of the consistent summaries, a text
    without content and a foreign summary stay below their LOW_QUANTILE, shuffled words below their source, and a twin within
    TWIN_SHIFT of the source. An empty list where no consistent summary has a score.
    """
    if all(np.isnan(value) for value in consistent.values()):
        return []
    margins_of_pairs = sanity_margins(pairs, scores, consistent, higher_is_better=higher_is_better)
    by_kind: dict[tuple[Expectation, str], list[int]] = {}
    for place, pair in enumerate(pairs):
        by_kind.setdefault((pair.expectation, pair.kind), []).append(place)
    rows = []
    for (expectation, kind), places in by_kind.items():
        group, margins = [pairs[place] for place in places], margins_of_pairs[places]
        own = np.array([scores.get(pair.example.id, np.nan) for pair in group])
        sources = np.array([consistent.get(pair.source, np.nan) for pair in group])
        judged = ~np.isnan(margins)
        values, shifts = own[judged], np.abs(own - sources)[judged]
        rows.append(
            SanityRow(
                expectation,
                kind,
                pairs=int(judged.sum()),
                passed=int((margins[judged] >= 0).sum()),
                failed=int((~judged).sum()),
                mean=float(values.mean()) if len(values) else float("nan"),
                largest_shift=float(np.nanmax(shifts)) if len(shifts) and not np.isnan(shifts).all() else float("nan"),
                worst=group[int(np.nanargmin(margins))].example.id if judged.any() else "",
            )
        )
    return rows


def _margins(
    expectation: Expectation, own: Values, sources: Values, usual: float, low: float, allowed: float
) -> Values:
    """Distance of each score to the wrong side, (pairs,); below 0 for a score on that side, nan where it cannot be told."""
    if expectation == "copy":
        return own - usual
    if expectation == "twin":
        return allowed - np.abs(own - sources)
    # a score that is only as high as this one is on the wrong side
    below = np.nextafter(sources if expectation == "shuffled" else np.full(len(own), low), -np.inf)
    return np.asarray(below - own, dtype=np.float64)
