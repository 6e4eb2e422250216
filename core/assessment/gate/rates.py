"""Two sets of summaries compared by the share of consistent ones, from few labels and the scores of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.assessment.gate.regression import CONSISTENT, Change, MetricComparison
from core.errors import TouchstoneError
from core.results import LabelDraw, MetricColumn, MetricScores, PoolLabel, SummaryPool, draw_of_labels, with_labels
from core.scoring import METRICS
from core.stats import Estimate, Rate, difference_p, rate_difference

_SIDES = ("before", "after")
_NAME = "summaries"


def compare_rates(
    before: Mapping[str, MetricScores],
    after: Mapping[str, MetricScores],
    labels: tuple[Sequence[PoolLabel], Sequence[PoolLabel]],
) -> tuple[MetricComparison, list[str]]:
    """The change of the share of consistent summaries by the labels of each side, and sentences on these.

    Rates are prediction-powered (`core/stats/rates/prediction_powered.py`); their difference has the interval of Zou and Donner
    (2008), which takes both sides as independent. Raises TouchstoneError for labels of other summaries, and for none.
    """
    draws = []
    for name, side, some in zip(_SIDES, (before, after), labels, strict=True):
        if not some:
            raise TouchstoneError(
                f"No label is of a summary {name}. Label a few dozen summaries of each side, drawn at random."
            )
        ids = list(dict.fromkeys(id for metric_side in side.values() for id in metric_side.scores))
        columns = [
            MetricColumn(
                metric_side.metric,
                np.array([metric_side.scores.get(id, np.nan) for id in ids], dtype=np.float64),
                METRICS.parse(metric_side.metric).card.direction,
                metric_side.signature,
            )
            for metric_side in side.values()
        ]
        draws.append(
            draw_of_labels(
                with_labels(SummaryPool(ids, np.full(len(ids), np.nan), np.arange(len(ids)), tuple(columns)), some)
            )
        )
    first, second = (draw.powered for draw in draws)
    difference = rate_difference(first, second)  # the share of consistent ones rises as that of others falls
    change = Change(_NAME, CONSISTENT, _consistent(first), _consistent(second), difference, difference_p(first, second))
    sentences = [sentence for name, draw in zip(_SIDES, draws, strict=True) for sentence in _sentences(name, draw)]
    return MetricComparison(_NAME, (change,)), sentences


def split_labels(
    before: Mapping[str, MetricScores], after: Mapping[str, MetricScores], labels: Sequence[PoolLabel]
) -> tuple[list[PoolLabel], list[PoolLabel]]:
    """The labels of each side, by the ids that it alone has scores of. Raises TouchstoneError for a label of both."""
    first, second = ({id for metric_side in side.values() for id in metric_side.scores} for side in (before, after))
    unclear = next((label.id for label in labels if label.id in first and label.id in second), "")
    if unclear:
        raise TouchstoneError(
            f"Both files have a score of {unclear}: it cannot be told whose summary its label is of. Name a file of labels for "
            "each side: --labels BEFORE --labels AFTER."
        )
    return [label for label in labels if label.id in first], [label for label in labels if label.id in second]


def _consistent(rate: Rate) -> Estimate:
    estimate = rate.estimate()
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return replace(estimate, value=None if estimate.value is None else 1 - estimate.value)
    return replace(estimate, value=1 - estimate.value, low=1 - estimate.high, high=1 - estimate.low)


def _sentences(name: str, draw: LabelDraw) -> list[str]:
    alone = _consistent(draw.alone)
    ends = "" if alone.low is None or alone.high is None else f" [{100 * alone.low:.1f}, {100 * alone.high:.1f}]"
    return [
        f"{name.capitalize()}: {draw.sample.n:,} of {draw.size:,} summaries have a label; by labels alone "
        f"{100 * (alone.value or 0.0):.1f} %{ends} are consistent.",
        *(f"{name.capitalize()}: {problem}" for problem in draw.problems),
    ]
