"""Number of generations of summarizers that a gaming phrase is worth (after Ramprasad and Wallace 2024, appendix D.1).

The systems of a dataset are put in the order of their human consistency. A generation is one step in this order: the mean
difference between the mean scores of neighbouring systems, which is that of the most and the least consistent system by the
number of steps between them. What a phrase gains, appended to the same summaries, is counted in such steps. The definition is ours.
A run has each text once: a summary that two systems both wrote counts for the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.errors import TouchstoneError, UnknownNameError, UnscorableError
from core.evaluation.report import Axis, Chart, Column, Pivot, Report, Series, Table
from core.evaluation.studies.gaming import phrase_kinds
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import (
    STRESS_RESAMPLES,
    VERDICT_VALUES,
    Cases,
    Shift,
    StressRun,
    document_array,
    mean_ratings,
    pair_gains,
    pairs_of_shifts,
    score_array,
)
from core.scoring import METRICS, metric_title
from core.stats import (
    Estimate,
    Mask,
    Numbers,
    Resamples,
    ScorePairs,
    Statistic,
    Values,
    cluster_documents,
    format_in_units,
    mean,
    ratio,
    sums_by,
    undefined,
)


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """A system by its mean human consistency over `n` summaries of the dataset: a share, or the mean of a rated aspect."""

    name: str
    human: float
    n: int


@dataclass(frozen=True, slots=True)
class PhraseStrength:
    """Gain by one phrase with one metric, towards consistency; intervals by document.

    `means` are the mean scores of the summaries of each system, in the order of `judged_systems`; `step` is the mean
    difference between neighbours in that order, `gain` the mean gain by the appended phrase, both in the metric's own units,
    and `generations` the gain in steps: undefined where the metric does not rise with human consistency.
    """

    metric: str
    phrase: str
    means: tuple[Estimate, ...]
    gain: Estimate
    step: Estimate
    generations: Estimate


def judged_systems(cases: Cases, aspect: str = "") -> list[JudgedSystem]:
    """The systems of a dataset, the least consistent first: by the mean of an aspect that people rated, or else by labels.

    Raises UnscorableError where fewer than two systems have a label or rating, or all of them the same.
    """
    if aspect:
        human = mean_ratings(cases)[aspect]
    else:
        verdicts = [sample.item.intended for sample in cases.samples]
        human = np.array(
            [np.nan if verdict is None else VERDICT_VALUES[verdict] for verdict in verdicts], dtype=np.float64
        )
    by_system: dict[str, list[float]] = defaultdict(list)
    for sample, value in zip(cases.samples, human, strict=True):
        if sample.item.system and not sample.item.parent and not np.isnan(value):
            by_system[sample.item.system].append(float(value))
    systems = [JudgedSystem(name, float(np.mean(values)), len(values)) for name, values in by_system.items()]
    if len({system.human for system in systems}) < 2:
        raise UnscorableError(
            f"An order of systems needs two whose human consistency differs; here are {len(systems)} systems with a label "
            "or rating. Choose a dataset that names the system of each summary."
        )
    return sorted(systems, key=lambda system: (system.human, system.name))


def systems_of_summaries(cases: Cases) -> dict[str, str]:
    """The system of each summary, by the id under which a run of the dataset has it."""
    return {sample.item.example.id: sample.item.system for sample in cases.samples if sample.item.system}


def phrase_strengths(
    run: StressRun,
    all_shifts: Sequence[Shift],
    systems: Sequence[JudgedSystem],
    system_of: Mapping[str, str],
    resamples: int = STRESS_RESAMPLES,
) -> Iterator[PhraseStrength]:
    """Every phrase that the run appends, with every metric that has a better side, over the summaries of these systems.

    Raises UnscorableError where the run has no summary of one of the two ends of the order, or appends no phrase.
    """
    kinds = {phrase: places["suffix"] for phrase, places in phrase_kinds(run.plan.kinds).items() if "suffix" in places}
    places = {system.name: place for place, system in enumerate(systems)}
    sources = [source for source in run.sources.values() if system_of.get(source.example.id) in places]
    ranks = np.array([places[system_of[source.example.id]] for source in sources], dtype=np.intp)
    if not kinds:
        raise UnscorableError(
            "The run appends no phrase to its summaries. Run `stress` with --kind phrase, for example."
        )
    missing = [systems[place].name for place in (0, len(systems) - 1) if place not in ranks]
    if missing:
        raise UnscorableError(
            f"The run has no summary of {' or '.join(missing)}. Run `stress` on the dataset with --with-inconsistent: the "
            "summaries that are labelled inconsistent are left out otherwise."
        )
    numbers = {group: place for place, group in enumerate(dict.fromkeys(source.group for source in sources))}
    documents = document_array((source.group for source in sources), numbers)
    draws = Resamples.draw(len(numbers), resamples, run.plan.seed)
    source_ids = {source.example.id for source in sources}
    for metric in run.plan.metrics:
        direction = METRICS.parse(metric).card.direction
        if direction == "neutral":
            continue
        readings = [run.readings.get((source.example.id, "", metric)) for source in sources]
        scores = score_array(reading.value if reading else None for reading in readings)
        means = tuple(
            draws.estimate(mean(scores[ranks == place], documents[ranks == place])) for place in range(len(systems))
        )
        originals = SystemScores(-scores if direction == "lower" else scores, ranks, documents, len(systems) - 1)
        for phrase, kind in kinds.items():
            if phrase.targets(metric):
                shifts = [
                    shift
                    for shift in all_shifts
                    if (shift.metric, shift.kind) == (metric, kind) and shift.source in source_ids
                ]
                pairs = pairs_of_shifts(metric, shifts, numbers)
                yield PhraseStrength(
                    metric=metric,
                    phrase=phrase.spec,
                    means=means,
                    gain=draws.estimate(mean(pair_gains(pairs), pairs.documents)),
                    step=draws.estimate(system_step(originals)),
                    generations=draws.estimate(generations(pairs, originals)),
                )


@dataclass(frozen=True, slots=True, eq=False)
class SystemScores:
    """Scores of (n,) summaries, higher is more consistent, nan where there is none, the places of their systems in the order
    of human consistency, their documents, and the place of the most consistent system."""

    scores: Values
    places: Numbers
    documents: Numbers
    last: int

    def ends(self) -> tuple[Mask, Mask]:
        """Masks of the summaries with a score of the most and of the least consistent system."""
        scored = ~np.isnan(self.scores)
        return scored & (self.places == self.last), scored & (self.places == 0)


def system_step(originals: SystemScores) -> Statistic:
    """The mean difference between the mean scores of neighbouring systems, in the metric's own units."""
    top, bottom = originals.ends()
    n = int(min(top.sum(), bottom.sum()))
    if not n:
        return undefined(0, _NO_END)
    numbers, places = cluster_documents(originals.documents)
    sums = sums_by(places, _end_columns(originals, top, bottom), len(numbers))
    return Statistic(n, numbers, lambda weights: _mean_step(sums.T @ weights, originals.last), len(numbers))


