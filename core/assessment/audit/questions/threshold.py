"""Audit question: is there a threshold? Balanced accuracy and false alarms on documents that it was not chosen on, and of a saved one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import (
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    FigureCase,
    Level,
    Needs,
    VerdictScale,
    worst_level,
)
from core.assessment.audit.shown_pairs import format_decisions, labelled_case
from core.evaluation import calibrations, decision_figures, domain_slices
from core.results import OVERALL_SLICE, Cases, slice_cases
from core.stats import (
    FOLDS,
    LabelledScores,
    LabelMatrix,
    cohen_kappa,
    deal_folds,
    gwet_ac1,
    nominal_distance,
    raw_agreement,
    share,
    threshold_decisions,
)

SCALE = VerdictScale(good=0.7, fails=0.55)
"""Half is a coin."""


@QUESTIONS.add
class ThresholdQuestion(AuditQuestion):
    """The cross-fitted threshold of the study `calibration` for the metric, its false alarms, and those of a saved one."""

    name: ClassVar[str] = "threshold"
    title: ClassVar[str] = "Is there a threshold?"
    axis: ClassVar[str] = "threshold"
    place: ClassVar[int] = 14
    needs: ClassVar[Needs] = "scores"
    page: ClassVar[Literal["", "evaluate", "stress"]] = "evaluate"
    tab: ClassVar[str] = "calibration"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        column = evidence.column(metric)
        if column is None or column.direction == "neutral":
            return self.not_measured("It has no score of these summaries, or no better side.")
        cases = evidence.cases_with(column)
        if np.isnan(cases.labels).all():
            return self.not_measured("No summary here is labelled.")
        saved = _saved_figures(evidence, cases, metric)
        [calibration] = calibrations(cases, "dataset", evidence.drawn)
        usable = [domain for domain in calibration.domains if not domain.error]
        if not usable:
            return (
                self._of_saved_threshold(evidence, metric, saved)
                if saved
                else self.not_measured(calibration.domains[0].error)
            )
        largest = max(usable, key=lambda domain: domain.n)
        accuracy = next(
            transfer.accuracy
            for transfer in calibration.transfers
            if transfer.chosen_on == transfer.used_on == largest.domain
        )
        alarms = _false_alarms(evidence, cases, largest.domain)
        figure = AuditFigure("balanced accuracy of a threshold chosen on other documents", accuracy, "share")
        levels = [SCALE.level(accuracy), *([_saved_level(saved)] if saved else [])]
        threshold = "–" if largest.threshold is None else f"{largest.threshold:.3g}"
        sentence = (
            f"A threshold (on all of the data {threshold}) reaches {figure} of balanced accuracy on documents that it was not chosen "
            f"on, with {alarms} false alarms."
        )
        finding = self.found(
            worst_level(levels),
            f"{sentence}{_saved_sentence(evidence, metric, saved)}",
            figure,
            SCALE,
        )
        return replace(
            finding,
            details=(*saved, alarms, *_agreement_with_labels(evidence, cases)),
            command=evidence.cases_command("python cli.py study calibration --by dataset", metric)
            + f" --resamples {evidence.resamples}",
            by="dataset",
            warning=" ".join(filter(None, [finding.warning, *_saved_untold(saved), _saved_warning(evidence, metric)])),
        )

    def _of_saved_threshold(self, evidence: Evidence, metric: str, saved: Sequence[AuditFigure]) -> AuditAnswer:
        """Judge a threshold that was chosen elsewhere, where there are too few labels to choose one."""
        level = _saved_level(saved)
        finding = self.found(level, _saved_sentence(evidence, metric, saved).strip(), saved[0], SCALE)
        return replace(
            finding,
            details=tuple(saved[1:]),
            command=evidence.audit_command(metric),
            warning=" ".join(filter(None, [finding.warning, _saved_warning(evidence, metric)])),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every labelled summary with the decision of the threshold of other documents, and of a saved one."""
        column = evidence.column(metric)
        if column is None or column.direction == "neutral":
            return ()
        cases = evidence.cases_with(column)
        labelled = LabelledScores(column.values, cases.labels == 1, cases.documents, column.direction)
        usable = ~np.isnan(cases.labels) & ~np.isnan(column.values)
        fitted = threshold_decisions(labelled, usable, deal_folds(cases.documents, FOLDS))
        decisions = {"threshold of other documents": format_decisions(fitted == 1, usable & ~np.isnan(fitted))}
        threshold = evidence.threshold(metric)
        if threshold and metric in evidence.saved_thresholds:
            decisions["saved threshold"] = format_decisions(threshold.accepts(labelled), usable)
        return [
            labelled_case(
                cases.samples[place], float(column.values[place]), {name: of[place] for name, of in decisions.items()}
            )
            for place in np.flatnonzero(usable).tolist()
        ]


