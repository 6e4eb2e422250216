"""Audit question of judges: does the place decide? Two summaries in both orders, an error first and last, evidence early and late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.assessment.audit.controlled_effect import Effect, bias, worst_effect
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.judge_measurement import ComparedPair
from core.assessment.audit.judge_question import JudgeQuestion
from core.assessment.audit.judge_trials import (
    FIRST_AGAINST_LAST,
    WRONG_FIRST,
    WRONG_LAST,
    effect,
    mean_by_group,
    per_range,
    share_by_group,
)
from core.assessment.audit.question import QUESTIONS, AuditAnswer, AuditFigure, FigureCase, VerdictScale
from core.assessment.audit.trial_cases import shown_trials, trial_case
from core.results import score_array

SCALE = VerdictScale(good=0.05, fails=0.2)
"""Of the judge's range."""
ORDER_SCALE = VerdictScale(good=0.1, fails=0.3)
"""Of the comparisons; two orders of 40 pairs tell no less."""

_EXPERIMENTS = 3


@QUESTIONS.add
class JudgePosition(JudgeQuestion):
    """The same things at two places: only the place differs, so that a judge that reads all places alike gets 0."""

    name: ClassVar[str] = "position"
    title: ClassVar[str] = "Does the place decide?"
    axis: ClassVar[str] = "position"
    place: ClassVar[int] = 16
    zero_is_best: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        compared = evidence.judges[metric].comparisons
        groups = [pair.trial.group for pair in compared]
        wins = mean_by_group(score_array(map(first_place_wins, compared)), groups, _EXPERIMENTS)
        order = AuditFigure("two summaries in both orders: wins of the first − wins of the second", wins, "score")
        fall = effect(
            evidence.judges[metric].of("error place"), FIRST_AGAINST_LAST, evidence.card(metric), _EXPERIMENTS
        )
        place = AuditFigure("fall by an error in the first sentence − by the same in the last", fall, "score")
        effects = [
            bias(order, ORDER_SCALE, ("prefers the summary shown first", "prefers the summary shown second")),
            bias(place, SCALE, ("minds errors at the beginning more", "minds errors at the end more")),
            _evidence_place(evidence, metric),
        ]
        measured = [effect for effect in effects if effect.figure.estimate.value is not None]
        if not measured:
            return self.not_measured("No summary could be broken by rule, or it has no score of these.")
        worst = worst_effect(measured)
        figures = "; ".join(f"{effect.figure.label}: {effect.figure}" for effect in measured)
        remarks = "".join(dict.fromkeys(effect.remark for effect in measured))
        sentence = f"As shares of its range or of the answers, {figures}.{remarks}"
        # share of the pairs of which the two orders say different things, by the place or by chance
        shares = [
            np.nan if pair.comparison is None else float(pair.comparison.preference == "order-inconsistent")
            for pair in compared
        ]
        estimate = share_by_group(score_array(shares), groups)
        differing = AuditFigure("two summaries in both orders: different answers", estimate, "share")
        return replace(
            self.found(worst.level, sentence, worst.figure),
            brief=worst.claim,
            details=(*(effect.figure for effect in measured if effect is not worst), differing),
            pairs=shown_trials(evidence.judges[metric].of("error place"), WRONG_FIRST, WRONG_LAST),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every summary with its error first and last, and without it in the same orders."""
        return [trial_case(scored, WRONG_FIRST, WRONG_LAST) for scored in evidence.judges[metric].of("error place")]


def first_place_wins(compared: ComparedPair) -> float:
    """Wins of what was shown first minus those of what was shown second, by the number of orders: -1 to 1, nan without an answer."""
    if compared.comparison is None:
        return np.nan
    values = {"original": 1, "edited": -1}
    original_first, edited_first = compared.comparison.original_first, compared.comparison.edited_first
    return (values.get(original_first, 0) - values.get(edited_first, 0)) / 2


def _evidence_place(evidence: Evidence, metric: str) -> Effect:
    """Gain of the faithful side with the evidence early in a long document minus that with it late."""
    gains: dict[tuple[str, str], dict[str, float]] = {}
    groups: dict[tuple[str, str], str] = {}
    for pair in evidence.placed:
        if pair.metric == metric:
            faithful, broken = score_array([pair.faithful, pair.broken])
            gains.setdefault((pair.source, pair.kind), {})[pair.place] = faithful - broken
            groups[pair.source, pair.kind] = pair.group
    values = score_array(of.get("early", np.nan) - of.get("late", np.nan) for of in gains.values())
    scaled = values * per_range(evidence.card(metric))
    estimate = mean_by_group(scaled, list(groups.values()), _EXPERIMENTS)
    figure = AuditFigure("fall by an error with its evidence early in a long document − late", estimate, "score")
    return bias(figure, SCALE, ("reads the beginning of a document more", "reads the end of a document more"))
