"""Audit question: does layout move it? The same summaries in other layouts, beside the errors that rules put into each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.assessment.audit.evidence import LAYOUT_SOURCES, Evidence
from core.assessment.audit.question import (
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    FigureCase,
    Level,
    Needs,
    VerdictScale,
)
from core.assessment.audit.shown_pairs import shown_shift, shown_shifts
from core.edits import kind_title
from core.results import Shift, document_array, intent_of
from core.stats import SHIFT_TOLERANCE, Estimate, Numbers, Values, cluster_mean, share_estimate

SCALE = VerdictScale(good=0.125, fails=0.3)
"""Of layouts that move it further than half of the errors do, where errors themselves have a half; 30 documents without one tell .12."""
_MOST_NAMED = 3
_UNTOLD_ERRORS = " That errors lower it cannot be told, so that it is no merit where layout moves it by less."


@dataclass(frozen=True, slots=True)
class _LayoutShift:
    """A summary in another layout; `error` is the median of what errors in this summary lower the score by."""

    shift: Shift
    size: float
    error: float

    @property
    def is_further(self) -> bool:
        return self.size > max(self.error, 0.0) + SHIFT_TOLERANCE


@QUESTIONS.add
class LayoutQuestion(AuditQuestion):
    """The battery `layout-1` on at most 40 summaries, against the errors that the battery of the audit puts into the same summary."""

    name: ClassVar[str] = "layout"
    title: ClassVar[str] = "Does layout move it?"
    axis: ClassVar[str] = "layout"
    place: ClassVar[int] = 6
    needs: ClassVar[Needs] = "runs"
    scores: ClassVar[bool] = True
    less_is_better: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        if evidence.card(metric).direction == "neutral":
            return self.not_asked("The metric has no better side.")
        layouts = _layout_shifts(evidence, metric)
        if not layouts:
            return self.not_measured(
                "No summary with a score could be written in another layout, and broken by a rule too."
            )
        share = AuditFigure(
            "layouts that move it further than the median error in the summary", _share(layouts), "share"
        )
        size = AuditFigure(
            "mean size of the shift by layout", _mean(layouts, [layout.size for layout in layouts]), "score"
        )
        errors = _error_drops(evidence, metric)
        drop = AuditFigure("mean fall by errors in the same summaries", _mean_drop(evidence, errors), "score")
        largest = max(layouts, key=lambda layout: layout.size)
        most = AuditFigure("largest shift by layout", Estimate(largest.size, None, None, len(layouts)), "score")
        level, untold = SCALE.level(share.estimate), ""
        if level is Level.GOOD and not _is_positive(drop.estimate):
            level, untold = Level.MEASURED, _UNTOLD_ERRORS
        by_kind = _by_kind(layouts)
        return replace(
            self.found(
                level,
                f"Of the same summaries in other layouts {share} move it further than the median error in the summary: by {_unsigned(size)} "
                f"on average and {_unsigned(most)} at most, where errors lower it by {_unsigned(drop)}.{_most_moving(by_kind)}{untold}",
                share,
                SCALE,
                LAYOUT_SOURCES,
            ),
            brief="layout moves it as far as errors" if level is Level.FAILS else "",
            details=(most, size, drop, *by_kind.values()),
            pairs=shown_shifts(evidence.layout_run, [layout.shift for layout in layouts], abs),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every layout of every summary, with the median error in that."""
        return [
            FigureCase(
                {
                    "layout": kind_title(layout.shift.kind),
                    "size of the shift": layout.size,
                    "median fall by errors in the summary": layout.error,
                    "further": "yes" if layout.is_further else "no",
                },
                shown_shift(evidence.layout_run, layout.shift),
            )
            for layout in _layout_shifts(evidence, metric)
        ]


def _error_drops(evidence: Evidence, metric: str) -> dict[str, list[float]]:
    """By summary that has other layouts, what the score loses by each error in it."""
    sign = 1.0 if evidence.card(metric).direction == "lower" else -1.0
    drops: dict[str, list[float]] = {}
    for shift in evidence.shifts:
        if (
            shift.metric == metric
            and shift.size is not None
            and shift.source in evidence.layout_run.sources
            and intent_of(shift.kind) == "breaking"
        ):
            drops.setdefault(shift.source, []).append(sign * shift.size)
    return drops


def _layout_shifts(evidence: Evidence, metric: str) -> list[_LayoutShift]:
    """The layouts with both scores of summaries into which a rule put an error."""
    errors = {source: float(np.median(drops)) for source, drops in _error_drops(evidence, metric).items()}
    return [
        _LayoutShift(shift, abs(shift.size), errors[shift.source])
        for shift in evidence.layout_shifts
        if shift.metric == metric and shift.size is not None and shift.source in errors
    ]


def _share(layouts: Sequence[_LayoutShift]) -> Estimate:
    further: Values = np.array([layout.is_further for layout in layouts], dtype=np.float64)
    return share_estimate(further, _documents([layout.shift.group for layout in layouts]))


def _mean(layouts: Sequence[_LayoutShift], sizes: Sequence[float]) -> Estimate:
    values: Values = np.array(sizes, dtype=np.float64)
    return cluster_mean(values, _documents([layout.shift.group for layout in layouts]), bounds=(0.0, np.inf))


def _mean_drop(evidence: Evidence, drops: dict[str, list[float]]) -> Estimate:
    sizes: Values = np.array([size for of_source in drops.values() for size in of_source], dtype=np.float64)
    groups = [evidence.run.sources[source].group for source, of_source in drops.items() for _ in of_source]
    return cluster_mean(sizes, _documents(groups))


def _documents(groups: Sequence[str]) -> Numbers:
    return document_array(groups, {group: place for place, group in enumerate(dict.fromkeys(groups))})


def _unsigned(figure: AuditFigure) -> str:
    return str(figure).replace("+", "")


def _is_positive(drop: Estimate) -> bool:
    """True of a mean fall that is certain; where all documents have the same one there is no interval."""
    least = drop.value if drop.low is None else drop.low
    return least is not None and least > 0


def _by_kind(layouts: Sequence[_LayoutShift]) -> dict[str, AuditFigure]:
    """The share of each layout by its spec, those that move it most often first; the mean size of its shift is the remark."""
    by_kind: dict[str, list[_LayoutShift]] = {}
    for layout in layouts:
        by_kind.setdefault(layout.shift.kind, []).append(layout)
    shares = {kind: _share(of_kind) for kind, of_kind in by_kind.items()}
    return {
        kind: AuditFigure(
            f"further than the median error, {kind}",
            shares[kind],
            "share",
            f"mean size {np.mean([layout.size for layout in by_kind[kind]]):.3g}",
        )
        for kind in sorted(by_kind, key=lambda kind: -(shares[kind].value or 0.0))
    }


def _most_moving(by_kind: Mapping[str, AuditFigure]) -> str:
    """A sentence on the layouts that most often move it further than errors; empty where none does."""
    named = [
        f"{kind_title(kind)} ({figure.estimate.value:.0%})"
        for kind, figure in list(by_kind.items())[:_MOST_NAMED]
        if figure.estimate.value
    ]
    return f" Most often: {'; '.join(named)}." if named else ""
