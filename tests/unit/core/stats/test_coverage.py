"""How often intervals hold a truth that is known, and how often a test finds a difference that is none: simulations with fixed seeds.

Documents have a difficulty of their own, which their summaries and both metrics share.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.random import Generator
from scipy.special import ndtr, ndtri

from core.results.cases.combining import Combining
from core.stats.bootstrap import Resamples
from core.stats.comparison import compare_paired
from core.stats.discrimination import LabelledScores, auc
from core.stats.noisy_or import Bags
from core.stats.proportion import share_estimate
from core.stats.statistic import Mask, Numbers, Values

pytestmark = pytest.mark.slow


def metrics(rng: Generator, documents: int, each: int, areas: tuple[float, ...]) -> tuple[Numbers, Mask, Values]:
    """Documents and labels of summaries, (n,) each, and their scores by metrics of these areas, (n, metrics)."""
    of = np.repeat(np.arange(documents), each)
    n = len(of)

    def shared(part: float) -> Values:
        return np.sqrt(part) * rng.normal(size=documents)[of] + np.sqrt(1 - part) * rng.normal(size=n)

    labels = shared(0.3) > 0.25
    columns = [math.sqrt(2) * float(ndtri(area)) * labels + shared(0.3) for area in areas]
    return of, labels, np.column_stack(columns)


@pytest.mark.parametrize("documents", [8, 10, 20, 30, 100])
@pytest.mark.parametrize("area", [0.68, 0.8, 0.95])
def test_the_interval_of_an_area_holds_the_truth(documents: int, area: float) -> None:
    """400 draws: a coverage of 95 % is at least 92 % in all but a few of a thousand such tests."""
    rng, held = np.random.default_rng(documents), []
    for seed in range(400):
        of, labels, scores = metrics(rng, documents, 4, (area,))
        if labels.all() or not labels.any():
            continue
        estimate = Resamples.draw(documents, 400, seed).estimate(auc(LabelledScores(scores[:, 0], labels, of)))
        if estimate.low is not None and estimate.high is not None:
            held.append(estimate.low <= area <= estimate.high)
    assert len(held) > 350
    assert np.mean(held) >= 0.92


@pytest.mark.parametrize("documents", [10, 20, 30, 100])
@pytest.mark.parametrize("area", [0.5, 0.68, 0.8])
def test_equal_metrics_seldom_differ(documents: int, area: float) -> None:
    """600 draws."""
    rng, found = np.random.default_rng(documents), []
    for seed in range(600):
        of, labels, scores = metrics(rng, documents, 4, (area, area))
        if labels.all() or not labels.any():
            continue
        draws = Resamples.draw(documents, 400, seed)
        compared = compare_paired(*(draws.of(auc(LabelledScores(column, labels, of))) for column in scores.T))
        found.append(compared.p is not None and compared.p < 0.05)
    assert np.mean(found) <= 0.07


@pytest.mark.parametrize(("documents", "each"), [(3, 4), (5, 5), (8, 1), (8, 4), (30, 1), (30, 4), (60, 10)])
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.98])
def test_the_interval_of_a_share_of_clustered_pairs_holds_the_truth(documents: int, each: int, rate: float) -> None:
    """800 draws."""
    rng, held = np.random.default_rng(documents), []
    of = np.repeat(np.arange(documents), each)
    for _ in range(800):
        shared = np.sqrt(0.3) * rng.normal(size=documents)[of] + np.sqrt(0.7) * rng.normal(size=len(of))
        estimate = share_estimate((ndtr(shared) < rate).astype(np.float64), of)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < estimate.high
        held.append(estimate.low <= rate <= estimate.high)
    assert np.mean(held) >= 0.92


@pytest.mark.parametrize(
    ("areas", "documents", "each"),
    [
        ((0.75, 0.74, 0.73, 0.72), 15, 3),
        ((0.75, 0.74, 0.73, 0.72), 40, 3),
        ((0.7, 0.7, 0.62), 60, 4),
        ((0.75, 0.5, 0.5, 0.5), 20, 4),
    ],
)
def test_the_gain_of_a_combination_is_shown_without_bias(areas: tuple[float, ...], documents: int, each: int) -> None:
    """150 draws, whose mean bias is known to about half a point; the truth is that of 12,000 other summaries."""
    others, good, far = metrics(np.random.default_rng(99), 6_000, 2, areas)
    del others
    rng, held, biases = np.random.default_rng(6), [], []

    def area(values: Values, labels: Mask) -> float:
        order = np.argsort(np.argsort(values)) + 1.0
        ones = int(labels.sum())
        return float((order[labels].sum() - ones * (ones + 1) / 2) / (ones * (len(labels) - ones)))

    alone = [area(column, good) for column in far.T]
    for seed in range(150):
        of, labels, scores = metrics(rng, documents, each, areas)
        if min(labels.sum(), (~labels).sum()) < 6:
            continue
        found = Combining(
            tuple("abcd"[: len(areas)]),
            scores,
            labels,
            of,
            np.arange(len(labels)),
            np.ones(len(areas)),
            Resamples.draw(documents, 300, seed),
            Bags.singles(scores),
        )
        means, spreads = found.scale
        truth = area((far - means) / spreads @ found.weights, good) - alone[found.best]
        gain = found.gain.difference
        assert gain.value is not None
        assert gain.low is not None
        assert gain.high is not None
        biases.append(gain.value - truth)
        held.append(gain.low <= truth <= gain.high)
    assert abs(np.mean(biases)) <= 0.005 + 3 * np.std(biases) / math.sqrt(len(biases))
    assert np.mean(held) >= 0.90
