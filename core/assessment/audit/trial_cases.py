"""Trials of a judge as the cases and pairs behind a figure."""

from __future__ import annotations

from collections.abc import Sequence

from core.assessment.audit.judge_trials import ScoredTrial
from core.assessment.audit.question import MOST_SHOWN_PAIRS, FigureCase, ShownPair


def trial_case(scored: ScoredTrial, before: str, after: str) -> FigureCase:
    """Every form of a summary with its score, and the two forms to show."""
    cells = {"variety": scored.trial.title or None, **scored.scores}
    return FigureCase(cells, trial_pair(scored, before, after))


def trial_pair(scored: ScoredTrial, before: str, after: str) -> ShownPair:
    """Two forms of the summary; where they differ in the document alone, as the remark says, the summary is the same."""
    arms = scored.trial.arms
    return ShownPair(
        scored.trial.source,
        "",
        arms[before].summary,
        arms[after].summary,
        scored.scores[before],
        scored.scores[after],
        f"{before} → {scored.trial.title or after}",
    )


def shown_trials(trials: Sequence[ScoredTrial], before: str, after: str, sign: float = 1.0) -> tuple[ShownPair, ...]:
    """The pairs of the largest moves in one direction."""
    moves = [(sign * trial.contrast({before: -1.0, after: 1.0}), trial) for trial in trials]
    rising = sorted((move for move in moves if move[0] > 0), key=lambda move: -move[0])
    return tuple(trial_pair(trial, before, after) for _, trial in rising[:MOST_SHOWN_PAIRS])
