"""Audit question: is the metric better than a detector of changes, which cannot tell an error from a harmless edit?"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.label_doubt import label_doubt
from core.assessment.audit.question import (
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    Level,
    Needs,
    VerdictScale,
    worst_level,
)
from core.assessment.audit.shown_pairs import pairs_of_kinds
from core.evaluation import against_edits_of_people
from core.stats import MIN_TEST_DOCUMENTS, Estimate

SCALE = VerdictScale(good=0.65, fails=0.55)
"""Scale of the areas against harmless edits: .5 for whatever reacts to any change alike."""

ORIGINALS_SCALE = VerdictScale(good=0.51, fails=0.5)
"""An error must cost something at all: below one half broken summaries score better than what they were made of."""


@QUESTIONS.add
class ChangeDetectorQuestion(AuditQuestion):
    """The areas against harmless edits, by rule, of the same length and by people, and against the originals: the worst counts."""

    name: ClassVar[str] = "change-detector"
    title: ClassVar[str] = "Is it better than a detector of changes?"
    axis: ClassVar[str] = "more than change"
    place: ClassVar[int] = 3
    needs: ClassVar[Needs] = "runs"
    page: ClassVar[Literal["", "evaluate", "stress"]] = "stress"
    tab: ClassVar[str] = "shifts"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        column = evidence.column(metric)
        people = AuditFigure(
            "AUC of inconsistent against consistent edits by people",
            evidence.drawn.estimate(against_edits_of_people(evidence.cases, column))
            if column
            else Estimate(None, None, None, 0),
        )
        if metric in evidence.released:
            return self._of_people(evidence, metric, people)
        result = evidence.discriminations.get(metric)
        if result is None or result.against_harmless.value is None:
            error = result.against_harmless.error if result else "No summary here could be broken by rule."
            return self.not_measured(error)
        harmless = AuditFigure("AUC of broken summaries against harmless edits", result.against_harmless)
        matched = AuditFigure("AUC against harmless edits of the same length", result.against_matched)
        originals = AuditFigure("AUC against their originals", result.against_originals)
        doubted = bool(label_doubt(evidence, metric))
        levels = {
            figure.label: (ORIGINALS_SCALE if figure is originals else SCALE).level(figure.estimate)
            for figure in (harmless, matched, people, originals)
            if figure.estimate.value is not None
            and figure.estimate.documents >= MIN_TEST_DOCUMENTS
            and not (figure is people and doubted)
        }
        level = worst_level(list(levels.values())) if harmless.label in levels else Level.TOO_FEW
        figure = next(
            (figure for figure in (harmless, matched, people, originals) if levels.get(figure.label) is level), harmless
        )
        against_originals = levels.get(originals.label, Level.TOO_FEW)
        verdicts = {
            Level.GOOD: "It tells errors from harmless edits",
            Level.WEAK: "It hardly tells errors from harmless edits",
            Level.FAILS: "It tells that a summary was changed, not that it was broken"
            if against_originals is Level.GOOD
            else "It does not score a broken summary below its original",
        }
        uncounted = ", which does not count as the labels look wrong" if doubted else ""
        by_people = f"; of edits that people labelled {people}{uncounted}" if people.estimate.value is not None else ""
        sentence = (
            f"{verdicts.get(level, 'Errors against harmless edits')}: {harmless}, against those of the same length {matched}, "
            f"against unedited originals {originals}{by_people}."
        )
        by_kind = [
            AuditFigure(
                f"AUC against harmless edits, {kind}", both[1], remark=f"against originals {AuditFigure('', both[0])}"
            )
            for kind, both in result.kinds.items()
        ]
        return replace(
            self.found(level, sentence, figure, ORIGINALS_SCALE if figure is originals else SCALE),
            brief=_brief(level, against_originals),
            details=tuple(
                detail
                for detail in (harmless, matched, originals, people, *by_kind)
                if detail is not figure and detail.estimate.value is not None
            ),
            pairs=pairs_of_kinds(evidence.run, evidence.shifts, metric, "breaking", largest=False),
            command=evidence.stress_command(metric),
        )

    def _of_people(self, evidence: Evidence, metric: str, people: AuditFigure) -> AuditAnswer:
        """Judge scores that were given by the edits of the data alone."""
        if people.estimate.value is None:
            return self.not_asked()
        level = SCALE.level(people.estimate)
        sentence = f"Edits that people found inconsistent against those that they found consistent: {people}. Edits by rule need new scores."
        return replace(self.found(level, sentence, people, SCALE), command=evidence.audit_command(metric))


def _brief(level: Level, against_originals: Level) -> str:
    if level is not Level.FAILS:
        return ""
    return "sees changes rather than errors" if against_originals is Level.GOOD else "sees neither errors nor changes"
