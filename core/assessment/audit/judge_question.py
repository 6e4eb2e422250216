"""The base of questions that judges alone are asked, whose figures are effects beyond a control."""

from __future__ import annotations

from abc import ABC
from dataclasses import replace
from typing import ClassVar, Literal

from core.assessment.audit.question import AuditAnswer, AuditFigure, AuditQuestion, Level, VerdictScale


class JudgeQuestion(AuditQuestion, ABC):
    """Student's interval of an effect holds of few documents too, so that nothing warns of it."""

    scores: ClassVar[bool] = True
    asked_of: ClassVar[Literal["all", "judges"]] = "judges"

    def found(
        self,
        level: Level,
        sentence: str,
        figure: AuditFigure | None = None,
        scale: VerdictScale | None = None,
        most: int | None = None,
    ) -> AuditAnswer:
        finding = super().found(level, sentence, figure, scale, most)
        return finding if level is Level.TOO_FEW else replace(finding, warning="")
