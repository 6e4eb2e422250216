"""Separation of consistent from inconsistent summaries by scores: area under the ROC curve, average precision, balanced accuracy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from core.errors import TouchstoneError
from core.stats.bootstrap import Resamples
from core.stats.proportion import area_interval
from core.stats.score_pairs import ScorePairs
from core.stats.statistic import (
    Estimate,
    Mask,
    Numbers,
    Statistic,
    Values,
    cluster_documents,
    count_matrix,
    ratio,
    sums_by,
    undefined,
)
from core.types import Direction

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True, eq=False)
class WinCounts:
    """Wins of consistent over inconsistent summaries, ties one half, by document.

    The distinct scores of consistent summaries cut the line of scores into slots: slot 2j + 1 is the j-th score itself,
    the even ones lie between. `bad` counts inconsistent summaries, (slots, documents). `halves`, (documents, slots),
    takes from their running sums what the consistent ones beat. Of each document, (documents,): `own` are the wins
    inside of it, `made` and `lost` the numbers of its consistent and inconsistent summaries.
    """

    bad: csr_array
    halves: csr_array
    own: Values
    made: Values
    lost: Values

    @classmethod
    def of(cls, scores: Values, labels: Mask, places: Numbers, documents: int) -> Self:
        """From scores (higher is better), labels (True: consistent) and the place of each case's document, (n,) each."""
        steps, at = np.unique(scores[labels], return_inverse=True)
        below = np.searchsorted(steps, scores[~labels])
        slots = below + np.searchsorted(steps, scores[~labels], side="right")
        good, bad, height = places[labels], places[~labels], 2 * len(steps) + 1
        sides = np.concatenate([2 * at, 2 * at + 1])  # what lies below, and with what ties
        # wins inside of each document, where a document and a slot in it are one number
        winners, losers = good * height + 2 * at, np.sort(bad * height + slots)
        beaten = np.searchsorted(losers, winners, side="right") + np.searchsorted(losers, winners + 1, side="right")
        wins = beaten / 2 - np.searchsorted(losers, good * height)
        return cls(
            count_matrix(slots, bad, (height, documents)),
            count_matrix(np.tile(good, 2), sides, (documents, height), np.full(len(sides), 0.5)),
            np.bincount(good, weights=wins, minlength=documents).astype(np.float64),
            np.bincount(good, minlength=documents).astype(np.float64),
            np.bincount(bad, minlength=documents).astype(np.float64),
        )


@dataclass(frozen=True, slots=True, eq=False)
class LabelledScores:
    """Scores, nan where one failed, with the labels (True: consistent) and documents of their summaries, (n,) each."""

    scores: Values
    labels: Mask
    documents: Numbers
    direction: Direction = "higher"

    @classmethod
    def of(cls, pairs: ScorePairs) -> LabelledScores:
        """Both sides of minimal pairs: the original is consistent, the edited summary is not."""
        labels = np.repeat([True, False], len(pairs.original))
        scores = np.concatenate([pairs.original, pairs.edited])
        return cls(scores, labels, np.tile(pairs.documents, 2), pairs.direction)

    def defined(self) -> LabelledScores:
        """The cases that have a score."""
        has_score = ~np.isnan(self.scores)
        return LabelledScores(self.scores[has_score], self.labels[has_score], self.documents[has_score], self.direction)

    def with_failures_worst(self) -> LabelledScores:
        """Failed cases count as wrong: below all others if consistent, above them if not."""
        sign = -1.0 if self.direction == "lower" else 1.0
        worst = np.where(self.labels, -np.inf, np.inf) * sign
        scores = np.where(np.isnan(self.scores), worst, self.scores)
        return LabelledScores(scores, self.labels, self.documents, self.direction)

    @property
    def oriented(self) -> Values:
        """The scores turned so that higher is more consistent."""
        return -self.scores if self.direction == "lower" else self.scores

    @property
    def error(self) -> str:
        """Reason why nothing can be distinguished; empty where it can."""
        if self.direction == "neutral":
            return "The metric has no better side."
        if not len(self.labels):
            return "No summary has a score."
        if self.labels.all() or not self.labels.any():
            return f"All {len(self.labels)} summaries are {'consistent' if self.labels[0] else 'inconsistent'}."
        return ""


