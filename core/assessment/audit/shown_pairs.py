"""The texts and the pairs of a stress run that stand behind a finding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from core.assessment.audit.question import MOST_SHOWN_PAIRS, Case, ShownPair
from core.edits.perturbation import PERTURBATIONS, Intent
from core.results.runs.run import Run, intent_of
from core.results.runs.shifts import Shift
from core.scoring.metric import METRICS
from core.stats.statistic import Mask
from core.types import Example, Sample


def pairs_of_kinds(
    run: Run, found: Sequence[Shift], metric: str, intent: Intent, *, largest: bool
) -> tuple[ShownPair, ...]:
    """Variants of one intent, those of the largest shifts first, or those that fell least, of different sources."""
    sign = -1.0 if METRICS.parse(metric).card.direction == "lower" else 1.0
    chosen = [shift for shift in found if shift.metric == metric and intent_of(shift.kind) == intent]
    return shown_shifts(run, chosen, abs if largest else (lambda size: sign * size))


def shown_shifts(run: Run, found: Iterable[Shift], rank: Callable[[float], float]) -> tuple[ShownPair, ...]:
    """The shifts of the highest rank, one of each source."""
    known = [(rank(shift.size), shift) for shift in found if shift.size is not None]
    by_source: dict[str, Shift] = {}
    for _, shift in sorted(known, key=lambda ranked: -ranked[0]):
        by_source.setdefault(shift.source, shift)
    return tuple(shown_shift(run, shift) for shift in list(by_source.values())[:MOST_SHOWN_PAIRS])


def shown_shift(run: Run, shift: Shift) -> ShownPair:
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


def labelled_case(sample: Sample, score: float, cells: Mapping[str, str | float | None]) -> Case:
    """A labelled summary that figures were counted from; its score is nan where there is none."""
    known = None if math.isnan(score) else score
    summary, intended = sample.item.example.summary, sample.item.intended
    pair = ShownPair(sample.item.example.id, "", summary, summary, known, known, stored=sample.stored)
    return Case({"label": intended.value if intended else None, "score": known, **cells}, pair)


def text_case(
    text: Example, cells: Mapping[str, str | float | None], first: float | None, second: float | None
) -> Case:
    """A text that was scored twice, or once."""
    return Case(cells, ShownPair(text.id, "", text.summary, text.summary, first, second))


def format_decisions(accepted: Mask, decided: Mask) -> list[str | None]:
    """Decision of a threshold on each score, (n,); None where nothing was decided."""
    return [("accepted" if one else "refused") if known else None for one, known in zip(accepted, decided, strict=True)]
