"""Audit question of judges: does length decide? A wrong summary said twice, against its document longer by as many words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from core.assessment.audit.controlled_effect import bias
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.judge_question import JudgeQuestion
from core.assessment.audit.judge_trials import CONTROL, PLAIN, TREATED, effect
from core.assessment.audit.question import QUESTIONS, AuditAnswer, AuditFigure, FigureCase, VerdictScale
from core.assessment.audit.trial_cases import shown_trials, trial_case

SCALE = VerdictScale(good=0.05, fails=0.2)
"""Of the judge's range."""


@QUESTIONS.add
class Verbosity(JudgeQuestion):
    """Both forms are as long a question and say nothing new; only in one of them it is the summary that is longer."""

    name: ClassVar[str] = "verbosity"
    title: ClassVar[str] = "Does length decide?"
    axis: ClassVar[str] = "verbosity"
    place: ClassVar[int] = 19
    zero_is_best: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        trials, card = evidence.judges[metric].of("length"), evidence.card(metric)
        beyond, lift, control = (
            effect(trials, weights, card)
            for weights in ({TREATED: 1.0, CONTROL: -1.0}, {TREATED: 1.0, PLAIN: -1.0}, {CONTROL: 1.0, PLAIN: -1.0})
        )
        figure = AuditFigure("rise by a summary said twice, beyond a document as much longer", beyond, "score")
        if beyond.value is None:
            return self.not_measured("No wrong summary has a score in every form.")
        preference = bias(figure, SCALE, ("likes long summaries better", "likes short summaries better"))
        return replace(
            self.found(
                preference.level,
                f"Said twice, a wrong summary moves by {figure} of the range beyond what as many harmless words in the document "
                f"do.{preference.remark}",
                figure,
            ),
            brief=preference.claim,
            details=(
                AuditFigure("rise by a summary said twice", lift, "score"),
                AuditFigure("rise by a document longer by as many words", control, "score"),
            ),
            pairs=shown_trials(trials, PLAIN, TREATED, 1.0 if beyond.value > 0 else -1.0),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every wrong summary as it is, said twice, and with its document longer."""
        return [trial_case(scored, PLAIN, TREATED) for scored in evidence.judges[metric].of("length")]
