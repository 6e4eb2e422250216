"""The gaming table: what phrases without content score alone and add to a summary, and the phrases that a run can be extended with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import ClassVar, get_args

import numpy as np

from core.edits import PERTURBATIONS, Assertion, Filler, Placement
from core.errors import TouchstoneError
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData
from core.results import (
    STRESS_RESAMPLES,
    Shift,
    StressRun,
    document_array,
    intent_of,
    pair_gains,
    pairs_of_shifts,
    run_from_lines,
    run_lines,
    score_array,
    standardised_gain,
    to_json_line,
)
from core.scoring import METRICS, Metric, metric_title
from core.settings import VERSION
from core.stats import (
    Estimate,
    Resamples,
    ScorePairs,
    Statistic,
    Threshold,
    difference,
    format_signed,
    mean,
    share,
    wrong_way_share,
)
from core.text import words

_SAME_LENGTH = 0.25
_ADDED_PLACES: tuple[Placement, ...] = ("prefix", "suffix")


@dataclass(frozen=True, slots=True)
class PhraseEffect:
    """One phrase against one metric; gains are towards consistency, whichever way that lies."""

    metric: str
    """Spec of the metric."""
    phrase: Filler
    """The phrase as a perturbation that appends it."""
    words: int
    """Number of words of the phrase."""
    alone: Estimate
    """Mean score of the phrase as the whole summary, in the metric's own units."""
    outright: Estimate
    """Share of summaries, 0..1, that the bare phrase outscores."""
    appended: Estimate
    """Mean gain by the phrase after a summary, in the metric's own units."""
    prefixed: Estimate
    """Mean gain by the phrase before a summary, in the metric's own units."""
    per_word: Estimate
    """`appended` divided by the number of words."""
    spreads: Estimate
    """`appended` in standard deviations of the metric over the original summaries."""
    raised: Estimate
    """Share of summaries, 0..1, that score higher with the phrase after them."""
    control: Estimate
    """Mean gain in standard deviations by harmless edits that change half to twice as many words."""
    excess: Estimate
    """`spreads` minus `control`, paired on the same resamples."""


@dataclass(frozen=True, slots=True)
class MetricGaming:
    """Gains of a metric by the gaming phrases of a run, put before or after a summary.

    `gain` is the mean gain over all of them in standard deviations of the metric over the originals, and `raised` the share of
    summaries with a phrase that score higher than without one.
    """

    metric: str
    gain: Estimate
    raised: Estimate
    plays: tuple[PhraseEffect, ...]

    @property
    def best(self) -> PhraseEffect:
        """The phrase that gains most when it is appended."""
        return max(self.plays, key=lambda play: _sort_value(play.appended))


def metric_gaming(run: StressRun, all_shifts: Sequence[Shift], resamples: int = STRESS_RESAMPLES) -> list[MetricGaming]:
    """Every metric that has a better side and was played with, the most gamed first; intervals by document."""
    groups = {group: place for place, group in enumerate(dict.fromkeys(s.group for s in run.sources.values()))}
    kinds = phrase_kinds(run.plan.kinds)
    if not groups or not kinds:
        return []
    draws = Resamples.draw(len(groups), resamples, run.plan.seed)
    by_metric = {metric: [shift for shift in all_shifts if shift.metric == metric] for metric in run.plan.metrics}
    fields = [_MetricShifts(run, metric, shifts, groups, draws) for metric, shifts in by_metric.items()]
    standings = [field.summarize(kinds) for field in fields if field.direction != "neutral" and field.was_played(kinds)]
    return sorted(standings, key=lambda result: -_sort_value(result.gain))


def phrase_kinds(kinds: Iterable[str]) -> dict[Filler, dict[Placement, str]]:
    """The phrases among kinds of perturbation, each as it is appended, with the kinds that put it somewhere."""
    phrases: dict[Filler, dict[Placement, str]] = {}
    for kind in kinds:
        phrase = PERTURBATIONS.parse(kind)
        if isinstance(phrase, Filler):
            phrases.setdefault(replace(phrase, place="suffix"), {})[phrase.place] = kind
    return phrases


