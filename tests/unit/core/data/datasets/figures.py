"""Figures that papers print of their datasets, from what an importer reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.stats.annotators.agreement import Distance, LabelMatrix, krippendorff_alpha
from core.stats.bootstrap import Resamples
from core.stats.correlation import RatedScores, without_system_means
from core.stats.statistic import Numbers, Statistic, Values
from core.types import Item

Coefficient = Callable[[RatedScores], Statistic]


def rating(item: Item, aspect: str) -> float:
    """The figure to which the dataset sums its judges up."""
    return next(rating.value for rating in item.ratings if (rating.judge, rating.aspect) == ("all", aspect))


def score(item: Item, metric: str) -> float:
    return next((score.value for score in item.scores if score.metric == metric), np.nan)


def numbered(names: Sequence[str]) -> Numbers:
    return np.unique(names, return_inverse=True)[1]


def correlation(items: Sequence[Item], metric: str, aspect: str, coefficient: Coefficient) -> float:
    """Of a released metric with what people said."""
    scores, human = _columns(items, metric, aspect)
    return _value(coefficient(RatedScores(scores, human, _documents(items))), items)


def partial_correlation(items: Sequence[Item], metric: str, aspect: str, coefficient: Coefficient) -> float:
    """The same, after the mean of each system was taken from both."""
    systems = numbered([item.system for item in items])
    scores, human = (without_system_means(column, systems) for column in _columns(items, metric, aspect))
    return _value(coefficient(RatedScores(scores, human, _documents(items))), items)


def sentence_votes(items: Sequence[Item], aspect: str, judges: Sequence[str]) -> Values:
    """What each judge said of each sentence, (items, judges, sentences); all judges said as much."""
    return np.array(
        [
            [[one.value for one in item.ratings if (one.judge, one.aspect) == (judge, aspect)] for judge in judges]
            for item in items
        ]
    )


def agreement(labels: Values, items: Sequence[Item], distance: Distance) -> float:
    """Krippendorff's alpha of labels, (units, judges), every item having as many units."""
    documents = np.repeat(_documents(items), len(labels) // len(items))
    return _value(krippendorff_alpha(LabelMatrix(labels, documents), distance), items)


def _columns(items: Sequence[Item], metric: str, aspect: str) -> tuple[Values, Values]:
    return np.array([score(item, metric) for item in items]), np.array([rating(item, aspect) for item in items])


def _documents(items: Sequence[Item]) -> Numbers:
    return numbered([item.group for item in items])


def _value(statistic: Statistic, items: Sequence[Item]) -> float:
    found = Resamples.draw(len({item.group for item in items}), 100).estimate(statistic)
    assert found.value is not None
    return found.value
