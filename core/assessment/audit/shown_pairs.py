"""The texts and the pairs of a stress run that stand behind a finding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from core.assessment.audit.question import MOST_SHOWN_PAIRS, FigureCase, ShownPair
from core.edits import PERTURBATIONS, Intent
from core.results import Shift, StressRun, intent_of
from core.scoring import METRICS
from core.stats import Mask
from core.types import Example, Sample


def pairs_of_kinds(
    run: StressRun, shifts: Sequence[Shift], metric: str, intent: Intent, *, largest: bool
) -> tuple[ShownPair, ...]:
    """Variants of one intent, those of the largest shifts first, or those that fell least, of different sources."""
    sign = -1.0 if METRICS.parse(metric).card.direction == "lower" else 1.0
    intent_shifts = [shift for shift in shifts if shift.metric == metric and intent_of(shift.kind) == intent]
    return shown_shifts(run, intent_shifts, abs if largest else (lambda size: sign * size))


def shown_shifts(run: StressRun, shifts: Iterable[Shift], rank: Callable[[float], float]) -> tuple[ShownPair, ...]:
    """The shifts of the highest rank, one of each source."""
    by_rank = [(rank(shift.size), shift) for shift in shifts if shift.size is not None]
    by_source: dict[str, Shift] = {}
    for _, shift in sorted(by_rank, key=lambda ranked: -ranked[0]):
        by_source.setdefault(shift.source, shift)
    return tuple(shown_shift(run, shift) for shift in list(by_source.values())[:MOST_SHOWN_PAIRS])


def shown_shift(run: StressRun, shift: Shift) -> ShownPair:
    """A shift as its pair of summaries."""
    source, variant = run.sources[shift.source], run.variants[shift.source, shift.kind]
    title = PERTURBATIONS.parse(shift.kind).card.title
    return ShownPair(
        source=shift.source,
        kind=shift.kind,
        before=source.example.summary,
        after=variant.summary or "",
        score_before=shift.before,
        score_after=shift.after,
        remark=" · ".join(filter(None, [title, source.title])),
    )


def labelled_case(sample: Sample, score: float, cells: Mapping[str, str | float | None]) -> FigureCase:
    """A labelled summary that figures were counted from; its score is nan where there is none."""
    shown_score = None if math.isnan(score) else score
    summary, intended = sample.item.example.summary, sample.item.intended
    pair = ShownPair(sample.item.example.id, "", summary, summary, shown_score, shown_score, stored=sample.stored)
    return FigureCase({"label": intended.value if intended else None, "score": shown_score, **cells}, pair)


def text_case(
    text: Example, cells: Mapping[str, str | float | None], first: float | None, second: float | None
) -> FigureCase:
    """A text that was scored twice, or once."""
    return FigureCase(cells, ShownPair(text.id, "", text.summary, text.summary, first, second))


def format_decisions(accepted: Mask, decided: Mask) -> list[str | None]:
    """Decision of a threshold on each score, (n,); None where nothing was decided."""
    return [
        ("accepted" if is_accepted else "refused") if is_decided else None
        for is_accepted, is_decided in zip(accepted, decided, strict=True)
    ]
