"""How well scores tell consistent summaries from inconsistent ones, by their order alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.metric import Direction
from core.stats.pairs import Pairs
from core.stats.statistic import Mask, Numbers, Statistic, Values, clusters, ratio, running, tally, undefined

_Fold = Callable[[Values, Values], Values]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Scores, nan where one failed, with the labels (True: consistent) and documents of their summaries, (n,) each."""

    scores: Values
    labels: Mask
    documents: Numbers
    direction: Direction = "higher"

    @classmethod
    def of(cls, pairs: Pairs) -> Labelled:
        """Both sides of minimal pairs: the original is consistent, the edited summary is not."""
        labels = np.repeat([True, False], len(pairs.original))
        scores = np.concatenate([pairs.original, pairs.edited])
        return cls(scores, labels, np.tile(pairs.documents, 2), pairs.direction)

    def defined(self) -> Labelled:
        """Without what failed."""
        kept = ~np.isnan(self.scores)
        return Labelled(self.scores[kept], self.labels[kept], self.documents[kept], self.direction)

    @property
    def oriented(self) -> Values:
        """The scores turned so that higher is more consistent."""
        return -self.scores if self.direction == "lower" else self.scores

    @property
    def why(self) -> str:
        """Why nothing can be told apart; empty where it can."""
        if self.direction == "neutral":
            return "The metric has no better side."
        if not len(self.labels):
            return "No summary has a score."
        if self.labels.all() or not self.labels.any():
            return f"All {len(self.labels)} summaries are {'consistent' if self.labels[0] else 'inconsistent'}."
        return ""


def auc(labelled: Labelled) -> Statistic:
    """The chance that a consistent summary scores above an inconsistent one, ties counting one half (Mann-Whitney)."""
    return _by_rank(labelled, _mann_whitney)


def average_precision(labelled: Labelled) -> Statistic:
    """The mean precision over consistent summaries, taken from the best score down, equal scores at once."""
    return _by_rank(labelled, _mean_precision)


def _by_rank(labelled: Labelled, fold: _Fold) -> Statistic:
    """Sorts once; `fold` gets how many consistent and inconsistent ones have each distinct score, (scores, resamples)."""
    kept = labelled.defined()
    if kept.why:
        return undefined(len(kept.labels), kept.why)
    numbers, places = clusters(kept.documents)
    distinct, ranks = np.unique(kept.oriented, return_inverse=True)
    shape = (len(distinct), len(numbers))
    good, bad = [tally(ranks[chosen], places[chosen], shape) for chosen in (kept.labels, ~kept.labels)]
    return Statistic(len(kept.labels), numbers, lambda weights: fold(good @ weights, bad @ weights), len(distinct))


def _mann_whitney(good: Values, bad: Values) -> Values:
    below = running(bad)
    wins = np.einsum("sr,sr->r", good, below) - np.einsum("sr,sr->r", good, bad) / 2
    return ratio(wins, good.sum(axis=0) * below[-1])


def _mean_precision(good: Values, bad: Values) -> Values:
    hits = running(good[::-1])
    precision = np.nan_to_num(ratio(hits, hits + running(bad[::-1])))  # nothing is drawn yet: no weight
    return ratio(np.einsum("sr,sr->r", good[::-1], precision), hits[-1])