def auc(labelled: LabelledScores) -> Statistic:
    """The chance that a consistent summary scores above an inconsistent one, ties counting one half (Mann-Whitney).

    In a resample the copies of a document are not compared with each other: a new sample of documents would hold no
    such pairs, and where originals meet their own edits they would lift every draw (on BUMP above the value itself).
    """
    return stratified_auc(labelled, np.zeros(len(labelled.labels), dtype=np.intp))


def stratified_auc(labelled: LabelledScores, strata: Numbers) -> Statistic:
    """The same within strata, (n,): the share of wins among pairs whose two cases are in the same stratum."""
    has_score, scored = ~np.isnan(labelled.scores), labelled.defined()
    if scored.error:
        return undefined(len(scored.labels), scored.error)
    numbers, places = cluster_documents(scored.documents)
    contests = [
        WinCounts.of(scored.oriented[part], scored.labels[part], places[part], len(numbers))
        for part in (strata[has_score] == stratum for stratum in np.unique(strata[has_score]))
        if scored.labels[part].any() and not scored.labels[part].all()
    ]
    if not contests:
        return undefined(len(scored.labels), "No consistent summary is in a stratum with an inconsistent one.")
    sizes = [np.stack([contest.made, contest.lost]) for contest in contests]
    inside = [np.stack([contest.own, contest.made * contest.lost]) for contest in contests]

    def weigh(weights: Values) -> Values:
        won, met = np.zeros(weights.shape[1]), np.zeros(weights.shape[1])
        for contest, size, of_document in zip(contests, sizes, inside, strict=True):
            beaten = contest.halves @ np.cumsum(contest.bad @ weights, axis=0)
            good, bad = size @ weights
            own, met_inside = of_document @ (weights * (weights - 1))
            won += np.einsum("dr,dr->r", weights, beaten) - own
            met += good * bad - met_inside
        return ratio(won, met)

    n = sum(int(contest.made.sum() + contest.lost.sum()) for contest in contests)
    height = max(max(contest.bad.shape) for contest in contests)
    good, bad = np.sum(sizes, axis=0)
    return _with_area_interval(Statistic(n, numbers, weigh, height), good, bad)


_NO_PRECISION_INTERVAL = (
    "Average precision has no interval: a document drawn twice ranks among its own copies, which lifts every resample."
)


def average_precision(labelled: LabelledScores) -> Statistic:
    """The mean precision over consistent summaries, taken from the best score down, equal scores at once; no interval.

    Every summary stands among its own hits, so that it is too high where few documents have many summaries, by more than
    resampling shows: on minimal pairs, leaving copies out as `auc` does covers 1 to 82 % instead of 95.
    """
    scored = labelled.defined()
    if scored.error:
        return undefined(len(scored.labels), scored.error)
    good, bad = _counts_from_the_best(scored)
    hits = np.cumsum(good)
    value = np.sum(good * hits / (hits + np.cumsum(bad))) / hits[-1]
    numbers = np.unique(scored.documents)
    return Statistic(
        len(scored.labels),
        numbers,
        lambda weights: np.full(weights.shape[1], value),
        without_interval=_NO_PRECISION_INTERVAL,
    )


@dataclass(frozen=True, slots=True, eq=False)
class RocCurve:
    """Shares of inconsistent and of consistent summaries that score at least as well as `scores`, (points,) each.

    It goes from (0, 0), where nothing is accepted, to (1, 1), and is empty where the area is undefined. `area` has the
    interval and the number of summaries.
    """

    false_alarms: Values
    hits: Values
    scores: Values
    area: Estimate


def measure_roc_curve(labelled: LabelledScores, resamples: Resamples) -> RocCurve:
    """The curve over the distinct scores from the best down, in the metric's own units."""
    area, scored = resamples.estimate(auc(labelled)), labelled.defined()
    if area.value is None:
        return RocCurve(np.zeros(0), np.zeros(0), np.zeros(0), area)
    scores, hits, false_alarms = acceptance_rates(scored)
    sign = -1.0 if scored.direction == "lower" else 1.0
    start = np.array([0.0])
    return RocCurve(np.append(start, false_alarms), np.append(start, hits), sign * np.append(np.inf, scores), area)


