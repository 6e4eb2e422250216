"""How far each metric follows human ratings: over summaries, over systems, and within systems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from types import MappingProxyType

import numpy as np

from core.errors import UnknownNameError
from core.meta.cases import Cases, MetricColumn
from core.meta.measures import SIGNIFICANCE_LEVEL
from core.stats.bootstrap import Resamples
from core.stats.comparison import holm_correction, on_shared_cases, williams_test
from core.stats.correlation import (
    RatedScores,
    correlation_of_systems,
    kendall,
    kendall_of_means,
    pearson,
    pearson_of_means,
    spearman,
    spearman_of_means,
    without_system_means,
)
from core.stats.statistic import Estimate, Numbers, Statistic, Values
from core.stats.text_tables import align_columns, format_correlation
from core.types import ALL_JUDGES, Sample, Verdict

VERDICT_ASPECT = "share of judges who say consistent"
"""The aspect that verdicts of several judges make."""

_VERDICT_VALUES = {Verdict.CONSISTENT: 1.0, Verdict.BORDERLINE: 0.5, Verdict.INCONSISTENT: 0.0}

SystemCorrelation = Callable[[RatedScores, Numbers], Statistic]
"""A correlation of rated summaries whose systems are numbered."""


def _rated_without_means(rated: RatedScores, systems: Numbers) -> RatedScores:
    """What is left of the cases that have both values; the means are those of these cases alone."""
    residuals = (without_system_means(values, systems) for values in on_shared_cases(rated.scores, rated.human))
    return RatedScores(*residuals, rated.documents)


def _partial_correlation(coefficient: Callable[[RatedScores], Statistic]) -> SystemCorrelation:
    """FRANK's partial correlation: of what is left after the mean of each system."""
    return lambda rated, systems: coefficient(_rated_without_means(rated, systems))


COEFFICIENTS: MappingProxyType[str, SystemCorrelation] = MappingProxyType(
    {
        "Pearson": lambda rated, _: pearson(rated),
        "Spearman": lambda rated, _: spearman(rated),
        "Kendall": lambda rated, _: kendall(rated),
        "Pearson, within systems": _partial_correlation(pearson),
        "Spearman, within systems": _partial_correlation(spearman),
        "Pearson of systems": lambda rated, systems: correlation_of_systems(rated, systems, pearson_of_means),
        "Spearman of systems": lambda rated, systems: correlation_of_systems(rated, systems, spearman_of_means),
        "Kendall of systems": lambda rated, systems: correlation_of_systems(rated, systems, kendall_of_means),
    }
)
"""Every correlation that is computed; tau-b for Kendall."""

_SYSTEM_COEFFICIENTS = tuple(name for name in COEFFICIENTS if "systems" in name)


_TESTED_VALUES: MappingProxyType[str, Callable[[RatedScores, Numbers], RatedScores]] = MappingProxyType(
    {"Pearson": lambda rated, _: rated, "Pearson, within systems": _rated_without_means}
)
"""What Williams's test compares: the values, or what is left of them within systems, on cases that both metrics scored."""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """One metric against one aspect, by coefficient. Metrics where lower is better are turned, neutral ones are not.

    `against` is the p of Williams's test against the metric with the largest coefficient, corrected by Holm, for those
    coefficients that it knows; None of the best itself.
    """

    metric: str
    aspect: str
    estimates: dict[str, Estimate]
    against: Mapping[str, float | None]

    def best(self, name: str) -> bool:
        """Whether its coefficient is the largest, where that was tested."""
        return name in self.against and self.against[name] is None

    def level(self, name: str) -> bool:
        """Whether it is not significantly worse than the largest."""
        p = self.against.get(name)
        return p is not None and p >= SIGNIFICANCE_LEVEL