class _MetricShifts:
    """The shifts of one metric, on the same resamples as those of the others."""

    def __init__(
        self, run: StressRun, metric: str, shifts: Iterable[Shift], groups: dict[str, int], draws: Resamples
    ) -> None:
        self.metric, self.direction = metric, METRICS.parse(metric).card.direction
        self._groups, self._draws = groups, draws
        self._by_kind: dict[str, list[Shift]] = {}
        for shift in shifts:
            self._by_kind.setdefault(shift.kind, []).append(shift)
        readings = [run.readings.get((source, "", metric)) for source in run.sources]
        self._originals = score_array(reading.value if reading else None for reading in readings)
        self._documents = document_array((source.group for source in run.sources.values()), groups)

    def was_played(self, kinds: dict[Filler, dict[Placement, str]]) -> bool:
        return any(kind in self._by_kind for places in kinds.values() for kind in places.values())

    def summarize(self, kinds: dict[Filler, dict[Placement, str]]) -> MetricGaming:
        meant = {phrase: places for phrase, places in kinds.items() if phrase.targets(self.metric)}
        added = self._pairs([places[place] for places in meant.values() for place in _ADDED_PLACES if place in places])
        plays = tuple(self._play(phrase, places) for phrase, places in meant.items())
        return MetricGaming(self.metric, self._spreads(added), self._draws.estimate(wrong_way_share(added)), plays)

    def _play(self, phrase: Filler, places: dict[Placement, str]) -> PhraseEffect:
        alone, prefixed, appended = (self._pairs([places.get(place, "")]) for place in ("alone", "prefix", "suffix"))
        length, draws = len(words(phrase.text)), self._draws
        gain, control = (draws.of(self._standardised(pairs)) for pairs in (appended, self._harmless_pairs(length)))
        return PhraseEffect(
            metric=self.metric,
            phrase=phrase,
            words=length,
            alone=draws.estimate(mean(alone.edited, alone.documents)),
            outright=draws.estimate(wrong_way_share(alone)),
            appended=draws.estimate(mean(pair_gains(appended), appended.documents)),
            prefixed=draws.estimate(mean(pair_gains(prefixed), prefixed.documents)),
            per_word=draws.estimate(mean(pair_gains(appended) / max(1, length), appended.documents)),
            spreads=gain.estimate(),
            raised=draws.estimate(wrong_way_share(appended)),
            control=control.estimate(),
            excess=difference(gain, control),
        )

    def _pairs(self, kinds: Iterable[str]) -> ScorePairs:
        shifts = [shift for kind in kinds for shift in self._by_kind.get(kind, ())]
        return pairs_of_shifts(self.metric, shifts, self._groups)

    def _harmless_pairs(self, length: int) -> ScorePairs:
        """Pairs under harmless edits that change half to twice as many words."""
        shifts = [
            shift
            for kind, of_kind in self._by_kind.items()
            if intent_of(kind) == "preserving"
            for shift in of_kind
            if length <= 2 * shift.words and shift.words <= 2 * length
        ]
        return pairs_of_shifts(self.metric, shifts, self._groups)

    def _standardised(self, pairs: ScorePairs) -> Statistic:
        return standardised_gain(pairs, self._originals, self._documents)

    def _spreads(self, pairs: ScorePairs) -> Estimate:
        return self._draws.estimate(self._standardised(pairs))


def lifted_share(pairs: ScorePairs, threshold: Threshold) -> Statistic:
    """The share of summaries that the threshold refuses and with the phrase accepts, among those that it refuses.

    `pairs` are inconsistent summaries without and with a phrase.
    """
    refused = ~threshold.accepts_scores(pairs.original, pairs.direction)
    lifted = threshold.accepts_scores(pairs.edited, pairs.direction)
    scored = refused & ~np.isnan(pairs.original) & ~np.isnan(pairs.edited)
    return share(np.where(scored, lifted.astype(np.float64), np.nan), pairs.documents)