def acceptance_rates(labelled: LabelledScores) -> tuple[Values, Values, Values]:
    """Distinct oriented scores from the best down, and the shares of either kind that are accepted at each."""
    good, bad = _counts_from_the_best(labelled)
    return -np.unique(-labelled.oriented), np.cumsum(good) / good.sum(), np.cumsum(bad) / bad.sum()


def _counts_from_the_best(labelled: LabelledScores) -> tuple[Numbers, Numbers]:
    """Numbers of consistent and inconsistent summaries at each distinct score, from the best down, (distinct,) each."""
    distinct, ranks = np.unique(-labelled.oriented, return_inverse=True)
    good, bad = (np.bincount(ranks[kind], minlength=len(distinct)) for kind in (labelled.labels, ~labelled.labels))
    return good, bad


@dataclass(frozen=True, slots=True)
class Threshold:
    """The score from which on a summary counts as consistent, in the metric's own units.

    It was chosen on `n` summaries of `documents`, on which it must not be judged.
    """

    value: float
    n: int
    documents: frozenset[int]

    def accepts(self, labelled: LabelledScores) -> Mask:
        """Mask of the scores that count as consistent, (n,); one that is nan does not."""
        return self.accepts_scores(labelled.scores, labelled.direction)

    def accepts_scores(self, scores: Values, direction: Direction) -> Mask:
        """The same of (n,) scores."""
        return scores <= self.value if direction == "lower" else scores >= self.value


def choose_threshold(development: LabelledScores) -> Threshold:
    """The threshold of the best balanced accuracy, halfway between two scores; of equally good ones the strictest.

    Raises TouchstoneError where the development split has not both kinds of labels.
    """
    scored = development.defined()
    if scored.error:
        raise TouchstoneError(f"No threshold can be chosen: {scored.error} Take a split with labels of both kinds.")
    scores, hits, false_alarms = acceptance_rates(scored)
    best = int(np.argmax(hits - false_alarms))
    value = float(scores[best : best + 2].mean())
    oriented = -value if scored.direction == "lower" else value
    return Threshold(oriented, len(scored.labels), frozenset(scored.documents.tolist()))


def balanced_accuracy(labelled: LabelledScores, threshold: Threshold) -> Statistic:
    """The mean of the shares of consistent summaries accepted and of inconsistent ones refused; the threshold is fixed.

    Undefined where the threshold was chosen on one of the same documents.
    """
    scored = labelled.defined()
    shared = threshold.documents.intersection(scored.documents.tolist())
    leak = (
        f"The threshold was chosen on {len(shared)} of these documents: it cannot be judged on them." if shared else ""
    )
    if error := scored.error or leak:
        return undefined(len(scored.labels), error)
    return accuracy_of_decisions(threshold.accepts(scored), scored.labels, scored.documents)


def accuracy_of_decisions(accepted: Mask, labels: Mask, documents: Numbers) -> Statistic:
    """Balanced accuracy of (n,) decisions that were made without these labels, of which there are both kinds."""
    numbers, places = cluster_documents(documents)
    sums = sums_by(
        places,
        np.column_stack([labels & accepted, labels, ~labels & ~accepted, ~labels]).astype(np.float64),
        len(numbers),
    )
    statistic = Statistic(len(labels), numbers, lambda weights: _balanced_accuracy(sums.T @ weights), len(numbers))
    return _with_area_interval(statistic, sums[:, 1], sums[:, 3])


def _with_area_interval(statistic: Statistic, good: Values, bad: Values) -> Statistic:
    """A figure in 0..1 with its interval, from the numbers of consistent and inconsistent cases of each document, (documents,) each."""
    alike = int(min(np.count_nonzero(good), np.count_nonzero(bad)))

    def interval(value: float, variance: float) -> tuple[float, float]:
        return area_interval(value, variance, len(statistic.documents), alike)

    return replace(statistic, interval=interval)


def right_decisions(labelled: LabelledScores, threshold: Threshold) -> Values:
    """1 where a summary is accepted or refused as its label says, 0 where not, (n,), nan where it has no score."""
    right = threshold.accepts(labelled) == labelled.labels
    return np.where(np.isnan(labelled.scores), np.nan, right)


def _balanced_accuracy(sums: Values) -> Values:
    hits, good, refused, bad = sums
    return (ratio(hits, good) + ratio(refused, bad)) / 2
