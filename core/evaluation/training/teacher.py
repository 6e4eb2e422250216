"""Labels by a teacher: a metric or judge that scores the pairs of a training and corruptions of them, or scores that lie in the data."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import inf, isfinite

import numpy as np

from core.edits import Battery
from core.errors import BadSettingError, Problem, TouchstoneError, attempt
from core.evaluation.training.teacher_scores import TeacherRun, first_error, mean_money, mean_seconds, pair_key
from core.evaluation.training.training_data import (
    TaughtLabels,
    TrainingData,
    deal_by_kind,
    generated_rows,
    learnable_rows,
    new_places,
    row_documents,
    training_data,
)
from core.evaluation.training.training_row import TrainingRow
from core.models import TrainingStep
from core.scoring import METRICS, Metric, portable_spec
from core.stats import FEW_PAIRS, LabelledScores, Mask, Values, choose_threshold, number_documents
from core.text import recover
from core.types import Item, Span, Split, StoredScore, Verdict

_PEOPLE = {Verdict.CONSISTENT: 1.0, Verdict.INCONSISTENT: 0.0}


@dataclass(frozen=True, slots=True)
class Teacher:
    """Teacher of a training: the spec of a metric, or the name of a score that the data have.

    From the `cut` on its score means consistent, in its own units; None has it chosen. `budget` is money at endpoints, None for any.
    """

    name: str
    released: bool = False
    cut: float | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        if self.cut is not None and not isfinite(self.cut):
            raise BadSettingError(
                f"The cut of a teacher is {self.cut}, and no score is on either side of it. Name a number."
            )

    def metric(self) -> Metric:
        """Raises UnknownNameError, BadSettingError; the latter also for a metric without a better side or with no score on one side of the cut."""
        metric = METRICS.parse(self.name)
        if metric.card.direction == "neutral":
            raise BadSettingError(
                f"{self.name} describes the surface: neither side of it is more consistent, so that it labels nothing. Name another teacher."
            )
        low, high = (
            -inf if metric.card.low is None else metric.card.low,
            inf if metric.card.high is None else metric.card.high,
        )
        if self.cut is not None and not low <= self.cut <= high:
            raise BadSettingError(
                f"The cut of the teacher is {self.cut:g}, and scores of {self.name} lie between {low:g} and {high:g}. Name one of these."
            )
        return metric

    @property
    def shown(self) -> str:
        """Name of the teacher on a card, without places of this machine."""
        if self.released:
            return self.name
        metric = self.metric()
        return portable_spec(metric.spec, metric.checkpoints())

    @property
    def sign(self) -> float:
        """Sign that makes more of a score more consistent; scores in the data are so already."""
        return -1.0 if not self.released and self.metric().card.direction == "lower" else 1.0

    def format_cut(self, cut: float) -> str:
        """The cut, given with higher for more consistent, in the units of the teacher."""
        return f"{cut:.4g} or more" if self.sign > 0 else f"{-cut:.4g} or less"


def released_names(items: Sequence[Item]) -> list[str]:
    """Names of the scores that items have, which may be teachers."""
    return sorted({score.metric for item in items for score in item.scores})


def add_scores(items: Sequence[Item], metric: str, scores: Mapping[str, float]) -> list[Item]:
    """Items with scores of a metric by their ids, of ours with the sign that makes more more consistent.

    Raises TouchstoneError where no id of an item has a score.
    """
    ours = attempt(lambda: METRICS.parse(metric))
    sign = -1.0 if not isinstance(ours, Problem) and ours.card.direction == "lower" else 1.0
    if not any(item.example.id in scores for item in items):
        raise TouchstoneError(
            f"None of {len(items)} pairs has a score of {metric}. Score the same file: the ids must be equal."
        )
    return [
        replace(item, scores=(*item.scores, StoredScore(metric, sign * scores[item.example.id])))
        if item.example.id in scores
        else item
        for item in items
    ]


def rows_to_score(
    items: Sequence[Item], share: float, seed: int, battery: Battery
) -> tuple[list[TrainingRow], dict[str, int]]:
    """Rows of all pairs that may be learned from, labelled or not, with generated ones up to a `share` of all.

    What was left out is counted by its reason. `wrong` of a pair is False, of a generated row as its rule meant it: a teacher has
    the last word. Raises TouchstoneError below 20 documents.
    """
    unlabelled = [replace(item, intended=Verdict.CONSISTENT, error_type=None, categories=()) for item in items]
    rows, left_out = learnable_rows(unlabelled)
    rows = [replace(row, wrong_words=None) for row in rows]
    made = deal_by_kind(list(generated_rows(rows, seed, battery)), len(rows), share, seed) if share else []
    return [*rows, *made], left_out


def labels_by_metric(
    teacher: Teacher, items: Sequence[Item], run: TeacherRun
) -> Generator[TrainingStep, None, TrainingData]:
    """The rows of the run with the verdicts of its metric. Raises TouchstoneError where the metric fails, or the cut must be named."""
    scored = yield from run.ask(teacher.budget)
    scores = np.array([np.nan if (value := scored[pair_key(row)].score) is None else value for row in run.rows])
    scores *= teacher.sign
    has_score = ~np.isnan(scores)
    if not has_score.any():
        raise TouchstoneError(f"{teacher.name} scored none of {len(run.rows)} pairs: {first_error(scored)}")
    rows = [row for row, keep in zip(run.rows, has_score, strict=True) if keep]
    scores, people = scores[has_score], _people(items, rows)
    cut, source = _cut(teacher, scores, people, rows)
    labelled = _with_verdicts(rows, scores >= cut)
    dropped = {"that the teacher has no score for": int((~has_score).sum())} if not has_score.all() else {}
    taught = TaughtLabels(
        teacher.shown,
        scores,
        people,
        teacher.format_cut(cut),
        source,
        len(scored),
        mean_seconds(scored),
        mean_money(scored),
    )
    _require_both({row.wrong for row in labelled}, len(labelled), teacher)
    return TrainingData(labelled, row_documents(labelled), {**run.left_out, **dropped}, taught=taught)


def labels_by_released(
    teacher: Teacher, items: Sequence[Item], share: float, seed: int, battery: Battery
) -> TrainingData:
    """Training data whose labels are the verdicts of scores that the items have; corruptions are labelled by their rule.

    Raises TouchstoneError where no item has the score, or the cut must be named.
    """
    values = {
        item.example.id: score.value
        for item in items
        for score in item.scores
        if score.metric == teacher.name and score.value is not None
    }
    with_score = [item for item in items if item.example.id in values or item.split is Split.TEST]
    if not values:
        named = ", ".join(released_names(items)) or "none"
        raise TouchstoneError(f"No pair has a score called {teacher.name}. Scores of the data: {named}.")
    own = [item for item in with_score if item.split is not Split.TEST]
    scores = np.array([values[item.example.id] for item in own])
    people = np.array([_PEOPLE.get(item.intended, np.nan) if item.intended else np.nan for item in own])
    cut, source = _cut(teacher, scores, people, [])
    verdicts = [
        replace(
            item,
            intended=Verdict.CONSISTENT if values.get(item.example.id, cut) >= cut else Verdict.INCONSISTENT,
            error_type=None,
            categories=(),
        )
        for item in with_score
    ]
    _require_both(
        {item.intended is Verdict.INCONSISTENT for item in verdicts if item.split is not Split.TEST}, len(own), teacher
    )
    data = training_data(verdicts, share, seed, battery)
    rows_scores = np.array([values.get(row.id, np.nan) if row.origin == "labelled" else np.nan for row in data.rows])
    taught = TaughtLabels(
        teacher.shown,
        rows_scores,
        _people(items, data.rows),
        teacher.format_cut(cut),
        source,
        len(own),
        pair_seconds=None,
        pair_money=None,
    )
    without = len(items) - len(with_score)
    left_out = {**data.left_out, "without a score of the teacher": without} if without else data.left_out
    return replace(data, taught=taught, left_out=left_out)


def _people(items: Sequence[Item], rows: Sequence[TrainingRow]) -> Values:
    """Labels of people for rows, (rows,): 1, 0, or nan for a row that is generated or has none."""
    by_id = {item.example.id: _PEOPLE[item.intended] for item in items if item.intended in _PEOPLE}
    return np.array(
        [by_id.get(row.id, np.nan) if row.origin == "labelled" else np.nan for row in rows], dtype=np.float64
    )


def _cut(teacher: Teacher, scores: Values, people: Values, rows: Sequence[TrainingRow]) -> tuple[float, str]:
    """The score from which on a row is consistent, higher for more consistent, and where it is from.

    The named one; else the best one by the labels of people, of whom there are enough of both kinds; else the best one that tells
    corruptions from sentences of documents and harmless edits.
    """
    if teacher.cut is not None:
        return teacher.sign * teacher.cut, "as it was named"
    labelled = ~np.isnan(people)
    if _enough(people[labelled] == 1):
        return _best(
            scores[labelled], people[labelled] == 1
        ), f"by the labels of people for {int(labelled.sum())} pairs"
    made = np.array([row.origin != "labelled" for row in rows], dtype=np.bool_)
    right = np.array([not row.wrong for row in rows], dtype=np.bool_)[made]
    if _enough(right):
        return (
            _best(scores[made], right),
            f"by {int((~right).sum())} corruptions beside {int(right.sum())} harmless edits and sentences of documents",
        )
    raise TouchstoneError(
        f"The score from which on {teacher.name} calls a summary consistent is not known: there are fewer than {FEW_PAIRS} labels of people of a kind"
        f"{'' if teacher.released else ', and fewer corruptions'}. Name it with --teacher-cut"
        f"{'' if teacher.released else ', or take a larger share of corruptions'}."
    )


def _enough(right: Mask) -> bool:
    return min(int(right.sum()), int((~right).sum())) >= FEW_PAIRS


def _best(scores: Values, right: Mask) -> float:
    documents = number_documents([place] for place in range(len(scores)))
    return choose_threshold(LabelledScores(scores, right, documents)).value


def _with_verdicts(rows: Sequence[TrainingRow], accepted: Mask) -> tuple[TrainingRow, ...]:
    """The rows with the teacher's verdict in the place of their label; which words are wrong is known of an edit of a consistent row."""
    right = {(row.document, row.id): row for row, good in zip(rows, accepted, strict=True) if good}
    labelled = []
    for row, good in zip(rows, accepted.tolist(), strict=True):
        parent = right.get((row.document, row.parent)) if row.parent else None
        words: tuple[Span, ...] | None = () if good else None
        if parent and not good:
            words = row.wrong_words if row.wrong else new_places(recover(parent.summary, row.summary))
        labelled.append(replace(row, wrong=not good, wrong_words=words))
    return tuple(labelled)


def _require_both(wrong: Set[bool], pairs: int, teacher: Teacher) -> None:
    if len(wrong) < 2:
        raise TouchstoneError(
            f"{teacher.name} calls all {pairs} pairs {'inconsistent' if True in wrong else 'consistent'}, so that nothing can be learned. Name "
            "another --teacher-cut, or add pairs."
        )
