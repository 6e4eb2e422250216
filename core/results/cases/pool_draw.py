"""A draw of summaries of a pool for labels: the order, the probability of each, and about how many labels the draw will take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import TouchstoneError
from core.results.cases.pooling import pool_cases
from core.results.cases.summary_pool import SummaryPool, pool_of_cases, select_pool_metrics
from core.stats import (
    MIN_CLASS,
    NOT_LEVEL,
    DrawnPool,
    DrawWay,
    PoolDraw,
    Values,
    arrivals,
    draw_weights,
    drawn_first,
    expected_rates,
    fit_logistic,
    pool_ranks,
    score_features,
)
from core.types import Sample

MOST_DRAWN = 10_000
"""Summaries that are drawn at most, of which a campaign labels as many as it takes."""

_WORST_VARIANCE = 0.375  # of an estimate by one label: that of a rate of one half, and weights that do not fit
_PENALTY = 10.0


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """A way to draw, the margin to reach in 0..1, and what is assumed of the pool where it has no labels: its rate and the area
    under the ROC curve of its metrics, both in 0..1."""

    way: DrawWay
    margin: float
    assumed_rate: float = 0.1
    assumed_auc: float = 0.75
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SampleDraw:
    """A draw of samples: the ids of the stored items that were drawn, in their order, and the metrics that it was by."""

    draw: PoolDraw
    items: tuple[str, ...]
    metrics: tuple[str, ...]


def draw_samples(samples: Sequence[Sample], request: DrawRequest, metrics: Sequence[str] = ()) -> SampleDraw:
    """Draw from the stored samples of a dataset, each text once, by these metrics, or by all that have scores.

    Raises TouchstoneError for what `draw_pool` refuses, for a metric without scores, and where no sample is stored.
    """
    texts: dict[str, Sample] = {}
    for sample in samples:
        if sample.stored:
            texts.setdefault(sample.stored, sample)
    if not texts:
        raise TouchstoneError("Here is no summary with its texts. Import them, or choose another dataset.")
    pool = select_pool_metrics(pool_of_cases(pool_cases([list(texts.values())])), metrics)
    scored = tuple(column for column in pool.columns if np.isfinite(column.values).any())
    draw = draw_pool(replace(pool, columns=scored), request)
    items = list(texts)
    return SampleDraw(draw, tuple(items[row] for row in draw.rows), tuple(column.name for column in scored))


def draw_pool(pool: SummaryPool, request: DrawRequest) -> PoolDraw:
    """Draw from all summaries of a pool, whether they have a label or not.

    Raises TouchstoneError for a margin or an assumption out of range, and for a draw by scores where there are none.
    """
    if not 0 < request.margin < 0.5:
        raise TouchstoneError(f"The margin is {100 * request.margin:g} points. It must be above 0 and below 50.")
    if not (0 < request.assumed_rate < 1 and 0.5 <= request.assumed_auc < 1):
        raise TouchstoneError(
            "The assumed rate must be above 0 and below 100 %, the assumed area at least 50 and below 100 %."
        )
    if len(pool.ids) < 2:
        raise TouchstoneError("A draw takes a pool of two summaries or more. Choose a dataset that has them.")
    ranks = [pool_ranks(column.values) for column in pool.columns]
    features = score_features(ranks) if ranks else np.zeros((len(pool.ids), 0))
    expected, basis = _expected(pool, ranks, features, request)
    weights = draw_weights(expected, request.way)
    times = arrivals(weights, request.seed)
    number = min(MOST_DRAWN, _labels_to_stop(_WORST_VARIANCE, request.margin, len(times)))
    order = drawn_first(times, number + 1)
    rows, rest = order[:number], order[number:]
    spread = float(np.mean(expected * (1 - expected) / weights)) / len(weights)
    return PoolDraw(
        DrawnPool(weights, features, expected),
        rows,
        times[rows],
        float(times[rest[0]]) if len(rest) else math.inf,
        _labels_to_stop(spread, request.margin, len(times)),
        basis,
    )


def _expected(pool: SummaryPool, ranks: list[Values], features: Values, request: DrawRequest) -> tuple[Values, str]:
    """The chance of each summary to be inconsistent, (N,), and by what it is known: labels at hand, or what is assumed."""
    from scipy.special import ndtri  # scipy takes half a second, and most commands draw nothing

    rows = pool.labelled
    outcomes = 1 - pool.labels[rows]
    if features.shape[1] and len(rows) and min(outcomes.sum(), len(rows) - outcomes.sum()) >= MIN_CLASS:
        fit = fit_logistic(features[rows], outcomes, np.full(len(rows), 1 / len(rows)), _PENALTY)
        return 1 / (1 + np.exp(-np.clip(features @ fit[1:] + fit[0], -30, 30))), f"{len(rows):,} labels at hand"
    signs = {"higher": -1.0, "lower": 1.0}
    signed = [
        signs[column.direction] * ndtri(of_metric)
        for column, of_metric in zip(pool.columns, ranks, strict=True)
        if column.direction in signs and np.isfinite(of_metric).any()
    ]
    if not signed:
        if request.way != "random":
            raise TouchstoneError(
                "No metric with a better side has scores here, so that nothing can be drawn by them. Score the summaries, or draw "
                "at random."
            )
        return np.full(len(pool.ids), request.assumed_rate), f"an assumed rate of {100 * request.assumed_rate:g} %"
    suspicion = np.nan_to_num(np.stack(signed)).mean(axis=0)
    scaled = suspicion / (float(suspicion.std()) or 1.0)
    return (
        expected_rates(scaled, request.assumed_rate, request.assumed_auc),
        f"an assumed rate of {100 * request.assumed_rate:g} % and an area under the ROC curve of {100 * request.assumed_auc:g} %",
    )


def _labels_to_stop(variance: float, margin: float, size: int) -> int:
    """About as many labels as make a confidence sequence this narrow: the evidence of a bet that is off by the margin grows by
    its square over twice the variance a label, and it must come to 2 / 5 %."""
    labels = 2 * math.log(2 / NOT_LEVEL) * variance / margin**2
    return max(1, min(size, math.ceil(labels / (1 + labels / size))))
