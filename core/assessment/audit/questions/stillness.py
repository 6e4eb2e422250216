"""Audit question: does it stay still when nothing changed? The shift by errors over the shift by harmless edits."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

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
from core.assessment.audit.shown_pairs import pairs_of_kinds
from core.evaluation import edits_of_run, metric_sensitivities
from core.results import MatrixCell
from core.stats import MIN_TEST_DOCUMENTS, Estimate, Move, format_ratio

SCALE = VerdictScale(good=2.0, fails=1.0)
"""At 1 an error moves the metric as far as nothing does."""


@QUESTIONS.add
class StillnessQuestion(AuditQuestion):
    """The sensitivity of `cli.py study shifts --view sensitivity`, and each harmless kind against the null band."""

    name: ClassVar[str] = "stillness"
    title: ClassVar[str] = "Does it stay still when nothing changed?"
    axis: ClassVar[str] = "stays still"
    place: ClassVar[int] = 7
    needs: ClassVar[Needs] = "runs"
    scores: ClassVar[bool] = True
    page: ClassVar[Literal["", "evaluate", "stress"]] = "stress"
    tab: ClassVar[str] = "shifts"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        edits = [edit for edit in edits_of_run(evidence.run, evidence.shifts) if edit.metric == metric]
        if not edits:
            return self.not_measured("No summary here could be edited by rule.")
        sensitivity = metric_sensitivities(edits, evidence.run.plan.seed)[0]
        cells = metric_cells(evidence, metric)
        harmless = [cell for cell in cells if cell.intent == "preserving"]
        figure = AuditFigure("shift by an error ÷ shift by a harmless edit", sensitivity.ratio, "quotient")
        nothing_moves_it = sensitivity.ratio.value is None and sensitivity.benign.value == 0
        level = _level_of_gain(sensitivity.correction) if nothing_moves_it else SCALE.level(sensitivity.ratio)
        moved = [cell.kind for cell in harmless if cell.move is Move.WRONG]
        clear = [cell.kind for cell in harmless if cell.is_clear]
        kinds = f"{len(moved)} of {len(harmless)} harmless kinds move its mean beyond the noise of the others"
        listed = f": {', '.join(moved)}" if moved else ""
        unedited = f", {len(clear)} against no edit at all{': ' if clear else ''}{', '.join(clear)}"
        first = (
            f"No harmless edit moves it; a correction gains {AuditFigure('', sensitivity.correction, 'score')}."
            if nothing_moves_it
            else sensitivity.ratio.error
            if sensitivity.ratio.value is None
            else f"An error moves it {format_ratio(sensitivity.ratio)} times as far as a harmless edit."
        )
        return replace(
            self.found(level, f"{first} {kinds}{listed}{unedited}.", figure, SCALE),
            brief=""
            if level is not Level.FAILS
            else "stands still for errors too"
            if nothing_moves_it
            else "moves as far for nothing as for an error",
            details=(
                AuditFigure("mean gain by a correction", sensitivity.correction, "score"),
                AuditFigure("mean shift by a harmless edit", sensitivity.benign, "score"),
                *(
                    AuditFigure(f"mean shift, {cell.kind}", cell.shift, "score", cell.move.value, cell.edge)
                    for cell in cells
                ),
            ),
            pairs=pairs_of_kinds(evidence.run, evidence.shifts, metric, "preserving", largest=True),
            command=f"{evidence.stress_command(metric)}\npython cli.py study shifts run.jsonl --view sensitivity",
        )


def _level_of_gain(gain: Estimate) -> Level:
    """Verdict on a metric that no harmless edit moves: good where a correction certainly gains, failing where it certainly does not."""
    if gain.documents < MIN_TEST_DOCUMENTS or gain.ends is None:
        return Level.TOO_FEW
    low, high = gain.ends
    return Level.GOOD if low > 0 else Level.FAILS if high <= 0 else Level.TOO_FEW


def metric_cells(evidence: Evidence, metric: str) -> list[MatrixCell]:
    """Each kind of edits of the stress run of an audit against the null band."""
    return [cell for cell in evidence.cells if cell.metric == metric]