def control_lengths(phrases: Iterable[Filler]) -> list[int]:
    """Numbers of words at which harmless edits are the control of phrases: every phrase has one within a quarter of its own."""
    lengths: list[int] = []
    for length in sorted({len(words(phrase.text)) for phrase in phrases}, reverse=True):
        if all(length < (1 - _SAME_LENGTH) * other for other in lengths):
            lengths.append(length)
    return lengths


def _sort_value(estimate: Estimate) -> float:
    return -np.inf if estimate.value is None else estimate.value


def in_every_place(phrases: Iterable[Filler]) -> list[Filler]:
    """Each phrase after the summary, before it, and in its place."""
    return [replace(phrase, place=place) for phrase in phrases for place in get_args(Placement)]


def known_phrases(metrics: Iterable[str]) -> list[Filler]:
    """Every kind of phrase, and the assertion also in the terms of each metric that asks a model: a rule reads no claims."""
    plain = [plugin() for plugin in PERTURBATIONS if issubclass(plugin, Filler)]
    named = [Assertion(metric=metric) for metric in metrics if METRICS.parse(metric).checkpoints()]
    return [*plain, *named]


def for_each_metric(kinds: Sequence[str], metrics: Sequence[Metric]) -> list[str]:
    """The kinds, with the assertion of a paper in the terms of each metric in the place of the general one."""
    specs = []
    for kind in kinds:
        built = PERTURBATIONS.parse(kind)
        if isinstance(built, Assertion) and not built.metric:
            specs += [replace(built, metric=metric.spec).spec for metric in metrics]
        else:
            specs.append(kind)
    return specs


def extended_run(run: StressRun, name: str, phrases: Iterable[Filler]) -> StressRun:
    """A run of that name with further phrases, in which everything is found that this one found.

    Scores of another version of Touchstone are not taken over.
    """
    kinds = dict.fromkeys([*run.plan.kinds, *(phrase.spec for phrase in phrases)])
    battery = run.plan.battery if len(kinds) == len(run.plan.kinds) else ""
    longer = StressRun(replace(run.plan, name=name, kinds=tuple(kinds), version=VERSION, battery=battery))
    if run.plan.version != VERSION:
        longer.sources.update(run.sources)
        return longer
    return run_from_lines([to_json_line(longer.plan), *islice(run_lines(run), 1, None)])


@STUDIES.add
class GamingStudy(Study):
    """Gains by phrases without content."""

    name: ClassVar[str] = "gaming"
    title: ClassVar[str] = "Gaming"
    does: ClassVar[str] = "Measure how far phrases without content raise the scores of each metric."
    group: ClassVar[Group] = "Gaming"
    takes: ClassVar[tuple[Input, ...]] = (Input.RUN,)
    place: ClassVar[int] = 10
    audit: ClassVar[str] = "gaming"
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"pack": "The pack is of labelled summaries, and this is of the variants of a stress run."}
    )

    def run(self, data: StudyData) -> Report:
        run = data.stress_run
        results = metric_gaming(run, data.shifts)
        if not results:
            raise TouchstoneError(
                "No phrase without content was tried on these summaries yet, or no metric has a better side. Make a run with one: "
                "cli.py stress PAIRS --kind phrase -o RUN.jsonl"
            )
        neutral = [metric for metric in run.plan.metrics if METRICS.parse(metric).card.direction == "neutral"]
        titles = tuple(metric_title(result.metric) for result in reversed(results))  # the most gamed on top
        gain_chart = Chart(
            "gain",
            "points",
            "Mean gain by a phrase without content, with 95 % intervals",
            Axis("", titles),
            Axis("gain in spreads (standard deviations)"),
            (Series("gain", titles, tuple(result.gain for result in reversed(results))),),
            sideways=True,
        )
        return self.report(
            data,
            [_metrics_table(results), _phrases_table(results)],
            charts=[gain_chart],
            sentences=_answer(results),
            notes=[
                "A gain is towards consistency; a spread is the standard deviation of the metric over the original summaries. A good "
                "metric stays at zero or falls: a phrase that says nothing makes no summary more consistent. Intervals are of 95 %, by "
                "document.",
                *(
                    [f"Not in the table, as neither side of it is better: {', '.join(map(metric_title, neutral))}."]
                    if neutral
                    else []
                ),
            ],
        )