def _saved_figures(evidence: Evidence, cases: Cases, metric: str) -> tuple[AuditFigure, ...]:
    """Balanced accuracy, false alarms and misses at the saved threshold, overall and by domain; none where none is saved."""
    if metric not in evidence.saved_thresholds:
        return ()
    parts = [part for part in slice_cases(cases, "domain") if part.summaries.any()]
    if len(parts) < 3:  # one domain alone is all of it
        parts = parts[:1]
    [column] = cases.columns
    labelled = LabelledScores(column.values, cases.labels == 1, cases.documents, column.direction)
    threshold = evidence.threshold(metric)
    accepted = threshold.accepts(labelled).astype(np.float64) if threshold else np.zeros(len(cases.labels))
    figures: list[AuditFigure] = []
    for part in parts:
        decisions = np.where(part.summaries & ~np.isnan(column.values), accepted, np.nan)
        performance = decision_figures(labelled, decisions, evidence.drawn)
        where = "" if part.name == OVERALL_SLICE else f", {part.name}"
        figures += [
            AuditFigure(f"balanced accuracy at the saved threshold{where}", performance["accuracy"], "share"),
            AuditFigure(f"false alarms at the saved threshold{where}", performance["false_alarms"], "share"),
            AuditFigure(f"missed at the saved threshold{where}", performance["missed"], "share"),
        ]
    return tuple(figures)


def _saved_level(saved: Sequence[AuditFigure]) -> Level:
    """Verdict on the saved threshold; one that accepts all or none has half of balanced accuracy on any texts, whatever the interval."""
    accuracy, alarms, missed = (figure.estimate for figure in saved[:3])
    decides_nothing = {alarms.value, missed.value} == {0.0, 1.0}
    return SCALE.observed_level(accuracy) if decides_nothing else SCALE.level(accuracy)


def _saved_untold(saved: Sequence[AuditFigure]) -> list[str]:
    """A sentence on the saved threshold where its figure gives no verdict."""
    if not saved or _saved_level(saved) is not Level.TOO_FEW:
        return []
    return [f"Of the saved threshold: {SCALE.untold(saved[0].estimate)}"]


def _saved_sentence(evidence: Evidence, metric: str, saved: Sequence[AuditFigure]) -> str:
    if not saved:
        return ""
    own, (_, alarms, missed, *_) = evidence.saved_thresholds[metric], saved
    return (
        f" The saved threshold {own.value:.3g} ({own.name}) refuses {alarms} of the consistent summaries and accepts {missed} of "
        "the inconsistent ones."
    )


def _saved_warning(evidence: Evidence, metric: str) -> str:
    saved = evidence.saved_thresholds.get(metric)
    hashes = {facts.sha256 for facts in saved.data} if saved else set()
    if hashes.isdisjoint(facts.sha256 for facts in evidence.data.facts):
        return ""
    return "The saved threshold was chosen on these data: its figures flatter it."


def _false_alarms(evidence: Evidence, cases: Cases, domain: str) -> AuditFigure:
    """Consistent summaries that the threshold of other documents refuses."""
    [column] = cases.columns
    [part] = [part for part in domain_slices(cases, "dataset") if part.name == domain]
    labelled = LabelledScores(column.values, cases.labels == 1, cases.documents, column.direction)
    usable = part.summaries & ~np.isnan(cases.labels) & ~np.isnan(column.values)
    decisions = threshold_decisions(labelled, usable, deal_folds(cases.documents, FOLDS))
    refused = np.where(usable & labelled.labels, 1.0 - decisions, np.nan)
    return AuditFigure("false alarms of it", evidence.drawn.estimate(share(refused, cases.documents)), "share")


def _agreement_with_labels(evidence: Evidence, cases: Cases) -> list[AuditFigure]:
    """Agreement of its decisions with the labels, by the threshold of other documents: in per cent, and corrected for chance.

    Per cent alone flatters whoever always gives the commoner verdict. None where a threshold cannot be chosen.
    """
    [column] = cases.columns
    labelled = LabelledScores(column.values, cases.labels == 1, cases.documents, column.direction)
    usable = ~np.isnan(cases.labels) & ~np.isnan(column.values)
    decisions = threshold_decisions(labelled, usable, deal_folds(cases.documents, FOLDS))
    both = usable & ~np.isnan(decisions)
    if not both.any():
        return []
    matrix = LabelMatrix(np.where(both[:, None], np.column_stack([cases.labels, decisions]), np.nan), cases.documents)
    kappa = cohen_kappa(matrix, 0, 1, nominal_distance)
    return [
        AuditFigure("labels that its decisions agree with", evidence.drawn.estimate(raw_agreement(matrix)), "share"),
        AuditFigure("Cohen's kappa of its decisions and the labels", evidence.drawn.estimate(kappa), "score"),
        AuditFigure("Gwet's AC1 of its decisions and the labels", evidence.drawn.estimate(gwet_ac1(matrix)), "score"),
    ]
