"""Later parts of a pool beside an earlier one: how far the scores moved, and the rate that the labels of the earlier part still tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from core.errors import TouchstoneError, UnknownNameError
from core.results.cases.pool_rates import LabelDraw, draw_of_labels
from core.results.cases.summary_pool import SummaryPool
from core.stats import (
    CarriedRate,
    LabelSample,
    Mask,
    Rate,
    Values,
    drawing_tests,
    holm_correction,
    pool_ranks,
    predict_rates,
    rate_if_errors_hold,
    rate_if_scores_hold,
    score_features,
)


@dataclass(frozen=True, slots=True)
class MetricDrift:
    """The mean share of the reference's scores below those of a part, ties half: 0.5 without drift, None without scores; p is corrected.

    It is None where fewer than ten documents leave nothing to test.
    """

    metric: str
    place: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class PartDrift:
    """A part compared with the reference; see `core/stats/rates/carried_rate.py` for the expected rates."""

    name: str
    """Name of the part."""
    summaries: int
    """Summaries that it has and the reference has not."""
    metrics: tuple[MetricDrift, ...]
    """Drift of each metric."""
    if_scores_hold: CarriedRate | None
    """Rate to expect if consistent and inconsistent summaries score as in the reference; None if labels are too few to tell."""
    if_errors_hold: CarriedRate | None
    """Rate to expect if errors are as frequent at each score as in the reference; None without labels of the reference."""
    observed: Rate | None
    """Rate by the part's own labels; None if it has none."""
    p: float | None
    """p of the test that `observed` equals the nearer of the expected rates, corrected with those of the metrics; None if not tested."""
    problems: tuple[str, ...] = ()
    """Sentences on the draw of its labels."""


def reference_part(pool: SummaryPool, name: str) -> str:
    """The part of that name, or the first. Raises UnknownNameError, and TouchstoneError for a pool of one part or without scores."""
    if len(pool.parts) < 2:
        raise TouchstoneError(
            "Drift is between parts, and there are not two. Choose the field that tells earlier from later summaries, "
            "such as the dataset: under Slices on Evaluate, with --by in the terminal."
        )
    if not pool.columns:
        reasons = " ".join(pool.warnings)
        raise TouchstoneError(
            f"No metric has scores of these summaries on one scale. {reasons + ' ' if reasons else ''}Score them all with one metric, or "
            "import them as one dataset with a field that tells the parts, as domain."
        )
    if name and name not in pool.parts:
        raise UnknownNameError("part", name, pool.parts)
    reference = name or next(iter(pool.parts))
    if not any((part & ~pool.parts[reference]).any() for part in pool.parts.values()):
        raise TouchstoneError(f"Every summary here is of {reference}: no other part has any of its own.")
    return reference


def labels_of_part(pool: SummaryPool, part: Mask) -> LabelDraw | None:
    """The labels of a part, (N,), as a sample of it; None where it has none."""
    rows = [int(row) for row in np.flatnonzero(part)]
    some = replace(
        pool,
        ids=[pool.ids[row] for row in rows],
        labels=pool.labels[rows],
        documents=pool.documents[rows],
        columns=tuple(replace(column, values=column.values[rows]) for column in pool.columns),
        errors={place: pool.errors[row] for place, row in enumerate(rows) if row in pool.errors},
        probabilities=None if pool.probabilities is None else pool.probabilities[rows],
        parts={},
        warnings=(),
    )
    return draw_of_labels(some) if len(some.labelled) else None


def part_drifts(pool: SummaryPool, reference: str, draw: LabelDraw | None) -> Iterator[PartDrift]:
    """Each other part that has summaries of its own, in order, beside the reference whose labels are `draw`.

    The p of the part of number k = 1, 2, … is corrected for the tests on it by Holm and multiplied by k (k + 1): however many
    parts come, and whoever looks at each, the chance of any false alarm stays below the level.
    """
    earlier = pool.parts[reference]
    ranks = tuple(pool_ranks(column.values) for column in pool.columns)
    features = score_features(ranks) if ranks else np.zeros((len(pool.ids), 0))
    rows = np.flatnonzero(earlier)[draw.rows] if draw else np.zeros(0, dtype=np.intp)
    predictions = predict_rates(features, rows, draw.sample) if draw else None
    later = [name for name, part in pool.parts.items() if (part & ~earlier).any()]
    for number, name in enumerate(later, start=1):
        part = pool.parts[name] & ~earlier
        by_scores = by_errors = None
        if draw and predictions:
            by_scores = rate_if_scores_hold(draw.sample, predictions, part)
            by_errors = rate_if_errors_hold(draw.sample, predictions, part)
        own = labels_of_part(pool, part)
        observed = own.alone if own else None
        places, ps = _tests(pool, ranks, earlier, part)
        differences = [
            expected_rate.p_of_equal(observed) for expected_rate in (by_scores, by_errors) if expected_rate and observed
        ]
        # the factors 1 / (k (k + 1)) sum to 1 over all k, so that the level is spent once for all parts to come
        *corrected, p = (
            None if holm_p is None else min(1.0, holm_p * number * (number + 1))
            for holm_p in holm_correction([*ps, max(differences, default=None)])
        )
        metrics = [
            MetricDrift(column.name, place, corrected_p)
            for column, place, corrected_p in zip(pool.columns, places, corrected, strict=True)
        ]
        problems = own.problems if own else ()
        yield PartDrift(name, int(part.sum()), tuple(metrics), by_scores, by_errors, observed, p, problems)


def _tests(
    pool: SummaryPool, ranks: tuple[Values, ...], earlier: Mask, part: Mask
) -> tuple[list[float | None], list[float | None]]:
    """Place and p of each metric: the part as if it were drawn at random from itself and the reference together."""
    both = np.flatnonzero(earlier | part)
    rows = np.flatnonzero(part[both])
    documents = pool.documents[both]
    sample = LabelSample.equal(np.zeros(len(rows)), documents[rows], len(both))
    tests = drawing_tests([pool_ranks(of_metric[both]) for of_metric in ranks], rows, sample)
    places: list[float | None] = []
    for test, of_metric in zip(tests, ranks, strict=True):
        scored = ~np.isnan(of_metric)
        own, others = int((scored & part).sum()), int((scored & earlier).sum())
        # a rank among both is one among the reference with the share of it, and one half among the part itself
        share = own / max(1, own + others)
        places.append((test.place - share / 2) / (1 - share) if own and others else None)
    return places, [test.p for test in tests]
