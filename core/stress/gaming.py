"""The gaming table: what a phrase without content scores alone, and what it adds to a summary, per metric and word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.filler import Filler, Place
from core.metric import METRICS
from core.perturbation import PERTURBATIONS
from core.stats.estimate import Estimate
from core.stats.pairs import Pairs, wrong_way
from core.stats.resampling import Resamples
from core.stats.statistic import Numbers, Statistic, Values, clusters, mean, ratio, sums_by, undefined
from core.stress.records import Run
from core.stress.shifts import Shift
from core.text import words

_FLAT = 1e-12  # of the variance of all originals: what rounding leaves of a constant
_BESIDE: tuple[Place, ...] = ("prefix", "suffix")


@dataclass(frozen=True, slots=True)
class Play:
    """One phrase against one metric; gains are towards consistency, whichever way that lies.

    `alone` is the mean score of the phrase as the whole summary, and `outright` the share of summaries that it beats. `appended`
    and `prefixed` are mean gains in the metric's own units, `per_word` the first by the words that it takes, `spreads` the first in
    standard deviations of the metric over the originals; `raised` is the share of summaries that the appended phrase lifts.
    """

    metric: str
    phrase: Filler
    words: int
    alone: Estimate
    outright: Estimate
    appended: Estimate
    prefixed: Estimate
    per_word: Estimate
    spreads: Estimate
    raised: Estimate


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a metric is gamed by the phrases of a run, put before or after a summary.

    `gain` is the mean gain over all of them in standard deviations of the metric over the originals, and `raised` the share of
    summaries with a phrase that score higher than without one.
    """

    metric: str
    gain: Estimate
    raised: Estimate
    plays: tuple[Play, ...]

    @property
    def best(self) -> Play:
        """The phrase that gains most when it is appended."""
        return max(self.plays, key=lambda play: _rank(play.appended))


def gaming(run: Run, found: Sequence[Shift], resamples: int = 2000) -> list[Standing]:
    """Every metric that has a better side and was played with, the most gamed first; intervals by document."""
    groups = {group: place for place, group in enumerate(dict.fromkeys(s.group for s in run.sources.values()))}
    kinds = phrases(run.plan.kinds)
    if not groups or not kinds:
        return []
    drawn = Resamples.draw(len(groups), resamples, run.plan.seed)
    fields = [_Field(run, metric, found, groups, drawn) for metric in run.plan.metrics]
    standings = [field.standing(kinds) for field in fields if field.direction != "neutral" and field.shifts]
    return sorted(standings, key=lambda standing: -_rank(standing.gain))


def phrases(kinds: Iterable[str]) -> dict[Filler, dict[Place, str]]:
    """The phrases among kinds of perturbation, each as it is appended, with the kinds that put it somewhere."""
    found: dict[Filler, dict[Place, str]] = {}
    for kind in kinds:
        phrase = PERTURBATIONS.parse(kind)
        if isinstance(phrase, Filler):
            found.setdefault(replace(phrase, place="suffix"), {})[phrase.place] = kind
    return found


def standardised(pairs: Pairs, originals: Values, documents: Numbers) -> Statistic:
    """Mean gain of (n,) pairs by the standard deviation of (sources,) original scores, those that are nan left out.

    Both are weighed by the same documents, so that a resample has its own spread.
    """
    gains = _gains(pairs)
    gained, scored = ~np.isnan(gains), ~np.isnan(originals)
    if not gained.any():
        return undefined(0, "No pair has a value.")
    if np.ptp(originals[scored]) == 0:
        return undefined(int(gained.sum()), "All originals score the same: there is no spread to compare with.")
    standard = (originals[scored] - originals[scored].mean()) / originals[scored].std()
    numbers, places = clusters(np.concatenate([pairs.documents[gained], documents[scored]]))
    sums = sums_by(places, _columns(gains[gained] / originals[scored].std(), standard), len(numbers))
    return Statistic(int(gained.sum()), numbers, lambda weights: _by_spread(sums.T @ weights), len(numbers))


