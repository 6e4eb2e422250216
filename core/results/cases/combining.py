"""Scores of several metrics on labelled cases combined to one: cross-fitted figures, subsets, other domains, cascades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from core.errors import TouchstoneError
from core.results.cases.cases import Cases
from core.stats import (
    Bags,
    Distribution,
    Estimate,
    LabelledScores,
    Mask,
    Numbers,
    Resamples,
    StatisticDifference,
    Values,
    auc,
    compare_by_variance,
    compare_paired,
    cross_fit,
    cross_fit_complete,
    cross_log_odds,
    cross_ranks,
    deal_folds,
    fit_with_missing,
    log_odds_with_missing,
    sigmoid,
    standard_scores,
    variance_of,
)

FOLDS = 5
_DEALS = 8  # of documents into folds, over which the gain is a mean
MIN_LABELS = 24
"""Labelled summaries without which nothing is fitted: for two metrics about ten of each kind."""
MIN_CLASS = 6
MAX_MEMBERS = 16
TOLERANCE = 0.01
"""Area under the ROC curve that a cheaper subset or cascade may lose."""
_MOST_EXHAUSTIVE = (
    6  # members up to which every subset is fitted; beyond that the lightest member is dropped one at a time
)


@dataclass(frozen=True, eq=False)
class Combining:
    """Labelled summaries with the scores of the members of a combination."""

    names: tuple[str, ...]
    """Names of the members."""
    scores: Values
    """Scores turned so that higher is more consistent, (n, members), nan where a member failed."""
    labels: Mask
    """True for consistent, (n,)."""
    documents: Numbers
    """Number of the document, (n,): the bootstrap and the folds keep summaries of one document together."""
    rows: Numbers
    """Places of the summaries in the cases, (n,)."""
    costs: Values
    """Cost of a score by each member, (members,), in any unit."""
    drawn: Resamples
    """Bootstrap draws of documents."""
    fitted: Bags
    """Rows that the weights are fitted to: each summary in one row, or at the level of sentences its sentences."""
    level: Literal["summary", "sentence"] = "summary"
    """Unit of the rows of `fitted`."""

    @classmethod
    def of(cls, cases: Cases, costs: Mapping[str, float], resamples: Resamples) -> Combining:
        """From the columns of cases; a member without a cost costs 1. Raises TouchstoneError where these are too few to fit."""
        columns = [column for column in cases.columns if column.direction != "neutral"]
        if not columns or len(columns) > MAX_MEMBERS:
            raise TouchstoneError(
                f"{len(columns)} metrics with a better side have scores here: a combination takes 1 to {MAX_MEMBERS}. Name them, as rouge2+word-support"
            )
        scores = np.column_stack(
            [-column.values if column.direction == "lower" else column.values for column in columns]
        )
        rows = np.flatnonzero(~np.isnan(cases.labels) & (np.isnan(scores).sum(axis=1) < len(columns)))
        combining = cls(
            tuple(column.name for column in columns),
            scores[rows],
            cases.labels[rows] == 1,
            cases.documents[rows],
            rows,
            np.array([costs.get(column.name, 1.0) for column in columns]),
            resamples,
            Bags.singles(scores[rows]),
        )
        good, bad = (int(kind[combining.complete].sum()) for kind in (combining.labels, ~combining.labels))
        if good + bad < MIN_LABELS or min(good, bad) < MIN_CLASS or len(np.unique(combining.documents)) < 2 * FOLDS:
            raise TouchstoneError(
                f"{good} consistent and {bad} inconsistent summaries of {len(np.unique(combining.documents))} documents have a score of "
                f"each of {len(columns)} metrics: too few, a combination takes {MIN_LABELS}, {MIN_CLASS} of each kind, and {2 * FOLDS} "
                "documents. Label more, or score them all."
            )
        return combining

    @cached_property
    def complete(self) -> Mask:
        """Summaries that every member has scored, (n,): the figures are of these."""
        whole: Mask = np.isnan(self.scores).sum(axis=1) == 0
        return whole

    @cached_property
    def folds(self) -> Numbers:
        return deal_folds(self.documents, FOLDS)

    @cached_property
    def scale(self) -> tuple[Values, Values]:
        """Mean and spread of each member's scores, (members,) each."""
        return np.nanmean(self.fitted.values, axis=0), np.nanstd(self.fitted.values, axis=0)

    @cached_property
    def features(self) -> Bags:
        return self.scaled(*self.scale)

    def scaled(self, means: Values, spreads: Values) -> Bags:
        """Standard scores by these means and spreads, (members,) each."""
        return Bags(standard_scores(self.fitted.values, means, spreads), self.fitted.owners)

    @cached_property
    def equal_weights(self) -> Values:
        """The mean of the members' standard scores of each summary, (n,)."""
        scores = standard_scores(self.scores, np.nanmean(self.scores, axis=0), np.nanstd(self.scores, axis=0))
        mean: Values = scores.mean(axis=1)
        return mean

    @cached_property
    def fits(self) -> Values:
        """By all labels; see `fit_with_missing`."""
        return fit_with_missing(self.features, self.labels)

    @cached_property
    def fold_fits(self) -> Values:
        return cross_fit(self.features, self.labels, self.folds)

    @cached_property
    def probabilities(self) -> Values:
        """Of each summary by the labels of other documents, (n,)."""
        return sigmoid(cross_log_odds(self.fold_fits, self.features, self.folds))

    @cached_property
    def ranks(self) -> Values:
        """Numbers that order the summaries of all folds, (n,); see `cross_ranks`."""
        return cross_ranks(self.fold_fits, self.features, self.folds)

    @property
    def weights(self) -> Values:
        """The slopes of the members' standard scores, (members,)."""
        slopes: Values = self.fits[0, 1:]
        return slopes

    def area(self, values: Values, rows: Mask | None = None) -> Distribution:
        """The area under the ROC curve of (n,) values, on the complete summaries or some of them."""
        mask = self.complete if rows is None else rows
        return self.drawn.of(auc(LabelledScores(values[mask], self.labels[mask], self.documents[mask])))

    @cached_property
    def combined(self) -> Distribution:
        """The area of the cross-fitted combination."""
        return self.area(self.ranks)

    @cached_property
    def alone(self) -> tuple[Distribution, ...]:
        """The area of each member."""
        return tuple(self.area(self.scores[:, place]) for place in range(len(self.names)))

    @property
    def best(self) -> int:
        """The member with the largest area on these summaries."""
        return int(np.argmax([area.value or 0.0 for area in self.alone]))

    @cached_property
    def dealt_areas(self) -> Values:
        """Areas of the combination and of the best member by several deals of documents into folds, (deals, 2).

        Both are judged on documents whose labels had no part: those of the other folds fit the weights, and choose the member.
        """
        complete = self.complete
        scores, labels, documents = self.scores[complete], self.labels[complete], self.documents[complete]
        scaled, areas = standard_scores(scores, scores.mean(axis=0), scores.std(axis=0)), []
        for seed in range(_DEALS):
            folds, chosen = deal_folds(documents, FOLDS, seed), np.empty(len(labels))
            for fold in range(FOLDS):
                others, here = folds != fold, folds == fold
                if labels[others].all() or not labels[others].any():
                    break
                best = np.argmax([plain_area(column[others], labels[others]) for column in scaled.T])
                chosen[here] = scaled[here, best]
            else:
                ranks = self._ranks_of(range(len(self.names)), folds)
                areas.append((plain_area(ranks, labels), plain_area(chosen, labels)))
        return np.array(areas).reshape(-1, 2)

    @cached_property
    def gain(self) -> StatisticDifference:
        """The area of the combination minus that of the member that the same labels choose, both on other documents."""
        return self.gain_over_choice(self.combined, self.dealt_areas[:, 0])

    def gain_over_choice(self, area: Distribution, dealt: Values) -> StatisticDifference:
        """An area, whose values by the deals of `dealt_areas` are `dealt`, (deals,), minus that of the member that labels choose.

        Its variance is that of the paired resamples of documents and twice that between deals, by which fits and choices vary.
        """
        best = self.alone[self.best]
        paired, gains = compare_paired(area, best), dealt - self.dealt_areas[:, 1]
        if paired.difference.low is None or not len(gains):
            return paired
        of_documents = variance_of(area.draws - best.draws, paired.difference.documents)
        variance = of_documents + 2 * float(gains.var(ddof=1))
        return compare_by_variance(float(gains.mean()), variance, paired.difference)

    def of_subset(self, members: Sequence[int]) -> Values:
        """Numbers that order the summaries by some members, cross-fitted, (n,), nan where any member has no score."""
        values = np.full(len(self.complete), np.nan)
        values[self.complete] = self._ranks_of(members, self.folds[self.complete])
        return values

    def _ranks_of(self, members: Sequence[int], folds: Numbers) -> Values:
        """The same of the complete summaries alone, (complete,), by these folds of them, (complete,)."""
        bags = self.features.of_members(members).only(self.complete)
        return cross_ranks(cross_fit_complete(bags, self.labels[self.complete], folds), bags, folds)

    def without(self, place: int) -> Values:
        """The same without one member."""
        return self.of_subset([other for other in range(len(self.names)) if other != place])


