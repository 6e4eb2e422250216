"""Audit question of judges: does the scale decide? Pairs that are far apart on its own scale, asked about on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.assessment.audit.controlled_effect import rise, worst_effect
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.judge_question import JudgeQuestion
from core.assessment.audit.judge_trials import BROKEN, FAITHFUL, ScoredTrial, mean_by_group, per_range, share_by_group
from core.assessment.audit.question import QUESTIONS, AuditAnswer, AuditFigure, FigureCase, VerdictScale
from core.assessment.audit.trial_cases import trial_pair
from core.results import score_array
from core.stats import Values

SCALE = VerdictScale(good=0.05, fails=0.2)

_CLEAR = 0.5
"""Of its range: the two levels of yes and no can show such a difference wherever it lies."""
_GAP: Mapping[str, float] = {FAITHFUL: 1.0, BROKEN: -1.0}


@QUESTIONS.add
class JudgeScale(JudgeQuestion):
    """The pairs whose order is lost on another scale beyond those that lose it when they are asked about again on the same."""

    name: ClassVar[str] = "scale"
    title: ClassVar[str] = "Does the scale decide?"
    axis: ClassVar[str] = "scale"
    place: ClassVar[int] = 17
    less_is_better: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        judge = evidence.judges[metric]
        if not judge.scales:
            return self.not_asked("It has a prompt for one scale only.")
        pairs = judge.of("pair")
        gaps = _gaps(pairs)
        clear = np.abs(gaps * per_range(evidence.card(metric))) > _CLEAR
        groups = [pair.trial.group for pair in pairs]
        chance = _lost(gaps, _gaps(judge.of("pair", judge.again.spec)), clear)
        effects, shares = [], [AuditFigure("order lost, asked again", share_by_group(chance, groups), "share")]
        for other in judge.scales:
            lost = _lost(gaps, _gaps(judge.of("pair", other.spec)), clear)
            beyond = mean_by_group(lost - chance, groups, len(judge.scales))
            figure = AuditFigure(f"order of pairs lost, {other.spec}, beyond asking again", beyond, "share")
            effects.append(rise(figure, SCALE, "its scale decides which summary is better"))
            shares.append(AuditFigure(f"order lost, {other.spec}", share_by_group(lost, groups), "share"))
        worst = worst_effect(effects)
        if worst.figure.estimate.value is None:
            return self.not_measured("No pair is further apart than half of its scale: other scales need not show it.")
        return replace(
            self.found(
                worst.level,
                f"Of {int(clear.sum())} pairs that are further apart than half of its range, another scale loses the order of "
                f"{worst.figure} beyond those that lose it by chance ({worst.figure.label}).{worst.remark}",
                worst.figure,
            ),
            brief=worst.claim,
            details=(*(effect.figure for effect in effects if effect is not worst), *shares),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every pair with both scores on each scale, and asked again."""
        judge = evidence.judges[metric]
        ways = {"first": judge.metric, "asked again": judge.again, **{scale.spec: scale for scale in judge.scales}}
        scored = {way: judge.of("pair", of.spec) for way, of in ways.items()}
        cases = []
        for place, pair in enumerate(judge.of("pair")):
            sides = [(way, of[place], arm) for way, of in scored.items() for arm in (FAITHFUL, BROKEN)]
            cells = {f"{arm}, {way}": trial.scores[arm] for way, trial, arm in sides}
            cases.append(FigureCase(cells, trial_pair(pair, FAITHFUL, BROKEN)))
        return cases


def _gaps(pairs: Sequence[ScoredTrial]) -> Values:
    return score_array(pair.contrast(_GAP) for pair in pairs)


def _lost(gaps: Values, others: Values, clear: np.ndarray) -> Values:
    """1 where the other gap has not the same sign, (n,); nan where a score is missing, and for pairs that are not clear."""
    usable = clear & ~np.isnan(gaps) & ~np.isnan(others)
    return np.where(usable, (np.sign(gaps) != np.sign(others)).astype(np.float64), np.nan)
