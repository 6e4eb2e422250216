"""Whether the number is a probability, and how good a threshold chosen on other documents is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.audit.evidence import Evidence
from core.audit.question import QUESTIONS, Figure, Finding, Question, Scale, worst_level
from core.meta.calibration import FOLDS, DomainCalibration, MetricCalibration, calibrations, domain_slices
from core.meta.cases import Cases
from core.stats.calibration import threshold_decisions
from core.stats.discrimination import LabelledScores
from core.stats.statistic import Estimate, deal_folds, mean

ERROR_SCALE = Scale(good=0.1, fails=0.25)
ACCURACY_SCALE = Scale(good=0.7, fails=0.55)
"""Of the threshold: half is a coin."""


@QUESTIONS.add
@dataclass(frozen=True)
class Calibration(Question):
    """What `cli.py calibration` shows of the metric, and the false alarms of its cross-fitted threshold."""

    name: ClassVar[str] = "calibration"
    title: ClassVar[str] = "Is its number a probability, and is there a threshold?"
    axis: ClassVar[str] = "threshold"
    place: ClassVar[int] = 9

    def finding(self, evidence: Evidence, metric: str) -> Finding:
        column = evidence.column(metric)
        if column is None or column.direction == "neutral":
            return self.not_measured("It has no score of these summaries, or no better side.")
        cases = evidence.cases_with(column)
        if np.isnan(cases.labels).all():
            return self.not_measured("No summary here is labelled.")
        [found] = calibrations(cases, "dataset", evidence.drawn)
        usable = [one for one in found.domains if not one.why]
        if not usable:
            return self.not_measured(found.domains[0].why)
        largest = max(usable, key=lambda one: one.n)
        accuracy = _own_accuracy(found, largest.domain)
        alarms = _false_alarms(evidence, cases, largest.domain)
        figure = Figure("balanced accuracy of a threshold chosen on other documents", accuracy, "share")
        raw = largest.error["raw"]
        levels = [ACCURACY_SCALE.level(accuracy)]
        if raw.value is not None:
            levels.append(ERROR_SCALE.level(raw))
        return replace(
            self.found(worst_level(levels), _sentence(largest, figure, alarms), figure),
            details=_details(largest, alarms),
            command=evidence.cases_command("python cli.py calibration --by dataset", metric)
            + f" --resamples {evidence.resamples}",
        )


def _own_accuracy(found: MetricCalibration, domain: str) -> Estimate:
    return next(one.accuracy for one in found.transfers if one.chosen_on == one.used_on == domain)


def _false_alarms(evidence: Evidence, cases: Cases, domain: str) -> Figure:
    """Consistent summaries that the threshold of other documents refuses."""
    [column] = cases.columns
    [part] = [one for one in domain_slices(cases, "dataset") if one.name == domain]
    labelled = LabelledScores(column.values, cases.labels == 1, cases.documents, column.direction)
    known = part.summaries & ~np.isnan(cases.labels) & ~np.isnan(column.values)
    decisions = threshold_decisions(labelled, known, deal_folds(cases.documents, FOLDS))
    refused = np.where(known & labelled.labels, 1.0 - decisions, np.nan)
    return Figure("false alarms of it", evidence.drawn.estimate(mean(refused, cases.documents)), "share")


def _sentence(domain: DomainCalibration, figure: Figure, alarms: Figure) -> str:
    threshold = "–" if domain.threshold is None else f"{domain.threshold:.3g}"
    raw = domain.error["raw"].value
    probability = (
        "Its scores are no probabilities; after isotonic regression on other documents they are off by "
        f"{domain.error['per domain'].value or 0.0:.3f} on average"
        if raw is None
        else f"Taken as probabilities its scores are off by {raw:.3f} on average (ECE)"
    )
    return f"{probability}. A threshold (on all of the data {threshold}) reaches {figure} of balanced accuracy on documents that it was not chosen on, with {alarms} false alarms."


def _details(domain: DomainCalibration, alarms: Figure) -> tuple[Figure, ...]:
    errors = [Figure(f"ECE, {form}", found, "score") for form, found in domain.error.items()]
    brier = [Figure(f"Brier score, {form}", found, "score") for form, found in domain.brier.items()]
    return tuple(one for one in [alarms, *errors, *brier] if one.estimate.value is not None)
