"""The student beside its teacher: figures on documents that it did not learn from, and what a pair costs of either."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from core.evaluation.training.card import (
    AREA,
    DIFFERENCE,
    RANKS,
    RESAMPLES,
    STUDENT,
    STUDENT_PEOPLE,
    TEACHER_PEOPLE,
    CardFigure,
)
from core.evaluation.training.training_data import TaughtLabels, TrainingData
from core.models import format_money
from core.scoring import METRICS, Engine
from core.stats import (
    LabelledScores,
    RatedScores,
    Resamples,
    Values,
    auc,
    compare_paired,
    markdown_table,
    spearman,
)
from core.types import Example

_TIMED = 65
"""Pairs by which the student is timed; the first one, which loads it, does not count."""


def teacher_figures(data: TrainingData, taught: TaughtLabels, held_out: Values) -> list[CardFigure]:
    """Correlation of ranks of student and teacher, and where people labelled at least both kinds, the AUC of both by their labels.

    `held_out` are scores of the student, (rows,), nan where it has none on a document that it did not learn from.
    """
    draws = Resamples.draw(data.document_count(), RESAMPLES)
    own = np.array([row.origin == "labelled" for row in data.rows])
    figures = []
    for of, rows in ((STUDENT, own), (f"{STUDENT}, generated summaries", ~own)):
        if np.any(rows & ~np.isnan(taught.scores) & ~np.isnan(held_out)):
            rated = RatedScores(held_out[rows], taught.scores[rows], data.documents[rows])
            figures.append(CardFigure(of, RANKS, draws.estimate(spearman(rated))))
    judged = ~(np.isnan(taught.people) | np.isnan(held_out) | np.isnan(taught.scores))
    if len(np.unique(taught.people[judged])) < 2:
        return figures
    student, teacher = (
        draws.of(auc(LabelledScores(scores[judged], taught.people[judged] == 1, data.documents[judged])))
        for scores in (held_out, taught.scores)
    )
    return [
        *figures,
        CardFigure(STUDENT_PEOPLE, AREA, student.estimate()),
        CardFigure(TEACHER_PEOPLE, AREA, teacher.estimate()),
        CardFigure(STUDENT_PEOPLE, DIFFERENCE, compare_paired(student, teacher).difference),
    ]


def time_student(engine: Engine, spec: str, data: TrainingData, held_out: Values) -> float | None:
    """Mean seconds of the written metric for a pair, over some of those that were held out; None for fewer than two."""
    rows = [data.rows[place] for place in np.flatnonzero(~np.isnan(held_out))[:_TIMED]]
    examples = [Example(str(place), row.document, row.summary) for place, row in enumerate(rows)]
    metrics, begun, timed = [METRICS.parse(spec)], 0.0, 0
    for part in (examples[:1], examples[1:]):
        begun = perf_counter()
        timed = len(list(engine.run(metrics, part)))
    return (perf_counter() - begun) / timed if timed else None


def teacher_section(taught: TaughtLabels, figures: Sequence[CardFigure], student_seconds: float | None) -> str:
    """The section of the card: whose verdicts the labels are, how near the student comes, and the cost of both."""
    rows = [
        [figure.of, figure.measure, figure.text, str(figure.estimate.n), str(figure.estimate.documents)]
        for figure in figures
    ]
    costs = [
        ["teacher", _milliseconds(taught.pair_seconds), _money(taught.pair_money), str(taught.pairs)],
        ["this metric", _milliseconds(student_seconds), "0, it runs on your machine", ""],
    ]
    people = int(np.sum(~np.isnan(taught.people)))
    return f"""
## The teacher

The labels are verdicts of {taught.teacher}: a score of {taught.cut} means consistent, {taught.cut_source}. "Labelled summaries" are labelled by it, no matter what people said; {people or "none"} of the
rows have a label of people besides. Where the teacher errs, this metric learned the error.

{markdown_table(["of", "measure", "value", "n", "documents"], rows)}

{markdown_table(["a pair of", "milliseconds", "money", "pairs scored"], costs)}

Milliseconds are by the clock on the machine that trained, those of the teacher as it was asked: several pairs at once, with the loading of
its models. Money is in the currency of the endpoint's prices, by the usage that the server counted.
"""


def _milliseconds(seconds: float | None) -> str:
    return "not measured" if seconds is None else f"{1000 * seconds:.3g}"


def _money(money: float | None) -> str:
    return "unknown" if money is None else format_money(money)
