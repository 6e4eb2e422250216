"""The stress matrix of a hardened metric on documents that it did not learn from, beside the same training without the run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.evaluation.training.card import (
    BROKEN,
    HARMLESS,
    LEFT_ALONE,
    NOTICED,
    PAIR_SHARE,
    RESAMPLES,
    WITHOUT,
    CardFigure,
)
from core.evaluation.training.training_data import StressRows
from core.results import intent_of
from core.stats import (
    Mask,
    Resamples,
    ScorePairs,
    Values,
    consistency_share,
    markdown_table,
    noise_range,
    share,
    with_least_ends,
)


def stress_figures(stress: StressRows, before: Values, after: Values) -> list[CardFigure]:
    """Figures of the rows of a stress run that were not learned from; scores are (rows,), nan for the others.

    A broken variant is noticed that falls further below its original than the middle 95 % of harmless ones of other kinds,
    a harmless one is left alone that stays within these. `before` are scores by the training without the run.
    """
    draws = Resamples.draw(int(stress.documents.max()) + 1, RESAMPLES)
    pairs = np.array(stress.pairs)
    kinds = np.array([stress.rows[variant].kind for _, variant in stress.pairs])
    wrong = np.array([stress.rows[variant].wrong for _, variant in stress.pairs])
    documents = stress.documents[pairs[:, 1]]
    parts = [
        (BROKEN, NOTICED, wrong),
        (HARMLESS, LEFT_ALONE, ~wrong),
        *(
            (kind, NOTICED if intent_of(kind) == "breaking" else LEFT_ALONE, kinds == kind)
            for kind in dict.fromkeys(kinds.tolist())
        ),
    ]
    figures = []
    for scores, suffix in ((after, ""), (before, WITHOUT)):
        scored = ScorePairs(scores[pairs[:, 0]], scores[pairs[:, 1]], documents)
        broken = ScorePairs(scored.original[wrong], scored.edited[wrong], documents[wrong])
        figures.append(CardFigure(f"{BROKEN}{suffix}", PAIR_SHARE, draws.estimate(consistency_share(broken))))
        right = _right_moves(scored.shifts, kinds, wrong)
        for of, measure, mask in parts:
            figures.append(CardFigure(f"{of}{suffix}", measure, draws.estimate(share(right[mask], documents[mask]))))
    return figures


def _right_moves(shifts: Values, kinds: NDArray[np.str_], wrong: Mask) -> Values:
    """1 for a variant that is noticed or left alone as it should be, else 0, (pairs,); nan where the noise is not known."""
    moves = np.full(len(shifts), np.nan)
    defined = ~np.isnan(shifts)
    for kind in np.unique(kinds):
        others = noise_range(shifts[defined & ~wrong & (kinds != kind)])
        if others is None:
            continue
        low, high = with_least_ends(*others)
        of_kind = defined & (kinds == kind)
        right = np.where(wrong, shifts < low, (shifts >= low) & (shifts <= high))
        moves[of_kind] = right[of_kind]
    return moves


def stress_section(stress: StressRows, figures: Sequence[CardFigure]) -> str:
    """The section of the card: the matrix."""
    estimates = {(figure.of, figure.measure): figure for figure in figures}
    rows = [
        [
            of,
            measure,
            estimates[of + WITHOUT, measure].text,
            figure.text,
            str(figure.estimate.n),
            str(figure.estimate.documents),
        ]
        for (of, measure), figure in estimates.items()
        if (of + WITHOUT, measure) in estimates
    ]
    variants = [stress.rows[variant].wrong for _, variant in stress.pairs]
    return f"""
## The stress run

{stress.name}: {variants.count(False)} harmless and {variants.count(True)} broken variants, of which those on documents that were learned from
drew the log probabilities of an original and its harmless variant together, and of an original and its broken variant apart.
All figures are of the other documents. A broken variant is noticed that falls further below its original than the middle 95 % of the
harmless variants of other kinds; a harmless one is left alone that stays within these.

{markdown_table(["kind", "measure", "without the run", "hardened", "n", "documents"], rows)}
"""