def metric_correlations(cases: Cases, aspect: str, drawn: Resamples) -> Iterator[MetricCorrelation]:
    """Every metric against one aspect that people rated; over systems only where there are two of them.

    Raises UnknownNameError, which names those that were rated.
    """
    rated_aspects = mean_ratings(cases)
    if aspect not in rated_aspects:
        raise UnknownNameError("rated aspect", aspect, rated_aspects)
    systems = np.unique([sample.item.system for sample in cases.samples], return_inverse=True)[1].astype(np.intp)
    names = [name for name in COEFFICIENTS if name not in _SYSTEM_COEFFICIENTS or (systems.size and systems.max())]
    rated = {
        column.name: RatedScores(_oriented_values(column), rated_aspects[aspect], cases.documents)
        for column in cases.columns
    }
    estimates = {
        metric: {name: drawn.estimate(COEFFICIENTS[name](one, systems)) for name in names}
        for metric, one in rated.items()
    }
    tested = {
        name: _williams_against_best(name, rated, estimates, systems, drawn) for name in _TESTED_VALUES if name in names
    }
    for metric in rated:
        against = {name: found[metric] for name, found in tested.items() if metric in found}
        yield MetricCorrelation(metric, aspect, estimates[metric], against)


def _williams_against_best(
    name: str,
    rated: Mapping[str, RatedScores],
    estimates: Mapping[str, Mapping[str, Estimate]],
    systems: Numbers,
    drawn: Resamples,
) -> dict[str, float | None]:
    """Williams's p of each metric against the best, corrected by Holm; None of the best and of what cannot be tested."""
    values = {metric: of[name].value for metric, of in estimates.items()}
    defined = {metric: value for metric, value in values.items() if value is not None}
    best, *others = sorted(defined, key=lambda metric: -defined[metric]) or [""]
    if not others:
        return {}

    def williams_p(other: str) -> float | None:
        shared = _on_shared_summaries(rated[best], rated[other])
        first, second = (_TESTED_VALUES[name](one, systems) for one in shared)
        return williams_test(first, second, drawn).p

    found = holm_correction([williams_p(other) for other in others])
    known = {other: p for other, p in zip(others, found, strict=True) if p is not None}
    return {best: None, **known}


def _on_shared_summaries(first: RatedScores, second: RatedScores) -> tuple[RatedScores, RatedScores]:
    one, two, human = on_shared_cases(first.scores, second.scores, first.human)
    return replace(first, scores=one, human=human), replace(second, scores=two, human=human)


def format_correlations(found: Sequence[MetricCorrelation]) -> str:
    """One line a metric, in columns; * marks the best and = what is not significantly worse, where that was tested."""
    names = list(found[0].estimates) if found else []
    return align_columns(
        [
            ("metric", *names),
            *((one.metric, *(format_marked_correlation(one, name) for name in names)) for one in found),
        ]
    )


def format_marked_correlation(one: MetricCorrelation, name: str) -> str:
    """A correlation with its interval, behind it * for the best and = for what is not significantly worse."""
    return f"{format_correlation(one.estimates[name])} {'*' if one.best(name) else '=' if one.level(name) else ''}".rstrip()


def mean_ratings(cases: Cases) -> dict[str, Values]:
    """The rating of each aspect, (samples,); nan where nobody rated.

    It is the dataset's own summary of its judges where there is one, else the mean over judges of their sentences' mean.
    """
    found: dict[str, Values] = defaultdict(lambda: np.full(len(cases.samples), np.nan))
    for place, sample in enumerate(cases.samples):
        for aspect, values in _ratings_by_aspect(sample).items():
            found[aspect][place] = np.mean(values)
    return dict(found)


def _ratings_by_aspect(sample: Sample) -> dict[str, list[float]]:
    """The ratings of a sample by aspect; of each judge the mean over sentences. What all judges sum up to counts alone."""
    by_judge: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for rating in sample.item.ratings:
        by_judge[rating.aspect][rating.judge].append(rating.value)
    found: dict[str, list[float]] = {}
    for aspect, judges in by_judge.items():
        counted = [judges[ALL_JUDGES]] if ALL_JUDGES in judges else judges.values()
        found[aspect] = [fmean(values) for values in counted]
    if len(sample.item.judgements) > 1:
        found[VERDICT_ASPECT] = [_VERDICT_VALUES[judgement.verdict] for judgement in sample.item.judgements]
    return found


def _oriented_values(column: MetricColumn) -> Values:
    return -column.values if column.direction == "lower" else column.values