def plain_area(scores: Values, labels: Mask) -> float:
    """The area under the ROC curve of (n,) scores without its interval."""
    bad = np.sort(scores[~labels])
    beaten = np.searchsorted(bad, scores[labels], side="left") + np.searchsorted(bad, scores[labels], side="right")
    return float(beaten.mean()) / (2 * len(bad))


@dataclass(frozen=True, slots=True)
class Subset:
    """Members that are as good as all, what they cost, their area and what it loses."""

    names: tuple[str, ...]
    cost: float
    area: Estimate
    loss: Estimate


def cheapest_subset(combining: Combining) -> Subset:
    """The cheapest members whose area is at most `TOLERANCE` below that of all, and whose loss has an interval that holds zero.

    Of subsets of the same cost the one with the larger area. Every subset is tried of up to 6 members.
    """
    every = tuple(range(len(combining.names)))
    if len(every) <= _MOST_EXHAUSTIVE:
        subsets = [subset for size in range(1, len(every)) for subset in combinations(every, size)]
    else:
        order = np.argsort(-combining.weights, kind="stable")
        subsets = [tuple(sorted(order[:size].tolist())) for size in range(1, len(every))]
    values = {subset: combining.of_subset(subset) for subset in subsets}
    complete, labels = combining.complete, combining.labels[combining.complete]
    plain = {subset: plain_area(ranks[complete], labels) for subset, ranks in values.items()}
    whole = plain_area(combining.ranks[complete], labels)
    near = sorted(
        (subset for subset in subsets if plain[subset] >= whole - TOLERANCE),
        key=lambda subset: (combining.costs[list(subset)].sum(), -plain[subset]),
    )
    # the cheapest first: the first whose loss may be chance is the answer
    for subset in near:
        area = combining.area(values[subset])
        loss = compare_paired(combining.combined, area).difference
        if loss.low is None or loss.low <= 0:
            return Subset(
                tuple(combining.names[member] for member in subset),
                float(combining.costs[list(subset)].sum()),
                area.estimate(),
                loss,
            )
    none = Estimate(0.0, None, None, combining.combined.n)
    return Subset(combining.names, float(combining.costs.sum()), combining.combined.estimate(), none)


