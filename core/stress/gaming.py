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
from core.stats.statistic import Numbers, Values, mean
from core.stress.records import Run
from core.stress.shifts import Shift
from core.stress.spreads import gains, standardised
from core.text import words

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
    by_metric = {metric: [shift for shift in found if shift.metric == metric] for metric in run.plan.metrics}
    fields = [_Field(run, metric, shifts, groups, drawn) for metric, shifts in by_metric.items()]
    standings = [field.standing(kinds) for field in fields if field.direction != "neutral" and field.was_played(kinds)]
    return sorted(standings, key=lambda standing: -_rank(standing.gain))


def phrases(kinds: Iterable[str]) -> dict[Filler, dict[Place, str]]:
    """The phrases among kinds of perturbation, each as it is appended, with the kinds that put it somewhere."""
    found: dict[Filler, dict[Place, str]] = {}
    for kind in kinds:
        phrase = PERTURBATIONS.parse(kind)
        if isinstance(phrase, Filler):
            found.setdefault(replace(phrase, place="suffix"), {})[phrase.place] = kind
    return found


class _Field:
    """The shifts of one metric, on the same resamples as those of the others."""

    def __init__(
        self, run: Run, metric: str, shifts: Iterable[Shift], groups: dict[str, int], drawn: Resamples
    ) -> None:
        self.metric, self.direction = metric, METRICS.parse(metric).card.direction
        self._groups, self._drawn = groups, drawn
        self._by_kind: dict[str, list[Shift]] = {}
        for shift in shifts:
            self._by_kind.setdefault(shift.kind, []).append(shift)
        readings = [run.readings.get((source, "", metric)) for source in run.sources]
        self._originals = _values([reading.value if reading else None for reading in readings])
        self._documents = self._numbers([source.group for source in run.sources.values()])

    def was_played(self, kinds: dict[Filler, dict[Place, str]]) -> bool:
        return any(kind in self._by_kind for places in kinds.values() for kind in places.values())

    def standing(self, kinds: dict[Filler, dict[Place, str]]) -> Standing:
        meant = {phrase: places for phrase, places in kinds.items() if phrase.aims_at(self.metric)}
        beside = self._pairs([places[place] for places in meant.values() for place in _BESIDE if place in places])
        plays = tuple(self._play(phrase, places) for phrase, places in meant.items())
        return Standing(self.metric, self._spreads(beside), self._drawn.estimate(wrong_way(beside)), plays)

    def _play(self, phrase: Filler, places: dict[Place, str]) -> Play:
        alone, prefixed, appended = (self._pairs([places.get(place, "")]) for place in ("alone", "prefix", "suffix"))
        length, drawn = len(words(phrase.text)), self._drawn
        return Play(
            metric=self.metric,
            phrase=phrase,
            words=length,
            alone=drawn.estimate(mean(alone.edited, alone.documents)),
            outright=drawn.estimate(wrong_way(alone)),
            appended=drawn.estimate(mean(gains(appended), appended.documents)),
            prefixed=drawn.estimate(mean(gains(prefixed), prefixed.documents)),
            per_word=drawn.estimate(mean(gains(appended) / max(1, length), appended.documents)),
            spreads=self._spreads(appended),
            raised=drawn.estimate(wrong_way(appended)),
        )

    def _pairs(self, kinds: Iterable[str]) -> Pairs:
        chosen = [shift for kind in kinds for shift in self._by_kind.get(kind, ())]
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


def _values(scores: Sequence[float | None]) -> Values:
    return np.array([np.nan if score is None else score for score in scores], dtype=np.float64)


def _rank(estimate: Estimate) -> float:
    return -np.inf if estimate.value is None else estimate.value