def generations(pairs: ScorePairs, originals: SystemScores) -> Statistic:
    """The mean gain of the edited side of `pairs` by `system_step`, both weighed by the same documents."""
    gains = pair_gains(pairs)
    scored = ~np.isnan(gains)
    top, bottom = originals.ends()
    if not scored.any() or not top.any() or not bottom.any():
        return undefined(
            0, "No summary has a score with the phrase and without." if top.any() and bottom.any() else _NO_END
        )
    ends = _end_columns(originals, top, bottom)
    n = int(scored.sum())
    if _mean_step(ends.sum(axis=0)[:, None], originals.last)[0] <= 0:
        return undefined(
            n,
            "The metric does not rise from the least to the most consistent system: there is no step to compare with.",
        )
    numbers, places = cluster_documents(np.concatenate([pairs.documents[scored], originals.documents]))
    columns = np.zeros((len(places), 6))
    columns[:n, :2] = np.column_stack([gains[scored], np.ones(n)])
    columns[n:, 2:] = ends
    sums = sums_by(places, columns, len(numbers))

    def weigh(weights: Values) -> Values:
        weighed = sums.T @ weights
        return ratio(ratio(weighed[0], weighed[1]), _mean_step(weighed[2:], originals.last))

    return Statistic(n, numbers, weigh, len(numbers))


def _end_columns(originals: SystemScores, top: Mask, bottom: Mask) -> Values:
    """Sum and number of the scores of the most consistent system, then of the least: a row for each summary, (n, 4)."""
    scores = np.nan_to_num(originals.scores)
    return np.column_stack([scores * top, top, scores * bottom, bottom]).astype(np.float64)


def _mean_step(sums: Values, steps: int) -> Values:
    """From the sums of `_end_columns`, (4, resamples)."""
    step: Values = (ratio(sums[0], sums[1]) - ratio(sums[2], sums[3])) / steps
    return step


