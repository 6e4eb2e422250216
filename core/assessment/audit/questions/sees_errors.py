"""Audit question: does it see errors? The area under the ROC curve on labelled summaries, overall and by error type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from core.assessment.audit.evidence import Evidence, overall_row
from core.assessment.audit.question import (
    MOST_SHOWN_PAIRS,
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    Level,
    Needs,
    ShownPair,
    VerdictScale,
    format_figure,
    worst_level,
)
from core.results import OVERALL_SLICE, Cases, MeasuresRow, MetricColumn, pairs_in_slice, slice_cases
from core.stats import MIN_TEST_DOCUMENTS, Estimate, auc, worth_with_scores
from core.types import Sample

SCALE = VerdictScale(good=0.75, fails=0.6)
"""An area of .5 is a coin; published metrics of today lie between .7 and .9 on edited summaries."""

_HUNDRED = 100.0
_LEAST_GAIN = 101.0  # labels, that 100 must be worth to be told


@QUESTIONS.add
class SeesErrorsQuestion(AuditQuestion):
    """Figures of the study of measures for the metric, by error type where the data have types."""

    name: ClassVar[str] = "sees-errors"
    title: ClassVar[str] = "Does it see errors?"
    axis: ClassVar[str] = "sees errors"
    place: ClassVar[int] = 2
    needs: ClassVar[Needs] = "runs"
    page: ClassVar[Literal["", "evaluate", "stress"]] = "evaluate"
    tab: ClassVar[str] = "measures"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        column = evidence.column(metric)
        if column is None:
            return self.not_measured("It has no score of these summaries.")
        by = _error_field(evidence.cases.samples)
        cases = evidence.cases_with(column)
        rows = evidence.rows(metric, slice_cases(cases, by), ("consistency", "ties", "auc"))
        overall = overall_row(rows)
        if overall is None or overall.figures["auc"].estimate.value is None:
            return self.not_measured(
                "The data have no labels of both kinds: name data with consistent and inconsistent summaries."
            )
        area = AuditFigure("area under the ROC curve", overall.figures["auc"].estimate)
        # the area if every summary without a score stood on the wrong end
        labelled = evidence.labelled(metric)
        if labelled is None:
            worst_area = Estimate(None, None, None, 0)
        else:
            worst_area = evidence.drawn.estimate(auc(labelled.with_failures_worst()))
        worst = AuditFigure("area, failures counted as the worst scores", worst_area)
        types = [row for row in rows if row.slice != OVERALL_SLICE]
        worth = _worth(evidence, metric)
        level = SCALE.level(area.estimate)
        if evidence.misses_too_many(metric):
            level = worst_level([level, SCALE.level(worst.estimate)])
        [every, *_] = slice_cases(cases)
        gains = pairs_in_slice(cases, every, column).gains
        order = [place for place in np.argsort(gains) if not np.isnan(gains[place]) and gains[place] <= 0]
        worst_pairs = tuple(_shown(cases, column, *cases.pairs[place]) for place in order[:MOST_SHOWN_PAIRS])
        whole = [
            AuditFigure(
                "pairs whose faithful side scores strictly higher", overall.figures["consistency"].estimate, "share"
            ),
            AuditFigure("pairs whose sides tie", overall.figures["ties"].estimate, "share"),
        ]
        by_type = [
            AuditFigure(f"AUC, {row.slice}", row.figures["auc"].estimate, remark=_consistency_of(row)) for row in types
        ]
        details = tuple(figure for figure in [*whole, *by_type] if figure.estimate.value is not None)
        return replace(
            self.found(level, f"{_sentence(area, worst, types)}{_worth_sentence(worth)}", area, SCALE),
            brief=_brief(area, types, level),
            details=(*details, worst, *([worth] if worth else [])),
            pairs=worst_pairs,
            command=evidence.cases_command(
                f"python cli.py study measures --by {by}" if by else "python cli.py study measures", metric
            ),
            by=by or "",
        )


def _error_field(samples: Sequence[Sample]) -> str | None:
    if any(sample.item.error_type for sample in samples):
        return "error_type"
    return "category" if any(sample.item.categories for sample in samples) else None


def _worth(evidence: Evidence, metric: str) -> AuditFigure | None:
    """Labels that 100 labels with the metric's scores are worth where a share is estimated (prediction-powered inference)."""
    labelled = evidence.labelled(metric)
    if labelled is None:
        return None
    worth = worth_with_scores(labelled.scores, (~labelled.labels).astype(np.float64), labelled.documents)
    if worth is None:
        return None
    most = max(_HUNDRED, float(worth.n))  # no more than there are summaries here
    estimate = worth.rescaled(lambda times: min(_HUNDRED * times, most))
    return AuditFigure("labels that 100 human labels with it are worth", estimate, "count")