class _Field:
    """The shifts of one metric, on the same resamples as those of the others."""

    def __init__(self, run: Run, metric: str, found: Iterable[Shift], groups: dict[str, int], drawn: Resamples) -> None:
        self.metric, self.direction = metric, METRICS.parse(metric).card.direction
        self._groups, self._drawn = groups, drawn
        fillers = {kind for places in phrases(run.plan.kinds).values() for kind in places.values()}
        self.shifts = [shift for shift in found if shift.metric == metric and shift.kind in fillers]
        readings = {source: run.readings.get((source, "", metric)) for source in run.sources}
        self._originals = _values([reading.value if reading else None for reading in readings.values()])
        self._documents = self._numbers([run.sources[source].group for source in readings])

    def standing(self, kinds: dict[Filler, dict[Place, str]]) -> Standing:
        meant = {phrase: places for phrase, places in kinds.items() if phrase.aims_at(self.metric)}
        every = self._pairs({places[place] for places in meant.values() for place in _BESIDE if place in places})
        plays = tuple(self._play(phrase, places) for phrase, places in meant.items())
        return Standing(self.metric, self._spreads(every), self._drawn.estimate(wrong_way(every)), plays)

    def _play(self, phrase: Filler, places: dict[Place, str]) -> Play:
        alone, prefixed, appended = (self._pairs({places.get(place)}) for place in ("alone", "prefix", "suffix"))
        length, drawn = len(words(phrase.text)), self._drawn
        return Play(
            metric=self.metric,
            phrase=phrase,
            words=length,
            alone=drawn.estimate(mean(alone.edited, alone.documents)),
            outright=drawn.estimate(wrong_way(alone)),
            appended=drawn.estimate(_gain(appended)),
            prefixed=drawn.estimate(_gain(prefixed)),
            per_word=drawn.estimate(mean(_gains(appended) / max(1, length), appended.documents)),
            spreads=self._spreads(appended),
            raised=drawn.estimate(wrong_way(appended)),
        )

    def _pairs(self, kinds: set[str | None] | set[str]) -> Pairs:
        chosen = [shift for shift in self.shifts if shift.kind in kinds]
        return Pairs(
            _values([shift.before for shift in chosen]),
            _values([shift.after for shift in chosen]),
            self._numbers([shift.group for shift in chosen]),
            self.direction,
        )

    def _spreads(self, pairs: Pairs) -> Estimate:
        return self._drawn.estimate(standardised(pairs, self._originals, self._documents))

    def _numbers(self, groups: Sequence[str]) -> Numbers:
        return np.array([self._groups[group] for group in groups], dtype=np.intp)


def _gain(pairs: Pairs) -> Statistic:
    return mean(_gains(pairs), pairs.documents)


def _gains(pairs: Pairs) -> Values:
    """How much better the edited side is, (n,); no shift is a plain zero."""
    gains: Values = 0.0 - pairs.gains
    return gains


def _columns(gains: Values, originals: Values) -> Values:
    """Number and sum of the gains, number, sum and sum of squares of the originals: a row each, (gains + originals, 5)."""
    columns = np.zeros((len(gains) + len(originals), 5))
    columns[: len(gains), :2] = np.column_stack([np.ones(len(gains)), gains])
    columns[len(gains) :, 2:] = np.column_stack([np.ones(len(originals)), originals, originals**2])
    return columns


def _by_spread(sums: Values) -> Values:
    """From the sums of `_columns`, (5, resamples)."""
    gains, gained, originals, total, squares = sums
    variance = ratio(squares, originals) - ratio(total, originals) ** 2
    return ratio(ratio(gained, gains), np.sqrt(np.where(variance > _FLAT, variance, 0.0)))


def _values(scores: Sequence[float | None]) -> Values:
    return np.array([np.nan if score is None else score for score in scores], dtype=np.float64)


def _rank(estimate: Estimate) -> float:
    return -np.inf if estimate.value is None else estimate.value
