"""What an edit showed, in one sentence: how many metrics noticed it, and what one metric does under every kind of edit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.perturbation import Intent
from core.stats.score_pairs import Move
from core.stress.matrix import MatrixCell
from core.types import Verdict

_EDITS = {
    Verdict.INCONSISTENT: "The edit makes the summary inconsistent",
    Verdict.CONSISTENT: "The edit keeps the meaning",
    None: "If this edit breaks a fact",
}


def edit_verdict(moves: Sequence[Move], intended: Verdict | None) -> str:
    """How many metrics reacted as they should; empty without moves. Metrics without a better side are not counted."""
    counted = [move for move in moves if move is not Move.NONE]
    if not counted:
        return ""
    unknown = counted.count(Move.UNKNOWN)
    judged = len(counted) - unknown
    found = _of_preserving(counted, judged) if intended is Verdict.CONSISTENT else _of_breaking(counted, judged)
    rest = f" Noise unknown of {unknown}." if unknown else ""
    return f"{_EDITS[intended]}: {found}.{rest}"


def metric_verdicts(cells: Iterable[MatrixCell]) -> dict[str, str]:
    """A sentence for each metric: of how many kinds of edits its mean shift is beyond noise, and which way.

    Kinds of which the noise is not known, and those under which the metric has no score, are not counted.
    """
    by_metric: dict[str, list[MatrixCell]] = {}
    for cell in cells:
        by_metric.setdefault(cell.metric, []).append(cell)
    return {metric: _metric_verdict(of_metric) for metric, of_metric in by_metric.items()}


def _of_breaking(moves: Sequence[Move], judged: int) -> str:
    return (
        f"{moves.count(Move.RIGHT)} of {judged} metrics noticed, {moves.count(Move.WRONG)} moved the wrong way, "
        f"{moves.count(Move.STILL)} stayed within noise"
    )


def _of_preserving(moves: Sequence[Move], judged: int) -> str:
    return f"{moves.count(Move.WRONG)} of {judged} metrics moved by more than noise, {moves.count(Move.STILL)} stayed within it"


def _metric_verdict(cells: Sequence[MatrixCell]) -> str:
    parts = [
        _count_kinds(cells, "breaking", {Move.STILL, Move.WRONG}, "misses {} of {} breaking kinds"),
        _count_kinds(cells, "preserving", {Move.WRONG}, "moves under {} of {} harmless"),
        _count_kinds(cells, "gaming", {Move.WRONG}, "gamed by {} of {} phrases"),
    ]
    return ", ".join(filter(None, parts))


def _count_kinds(cells: Sequence[MatrixCell], intent: Intent, bad: set[Move], words: str) -> str:
    known = [cell.move for cell in cells if cell.intent == intent and cell.move not in (Move.UNKNOWN, Move.NONE)]
    return words.format(sum(move in bad for move in known), len(known)) if known else ""