def _worth_sentence(worth: AuditFigure | None) -> str:
    if worth is None or worth.estimate.value is None:
        return ""
    if worth.estimate.value < _LEAST_GAIN:
        return " To estimate the share of inconsistent summaries it adds nothing to human labels."
    return f" With it, 100 human labels are worth {worth} where the share of inconsistent summaries is estimated."


def _sentence(area: AuditFigure, worst: AuditFigure, types: Sequence[MeasuresRow]) -> str:
    ranked = _ranked(types)
    by_type = (
        f" By type the area is highest for {_named(ranked[0])} and lowest for {_named(ranked[-1])}."
        if len(ranked) > 1
        else ""
    )
    whole = f"A consistent summary scores above an inconsistent one with a chance of {area}."
    if area.estimate.n != worst.estimate.n:
        whole += f" With those that have no score counted as the worst ones it is {worst}."
    if _is_inverted(area):
        whole = f"It is inverted: the inconsistent summaries score better. {whole} Turned round it would be good."
    return f"{whole}{by_type}"


def _is_inverted(area: AuditFigure) -> bool:
    """True if the same scores with the other sign would be good."""
    estimate = area.estimate
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return False
    return (
        SCALE.level(replace(estimate, value=1 - estimate.value, low=1 - estimate.high, high=1 - estimate.low))
        is Level.GOOD
    )


_BRIEFS = {Level.GOOD: "sees errors", Level.WEAK: "sees some errors", Level.FAILS: "blind to errors"}


def _brief(area: AuditFigure, types: Sequence[MeasuresRow], level: Level) -> str:
    """The verdict with the area, then the types for which their own intervals allow another one."""
    value = _short(area.estimate.value)
    if _is_inverted(area):
        return f"inverted: errors score higher (AUC {value})"
    ranked = _ranked(types)
    levels = [SCALE.level(row.figures["auc"].estimate) for row in ranked]
    if level is Level.GOOD and len(ranked) > 1 and set(levels) == {Level.GOOD}:
        return f"sees errors of every type (AUC {value})"
    others = [
        *([f"sees {_named(ranked[0])}"] if level is not Level.GOOD and Level.GOOD in levels[:1] else []),
        *([f"blind to {_named(ranked[-1])}"] if level is not Level.FAILS and Level.FAILS in levels[-1:] else []),
    ]
    if level not in _BRIEFS:
        return ", ".join([f"AUC {value}, too uncertain for a verdict", *others])
    return ", ".join([f"{_BRIEFS[level]} (AUC {value})", *others])


def _ranked(types: Sequence[MeasuresRow]) -> list[MeasuresRow]:
    """The single types with enough documents for a verdict, the best first; families repeat them."""
    judged = [
        row
        for row in types
        if row.figures["auc"].estimate.value is not None
        and row.figures["auc"].estimate.documents >= MIN_TEST_DOCUMENTS
        and not row.slice.startswith(("Intrinsic Error", "Extrinsic Error"))
    ]
    return sorted(judged, key=lambda row: -(row.figures["auc"].estimate.value or 0.0))


def _named(row: MeasuresRow) -> str:
    return f"{row.slice.lower()} errors (AUC {_short(row.figures['auc'].estimate.value)})"


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".removeprefix("0")


def _consistency_of(row: MeasuresRow) -> str:
    consistency = row.figures["consistency"].estimate
    return f"consistency {format_figure(consistency, 'share')}" if consistency.value is not None else ""


def _shown(cases: Cases, column: MetricColumn, good: int, bad: int) -> ShownPair:
    faithful, broken = cases.samples[good], cases.samples[bad]
    return ShownPair(
        source=faithful.item.example.id,
        kind="",
        before=faithful.item.example.summary,
        after=broken.item.example.summary,
        score_before=float(column.values[good]),
        score_after=float(column.values[bad]),
        remark=" · ".join(filter(None, [str(broken.item.error_type or ""), broken.item.title])),
        stored=broken.stored,
    )
