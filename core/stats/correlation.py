"""How far scores follow human judgements, case by case: Pearson, Spearman and Kendall's tau-b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.stats.statistic import Numbers, Statistic, Values, clusters, ratio, running, sums_by, tally, undefined

_FLAT = 1e-12  # of a variance that is 1 in the whole sample: what rounding leaves of a constant
_BLOCK = 1 << 22  # signs of differences held at once
_MOST = 3000  # documents, whose square is held


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """Scores and human judgements of the same cases, nan where one is missing, and their documents, (n,) each."""

    scores: Values
    human: Values
    documents: Numbers

    def defined(self) -> Rated:
        """The cases that have both."""
        kept = ~np.isnan(self.scores) & ~np.isnan(self.human)
        return Rated(self.scores[kept], self.human[kept], self.documents[kept])

    @property
    def why(self) -> str:
        """Why there is no correlation; empty where there is one."""
        if len(self.scores) < 3:
            return f"A correlation needs three cases with both values, and there are {len(self.scores)}."
        for what, values in (("scores", self.scores), ("judgements", self.human)):
            if np.ptp(values) == 0:
                return f"All {len(values)} {what} are the same ({values[0]:g})."
        return ""


def pearson(rated: Rated) -> Statistic:
    """The linear correlation of scores and judgements."""
    kept = rated.defined()
    if kept.why:
        return undefined(len(kept.scores), kept.why)
    numbers, places = clusters(kept.documents)
    x, y = _standard(kept.scores), _standard(kept.human)
    sums = sums_by(places, np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y]), len(numbers))
    return Statistic(len(x), numbers, lambda weights: _from_moments(sums.T @ weights), len(numbers))


def spearman(rated: Rated) -> Statistic:
    """The correlation of ranks, equal values sharing theirs; every resample is ranked anew."""
    kept = rated.defined()
    if kept.why:
        return undefined(len(kept.scores), kept.why)
    numbers, places = clusters(kept.documents)
    x, y = (np.unique(values, return_inverse=True)[1] for values in (kept.scores, kept.human))
    by_x, by_y = (tally(ranks, places, (int(ranks.max()) + 1, len(numbers))) for ranks in (x, y))

    def weigh(weights: Values) -> Values:
        from_x, from_y = _ranks(by_x @ weights), _ranks(by_y @ weights)
        together = np.einsum("nr,nr,nr->r", weights[places], from_x[x], from_y[y])
        return ratio(together, np.sqrt(_spread(by_x @ weights, from_x) * _spread(by_y @ weights, from_y)))

    return Statistic(len(x), numbers, weigh, len(x))


def kendall(rated: Rated) -> Statistic:
    """Tau-b: concordant less discordant pairs of cases, by the geometric mean of those not tied on either side.

    The work grows with the square of the number of documents: it is undefined for more than 3,000 of them.
    """
    kept = rated.defined()
    if kept.why:
        return undefined(len(kept.scores), kept.why)
    numbers, places = clusters(kept.documents)
    if len(numbers) > _MOST:
        return undefined(len(kept.scores), f"Tau is not told of more than {_MOST:,} documents. Take Spearman's.")
    agreeing = _signs(kept, places, len(numbers))
    x, y = (np.unique(values, return_inverse=True)[1] for values in (kept.scores, kept.human))
    by_x, by_y = (tally(ranks, places, (int(ranks.max()) + 1, len(numbers))) for ranks in (x, y))

    def weigh(weights: Values) -> Values:
        balance = np.einsum("dr,dr->r", agreeing @ weights, weights)
        return ratio(balance, np.sqrt(_untied(by_x @ weights) * _untied(by_y @ weights)))

    return Statistic(len(x), numbers, weigh, max(len(numbers), by_x.shape[0], by_y.shape[0]))


def within(values: Values, systems: Numbers) -> Values:
    """What is left of (n,) values when the mean of their system is taken away; nan stays nan and counts in no mean.

    A correlation of two such residuals is FRANK's partial correlation (Pagnoni, Balachandran and Tsvetkov 2021).
    """
    kept = ~np.isnan(values)
    parts = np.column_stack([values[kept], np.ones(kept.sum())])
    sums, counts = sums_by(systems[kept], parts, int(systems.max()) + 1).T
    means = ratio(sums, counts)
    return values - means[systems]


def _standard(values: Values) -> Values:
    """Values of mean 0 and variance 1, so that sums of squares lose no digits."""
    standard: Values = (values - values.mean()) / values.std()
    return standard


def _from_moments(sums: Values) -> Values:
    """Pearson from the sums of 1, x, y, xx, yy and xy, (6, resamples)."""
    n, x, y, xx, yy, xy = sums
    varied = ratio(xx, n) - ratio(x, n) ** 2, ratio(yy, n) - ratio(y, n) ** 2
    spread = np.where(np.minimum(*varied) > _FLAT, varied[0] * varied[1], 0.0)
    return ratio(ratio(xy, n) - ratio(x, n) * ratio(y, n), np.sqrt(spread))


def _ranks(weights: Values) -> Values:
    """Middle ranks of the distinct values, counted from the mean rank, (distinct, resamples)."""
    sums = running(weights)
    ranks: Values = sums - weights / 2 - sums[-1] / 2
    return ranks


def _spread(weights: Values, ranks: Values) -> Values:
    spread: Values = np.einsum("dr,dr,dr->r", weights, ranks, ranks)
    return spread


def _signs(rated: Rated, places: Numbers, documents: int) -> Values:
    """For every two documents, how many more pairs of their cases are concordant than discordant."""
    spread = tally(places, np.arange(len(places)), (documents, len(places)))
    found = np.zeros((documents, documents))
    step = max(1, _BLOCK // len(places))
    for start in range(0, len(places), step):
        some = slice(start, start + step)
        signs = np.sign(rated.scores[some, None] - rated.scores) * np.sign(rated.human[some, None] - rated.human)
        np.add.at(found, places[some], (spread @ signs.T).T)
    return found


def _untied(weights: Values) -> Values:
    """Twice the number of pairs of cases whose values differ, from the weights of distinct values."""
    pairs: Values = weights.sum(axis=0) ** 2 - np.einsum("dr,dr->r", weights, weights)
    return pairs
