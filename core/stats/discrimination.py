"""How well scores tell consistent summaries from inconsistent ones, by their order alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.metric import Direction
from core.stats.contest import Contest
from core.stats.pairs import Pairs
from core.stats.statistic import Mask, Numbers, Statistic, Values, clusters, ratio, running, tally, undefined


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
    """The chance that a consistent summary scores above an inconsistent one, ties counting one half (Mann-Whitney).

    In a resample the copies of a document are not compared with each other: a new sample of documents would hold no
    such pairs, and where originals meet their own edits they would lift every draw (on BUMP above the value itself).
    """
    kept = labelled.defined()
    if kept.why:
        return undefined(len(kept.labels), kept.why)
    numbers, places = clusters(kept.documents)
    contest = Contest.of(kept.oriented, kept.labels, places, len(numbers))
    sizes = np.stack([contest.made, contest.lost])
    inside = np.stack([contest.own, contest.made * contest.lost])

    def weigh(weights: Values) -> Values:
        beaten = contest.halves @ running(contest.bad @ weights)
        good, bad = sizes @ weights
        own, met = inside @ (weights * (weights - 1))
        return ratio(np.einsum("dr,dr->r", weights, beaten) - own, good * bad - met)

    return Statistic(len(kept.labels), numbers, weigh, max(contest.bad.shape))


def average_precision(labelled: Labelled) -> Statistic:
    """The mean precision over consistent summaries, taken from the best score down, equal scores at once."""
    kept = labelled.defined()
    if kept.why:
        return undefined(len(kept.labels), kept.why)
    numbers, places = clusters(kept.documents)
    # precision is asked for at the scores of consistent summaries alone; minimal pairs share these by the half-dozen
    distinct, ranks = np.unique(-kept.oriented[kept.labels], return_inverse=True)
    beside = np.searchsorted(distinct, -kept.oriented[~kept.labels])  # the first of those scores that lets it in
    shape = (len(distinct) + 1, len(numbers))
    good, bad = tally(ranks, places[kept.labels], shape), tally(beside, places[~kept.labels], shape)

    def weigh(weights: Values) -> Values:
        found = good @ weights
        hits = running(found)
        precision = np.nan_to_num(ratio(hits, hits + running(bad @ weights)))  # nothing is drawn yet: no weight
        return ratio(np.einsum("sr,sr->r", found, precision), hits[-1])

    return Statistic(len(kept.labels), numbers, weigh, max(shape))