_NO_END = "The most or the least consistent system has no summary with a score in this run."


@STUDIES.add
@dataclass(frozen=True)
class SystemStrength(Study):
    """Gains by gaming phrases in generations of summarizers."""

    name: ClassVar[str] = "system-strength"
    title: ClassVar[str] = "Phrases in generations of systems"
    does: ClassVar[str] = (
        "Count the gain of a gaming phrase in generations of summarizers, from the least to the most consistent system."
    )
    group: ClassVar[Group] = "Gaming"
    takes: ClassVar[tuple[Input, ...]] = (Input.RUN, Input.SAMPLES)
    place: ClassVar[int] = 30
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "An audit makes its own run, whose summaries need not be of several systems.",
            "pack": "It needs a stress run of the dataset, and the pack is of the dataset alone.",
        }
    )
    rated: str = setting(
        "",
        "The aspect that people rated by which the systems are ordered; by default the labels.",
        labels={"": "by labels"},
    )

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        return {"rated": ["", *mean_ratings(data.samples)]}

    def run(self, data: StudyData) -> Report:
        data = replace(data, resamples=STRESS_RESAMPLES)
        if self.rated and self.rated not in (aspects := mean_ratings(data.samples)):
            raise UnknownNameError("rated aspect", self.rated, aspects)
        systems = judged_systems(data.samples, self.rated)
        results = list(phrase_strengths(data.stress_run, data.shifts, systems, systems_of_summaries(data.samples)))
        if not results:
            raise TouchstoneError("No metric of the run has a better side. Run `stress` with another metric.")

        order = (
            f"{len(systems)} systems, from {systems[0].name} ({systems[0].human:.3f}) to {systems[-1].name} "
            f"({systems[-1].human:.3f}) by human consistency."
        )
        defined = [result for result in results if result.generations.value is not None]
        most_worth = "No metric rises from the least to the most consistent system."
        if defined:
            most = max(defined, key=lambda result: result.generations.value or 0.0)
            generations = format_in_units(most.generations)
            most_worth = f"{most.phrase} is worth most, with {metric_title(most.metric)}: {generations} generations."
        means = {result.metric: result.means for result in results}
        means_table = Table(
            "means",
            "Mean score of each system",
            (Column("system"), Column("metric", format="metric"), Column("mean", format="unsigned")),
            tuple(
                (system.name, metric, of_metric[place])
                for metric, of_metric in means.items()
                for place, system in enumerate(systems)
            ),
            pivot=Pivot("system", "metric", ("mean",)),
        )
        return self.report(
            data,
            [_phrases_table(results), _systems_table(systems), means_table],
            charts=[_strength_chart(results)]
            if any(result.generations.value is not None for result in results)
            else [],
            sentences=[order, most_worth],
            notes=[
                "A generation is the mean step of a metric's mean score from one system to the next, in the order of their human "
                "consistency, the least consistent first. Intervals are of 95 %, by document.",
            ],
        )


def _phrases_table(results: Sequence[PhraseStrength]) -> Table:
    return Table(
        "phrases",
        "Gain by each phrase",
        (
            Column("metric", format="metric"),
            Column("phrase"),
            Column("gain", format="signed", help="Mean gain by the appended phrase, in the metric's own units."),
            Column("step", format="signed", help="Mean difference between neighbouring systems, in the same units."),
            Column("generations", format="units", help="The gain in steps."),
            Column("n", format="count"),
        ),
        tuple(
            (result.metric, result.phrase, result.gain, result.step, result.generations, result.gain.n)
            for result in results
        ),
    )


def _systems_table(systems: Sequence[JudgedSystem]) -> Table:
    return Table(
        "systems",
        "Systems, the least consistent first",
        (
            Column("name", "system"),
            Column(
                "human", "human consistency", "number", "Share of consistent summaries, or mean of the rated aspect."
            ),
            Column("n", format="count"),
        ),
        tuple((system.name, system.human, system.n) for system in systems),
    )


def _strength_chart(results: Sequence[PhraseStrength]) -> Chart:
    """A point for each metric and phrase; 1 is one generation."""
    defined = [result for result in reversed(results) if result.generations.value is not None]
    names = tuple(f"{metric_title(result.metric)}, {result.phrase}" for result in defined)
    return Chart(
        "generations",
        "points",
        "Gain by an appended phrase in generations of systems, with 95 % intervals",
        Axis("", names),
        Axis("generations"),
        (Series("generations", names, tuple(result.generations for result in defined)),),
        sideways=True,
    )
