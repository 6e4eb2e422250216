"""Whether a metric tells broken summaries from unbroken ones: from their originals, and from harmless edits of them.

A detector of changes separates broken summaries from originals, and not from summaries that were changed without harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.runs.run import Run, intent_of
from core.runs.shifts import STRESS_RESAMPLES, Shift, pairs_of_shifts
from core.stats.bootstrap import Resamples
from core.stats.discrimination import LabelledScores, auc
from core.stats.statistic import Estimate
from core.stats.text_tables import align_columns, format_unsigned


@dataclass(frozen=True, slots=True)
class EditDiscrimination:
    """The area under the ROC curve of one metric, broken summaries against their originals and against harmless edits.

    `kinds` holds the same two for each breaking kind alone.
    """

    metric: str
    against_originals: Estimate
    against_harmless: Estimate
    kinds: dict[str, tuple[Estimate, Estimate]]


def edit_discrimination(
    run: Run, found: Sequence[Shift], resamples: int = STRESS_RESAMPLES
) -> list[EditDiscrimination]:
    """Every metric that has shifts under a breaking kind; intervals by document, the same draws for all."""
    numbers = {group: place for place, group in enumerate(dict.fromkeys(shift.group for shift in found))}
    if not numbers:
        return []
    drawn = Resamples.draw(len(numbers), resamples, run.plan.seed)
    intents = {kind: intent_of(kind) for kind in run.plan.kinds}
    made = []
    for metric in run.plan.metrics:
        of_metric = [shift for shift in found if shift.metric == metric]
        broken = [shift for shift in of_metric if intents[shift.kind] == "breaking"]
        harmless = [shift for shift in of_metric if intents[shift.kind] == "preserving"]
        if broken:
            made.append(_of_metric(metric, broken, harmless, numbers, drawn))
    return made


def _of_metric(
    metric: str, broken: Sequence[Shift], harmless: Sequence[Shift], numbers: dict[str, int], drawn: Resamples
) -> EditDiscrimination:
    def both(chosen: Sequence[Shift]) -> tuple[Estimate, Estimate]:
        originals = LabelledScores.of(pairs_of_shifts(metric, chosen, numbers))
        edits = _labelled(metric, chosen, harmless, numbers)
        return drawn.estimate(auc(originals)), drawn.estimate(auc(edits))

    by_kind = {
        kind: [shift for shift in broken if shift.kind == kind] for kind in dict.fromkeys(s.kind for s in broken)
    }
    return EditDiscrimination(metric, *both(broken), {kind: both(of_kind) for kind, of_kind in by_kind.items()})


def _labelled(
    metric: str, broken: Sequence[Shift], harmless: Sequence[Shift], numbers: dict[str, int]
) -> LabelledScores:
    """The edited sides of both: harmless ones are consistent."""
    bad, good = (pairs_of_shifts(metric, shifts, numbers) for shifts in (broken, harmless))
    return LabelledScores(
        np.concatenate([good.edited, bad.edited]),
        np.repeat([True, False], [len(good.edited), len(bad.edited)]),
        np.concatenate([good.documents, bad.documents]),
        bad.direction,
    )


def format_discrimination(found: Sequence[EditDiscrimination]) -> str:
    """One line a metric and breaking kind, in columns; nothing without breaking kinds."""
    lines = [
        (one.metric, kind, *map(format_unsigned, both), str(both[0].n), str(both[1].n))
        for one in found
        for kind, both in {"all breaking": (one.against_originals, one.against_harmless), **one.kinds}.items()
    ]
    head = ("metric", "kind", "AUC against originals", "AUC against harmless edits", "n", "n")
    return align_columns([head, *lines]) if lines else ""
