"""Audit question: is the metric better than a detector of changes, which cannot tell an error from a harmless edit?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from core.audit.evidence import Evidence
from core.audit.question import QUESTIONS, Figure, Finding, Level, Question, Scale
from core.audit.shown_pairs import pairs_of_kinds
from core.studies.edit_discrimination import edit_discrimination

SCALE = Scale(good=0.65, fails=0.55)
"""Scale of the figure: .5 for whatever reacts to any change alike, or less where harmless edits change more words."""


@QUESTIONS.add
@dataclass(frozen=True)
class ChangeDetector(Question):
    """The area against harmless edits, beside that against the originals, of the stress run."""

    name: ClassVar[str] = "change-detector"
    title: ClassVar[str] = "Is it better than a detector of changes?"
    axis: ClassVar[str] = "beats a diff"
    place: ClassVar[int] = 2
    page: ClassVar[Literal["", "evaluate", "stress"]] = "stress"
    tab: ClassVar[str] = "shifts"

    def finding(self, evidence: Evidence, metric: str) -> Finding:
        results = edit_discrimination(evidence.run, evidence.shifts)
        result = next((result for result in results if result.metric == metric), None)
        if result is None or result.against_harmless.value is None:
            why = result.against_harmless.why if result else "No summary here could be broken by rule."
            return self.not_measured(why)
        figure = Figure("AUC of broken summaries against harmless edits", result.against_harmless)
        originals = Figure("AUC against their originals", result.against_originals)
        level = SCALE.level(result.against_harmless)
        verdicts = {
            Level.GOOD: "It tells errors from harmless edits",
            Level.WEAK: "It hardly tells errors from harmless edits",
            Level.FAILS: "It tells that a summary was changed, not that it was broken",
        }
        sentence = (
            f"{verdicts.get(level, 'Errors against harmless edits')}: {figure}, against unedited originals {originals}."
        )
        by_kind = [
            Figure(f"AUC against harmless edits, {kind}", both[1], remark=f"against originals {Figure('', both[0])}")
            for kind, both in result.kinds.items()
        ]
        return replace(
            self.found(level, sentence, figure),
            brief="sees changes rather than errors" if level is Level.FAILS else "",
            details=(originals, *by_kind),
            pairs=pairs_of_kinds(evidence.run, evidence.shifts, metric, "breaking", largest=False),
            command=evidence.stress_command(metric),
        )
