"""Audit question: is the number a probability? The calibration error of the scores as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import (
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    Level,
    Needs,
    VerdictScale,
)
from core.evaluation import DomainCalibration, calibrations

SCALE = VerdictScale(good=0.1, fails=0.25)
"""Of the error. A number that is the share of consistent summaries for all of them has none, and tells nothing: it is not good."""


@QUESTIONS.add
class CalibrationQuestion(AuditQuestion):
    """Errors of the study `calibration` for the metric."""

    name: ClassVar[str] = "calibration"
    title: ClassVar[str] = "Is its number a probability?"
    axis: ClassVar[str] = "probability error"
    place: ClassVar[int] = 13
    needs: ClassVar[Needs] = "scores"
    page: ClassVar[Literal["", "evaluate", "stress"]] = "evaluate"
    tab: ClassVar[str] = "calibration"
    less_is_better: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        column = evidence.column(metric)
        if column is None or column.direction == "neutral":
            return self.not_measured("It has no score of these summaries, or no better side.")
        cases = evidence.cases_with(column)
        if np.isnan(cases.labels).all():
            return self.not_measured("No summary here is labelled.")
        [result] = calibrations(cases, "dataset", evidence.drawn)
        usable = [domain for domain in result.domains if not domain.error]
        if not usable:
            return self.not_measured(result.domains[0].error)
        largest = max(usable, key=lambda domain: domain.n)
        raw = largest.calibration_error["raw"]
        if raw.value is None:
            finding = self.not_measured(f"{raw.error} {_fitted_sentence(largest)}")
        else:
            figure = AuditFigure("expected calibration error (ECE)", raw, "score")
            level, sentence = (
                SCALE.observed_level(raw),
                f"Taken as probabilities its scores are off by {raw.value:.3f} on average (ECE).",
            )
            # the Brier score of the share of consistent summaries, given to every one of them
            share, own_brier = float(np.nanmean(cases.labels)), largest.brier["raw"]
            tells_more = own_brier.ends is not None and own_brier.ends[1] < share * (1 - share)
            if level is Level.GOOD and not tells_more:
                level = Level.WEAK
                sentence += " They tell no more than the share of consistent summaries would (Brier score)."
            finding = self.found(level, f"{sentence} {_fitted_sentence(largest)}", figure)
        errors = [AuditFigure(f"ECE, {form}", result, "score") for form, result in largest.calibration_error.items()]
        brier = [AuditFigure(f"Brier score, {form}", result, "score") for form, result in largest.brier.items()]
        details = tuple(figure for figure in [*errors, *brier] if figure.estimate.value is not None)
        return replace(
            finding,
            details=details,
            command=evidence.cases_command("python cli.py study calibration --by dataset", metric)
            + f" --resamples {evidence.resamples}",
            by="dataset",
        )


def _fitted_sentence(domain: DomainCalibration) -> str:
    """The error that is left once the scores were fitted."""
    fitted = domain.calibration_error["per domain"].value
    return "" if fitted is None else f"After isotonic regression on other documents they are off by {fitted:.3f}."
