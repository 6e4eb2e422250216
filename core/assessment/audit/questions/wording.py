"""Audit question of judges: does the wording of the instructions decide? Moves by other words, beyond those by asking again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.assessment.audit.controlled_effect import Effect, rise, worst_effect
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.judge_question import JudgeQuestion
from core.assessment.audit.judge_trials import mean_by_group, per_range
from core.assessment.audit.question import QUESTIONS, AuditAnswer, AuditFigure, FigureCase, VerdictScale
from core.assessment.audit.repeated_scores import RepeatedScores, repeated_scores
from core.assessment.audit.repetition import RepeatedScore
from core.assessment.audit.shown_pairs import text_case

SCALE = VerdictScale(good=0.05, fails=0.2)
"""Of the judge's range, and of its decisions: a judge that answers the question, and not its wording, changes few."""

_BRIEF = "its decisions depend on the wording of its instructions"


@QUESTIONS.add
class Wording(JudgeQuestion):
    """The mean move of a score, and the decisions that flip, under each of the other wordings."""

    name: ClassVar[str] = "wording"
    title: ClassVar[str] = "Does the wording of its instructions decide?"
    axis: ClassVar[str] = "wording"
    place: ClassVar[int] = 18
    less_is_better: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        rewordings = evidence.rewordings.get(metric, ())
        if not rewordings:
            return self.not_asked("There are no other wordings of its instructions.")
        again = repeated_scores(evidence, metric, evidence.repetitions.get(metric))
        by_way = {
            rewording.way: reworded
            for rewording in rewordings
            if (reworded := repeated_scores(evidence, metric, rewording))
        }
        if again is None or not by_way:
            return self.not_measured(
                "No text was scored again and in other words: what chance moves is not known without the former."
            )
        effects = [
            effect
            for way, reworded in by_way.items()
            for effect in _effects(evidence, metric, way, reworded, again, 2 * len(by_way))
        ]
        worst = worst_effect(effects)
        label = worst.figure.label.removesuffix(", beyond asking again")
        sentence = (
            f"Of {len(by_way)} other wordings of its instructions the worst does this beyond asking again in the same words: {label}, "
            f"{worst.figure}.{worst.remark}"
        )
        return replace(
            self.found(worst.level, sentence, worst.figure),
            brief=worst.claim,
            details=(
                *(effect.figure for effect in effects if effect is not worst),
                *(figure for way, reworded in by_way.items() for figure in reworded.details(f", {way}")),
            ),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every text with its first score, that of asking again, and those in other words."""
        again = evidence.repetitions.get(metric)
        ways = [("asked again", again)] if again and again.scores else []
        ways += [(rewording.way, rewording) for rewording in evidence.rewordings.get(metric, ())]
        by_text: dict[str, list[tuple[str, RepeatedScore]]] = {}
        for way, repetition in ways:
            for score in repetition.scores:
                by_text.setdefault(score.example.id, []).append((way, score))
        cases = []
        for scores in by_text.values():
            _, first = scores[0]
            cells = {"first": first.first, **{way: score.second for way, score in scores}}
            cases.append(text_case(first.example, cells, first.first, first.second))
        return cases


def _effects(
    evidence: Evidence, metric: str, way: str, reworded: RepeatedScores, again: RepeatedScores, among: int
) -> Iterator[Effect]:
    """Moves by other words, and flips where there is a threshold, beyond those of asking again."""
    size = abs(per_range(evidence.card(metric)))
    moves = [
        (f"mean move of a score, {way}", size * np.abs(scores.second - scores.first)) for scores in (reworded, again)
    ]
    flips = [
        (f"decisions that flip, {way}", scores.flipped) for scores in (reworded, again) if scores.flipped is not None
    ]
    for (label, treated), (_, control) in [pair for pair in (moves, flips) if len(pair) == 2]:
        # differences of the texts that have both, (n,), and their documents
        controls = {score.example.id: value for score, value in zip(again.scores, control, strict=True)}
        both = [
            (score, value)
            for score, value in zip(reworded.scores, treated, strict=True)
            if score.example.id in controls
        ]
        values = np.array([value - controls[score.example.id] for score, value in both], dtype=np.float64)
        groups = [score.example.document for score, _ in both]
        figure = AuditFigure(f"{label}, beyond asking again", mean_by_group(values, groups, among), "share")
        yield rise(figure, SCALE, _BRIEF)