def _metrics_table(results: Sequence[MetricGaming]) -> Table:
    return Table(
        "metrics",
        "Gain of each metric by phrases without content",
        (
            Column("metric", format="metric"),
            Column("gain", "gain in spreads", "signed", "Mean over all phrases before and after a summary."),
            Column("raised", format="share", help="Share of summaries that score higher with a phrase than without."),
            Column("best", "best phrase", "perturbation", "The phrase that gains most when it is appended."),
            Column("best_gain", "its gain", "signed", "Mean gain of the appended phrase, in the metric's own units."),
            Column("n", format="count"),
        ),
        tuple(
            (
                result.metric,
                result.gain,
                result.raised,
                result.best.phrase.spec,
                result.best.appended,
                result.gain.n,
            )
            for result in results
        ),
    )


def _phrases_table(results: Sequence[MetricGaming]) -> Table:
    rows = [
        (
            play.metric,
            play.phrase.spec,
            play.phrase.text,
            play.words,
            play.alone,
            play.outright,
            play.appended,
            play.prefixed,
            play.per_word,
            play.spreads,
            play.raised,
            play.control,
            play.excess,
            play.appended.n,
        )
        for result in results
        for play in result.plays
    ]
    return Table(
        "phrases",
        "Each phrase against each metric",
        (
            Column("metric", format="metric"),
            Column("phrase", format="perturbation"),
            Column("text", "says"),
            Column("words", format="count"),
            Column(
                "alone",
                format="unsigned",
                help="Mean score of the phrase as the whole summary, in the metric's own units.",
            ),
            Column("outright", "beats", "share", "Share of the summaries that the bare phrase outscores."),
            Column("appended", "after", "signed", "Mean gain when the phrase is appended, in the metric's own units."),
            Column("prefixed", "before", "signed", "Mean gain when the phrase is put first."),
            Column("per_word", "per word", "signed", "Mean gain of the appended phrase by the words that it takes."),
            Column(
                "spreads",
                "in spreads",
                "signed",
                "Gain of the appended phrase in standard deviations over the originals.",
            ),
            Column(
                "raised", format="share", help="Share of the summaries that score higher with the phrase after them."
            ),
            Column(
                "control",
                "harmless edits",
                "signed",
                "Mean gain, in spreads, by harmless edits of the run that change half to twice as many words.",
            ),
            Column(
                "excess", "beyond them", "signed", "Gain of the phrase in spreads beyond that of the harmless edits."
            ),
            Column("n", format="count", help="Summaries that the phrase was appended to."),
        ),
        tuple(rows),
    )


def _answer(results: Sequence[MetricGaming]) -> list[str]:
    """The most gamed metric beside its control, and those whose gain is not above zero by the whole interval.

    The gain is held against zero, as in the paper; what harmless edits of the same length gain stands beside it.
    """
    first = results[0]
    if first.gain.value is None:
        return [f"No metric has a gain: {first.gain.error}"]
    gain, title, ends = f"{format_signed(first.gain)} spreads", metric_title(first.metric), first.gain.ends
    if not ends:
        best = f"{title} gains most, on too few documents for an interval: {gain}."
    elif ends[0] > 0:
        best = f"{title} is gamed most: {gain}."
    elif first.gain.value > 0:
        best = f"No metric has a gain that is clear of zero; the largest is that of {title}: {gain}."
    else:
        best = f"No metric gains in the mean; nearest is {title}: {gain}."
    phrase = first.best
    control = (
        "no harmless edit here is as long"
        if phrase.control.value is None
        else f"harmless edits of its length {format_signed(phrase.control)}, the difference {format_signed(phrase.excess)}"
    )
    sentences = [
        f"{best} Appended, “{phrase.phrase.title}” gains most: {format_signed(phrase.spreads)} spreads; {control}."
    ]
    withstand = [result.metric for result in results if (ends := result.gain.ends) and ends[1] <= 0]
    if withstand:
        sentences.append(f"The whole interval is at or below zero for {', '.join(map(metric_title, withstand))}.")
    return sentences