@dataclass(frozen=True, slots=True)
class Transfer:
    """A domain whose labels the combination did not see, and its area there beside that of single members."""

    domain: str
    """The domain left out of the fit."""
    combined: Estimate
    """Area under the ROC curve of the combination there."""
    chosen: str
    """Member with the largest area on the other domains."""
    chosen_area: Estimate
    """Its area on this domain."""
    gain_over_chosen: Estimate
    """`combined` minus `chosen_area`."""
    best: str
    """Member with the largest area on this domain."""
    best_area: Estimate
    """Its area on this domain."""
    gain_over_best: Estimate
    """`combined` minus `best_area`."""


def transfers(combining: Combining, domains: Sequence[tuple[str, ...]]) -> Iterator[Transfer]:
    """Fitted on all other domains, used on each one; `domains` are those of each summary. Domains of few labels are left out."""
    for domain in sorted({name for of_sample in domains for name in of_sample}):
        here = np.array([domain in of_sample for of_sample in domains]) & combining.complete
        # a document of both would let the fit see the domain that it is tested on
        there = combining.complete & ~here & ~np.isin(combining.documents, combining.documents[here])
        sizes = [int(kind[rows].sum()) for rows in (here, there) for kind in (combining.labels, ~combining.labels)]
        if min(sizes) < MIN_CLASS:
            continue
        scores = combining.fitted.only(there).values
        # scaled by the other domains alone, as a user of the fit would have to
        features = combining.scaled(scores.mean(axis=0), scores.std(axis=0))
        fits = fit_with_missing(features.only(there), combining.labels[there])
        combined = combining.area(log_odds_with_missing(fits, features), here)
        names = range(len(combining.names))
        alone = [combining.area(combining.scores[:, place], here) for place in names]
        elsewhere = [combining.area(combining.scores[:, place], there).value or 0.0 for place in names]
        best_elsewhere, best = int(np.argmax(elsewhere)), int(np.argmax([area.value or 0.0 for area in alone]))
        yield Transfer(
            domain,
            combined.estimate(),
            combining.names[best_elsewhere],
            alone[best_elsewhere].estimate(),
            compare_paired(combined, alone[best_elsewhere]).difference,
            combining.names[best],
            alone[best].estimate(),
            compare_paired(combined, alone[best]).difference,
        )
