"""Learning curve: the figures that parts of the labelled documents give, on all labelled summaries, each judged by what did not
learn from its document."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.training.card import RESAMPLES
from core.evaluation.training.multiple_instance import word_targets
from core.evaluation.training.shallow_data import LABEL_TARGET
from core.evaluation.training.shallow_trainer import TrainingTask, train_model
from core.evaluation.training.trainer import SummaryJudge, pairs_of, read_table
from core.evaluation.training.training_data import TrainingData
from core.evaluation.training.training_plan import TrainingPlan
from core.evaluation.training.training_run import (
    labelled_places,
    load_encoder,
    open_unfinished,
    shallow_table,
)
from core.evaluation.training.word_folds import FOLDS, tree_steps
from core.models import TrainingStep
from core.scoring import Engine
from core.stats import (
    Distribution,
    Estimate,
    LabelledScores,
    Mask,
    Numbers,
    Resamples,
    Values,
    accuracy_of_decisions,
    auc,
    compare_paired,
    deal_folds,
    format_percent,
)

SHARES = (0.25, 0.5, 1.0)
_TREES = 100


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Figures with some of the labelled documents; `gain` is the area less that of the point before, None for the first."""

    documents: int
    summaries: int
    area: Estimate
    accuracy: Estimate
    gain: Estimate | None

    @property
    def text(self) -> str:
        gained = "" if self.gain is None else f", {format_percent(self.gain)} points more than with the part before"
        return (
            f"{self.documents} documents with {self.summaries} labels: AUC {format_percent(self.area)}, balanced accuracy "
            f"at one half {format_percent(self.accuracy)}{gained}"
        )


CurveProgress = Generator[TrainingStep, None, list[CurvePoint]]


def learning_curve(plan: TrainingPlan, data: TrainingData, folder: Path, engine: Engine) -> CurveProgress:
    """Yields its progress and returns the points. What is read of words is kept in the folder for the training itself.

    Of the recipe "words" by trees alone, without attention heads. Raises TouchstoneError for a cross-encoder, which would
    have to be trained for every point.
    """
    if plan.recipe == "cross-encoder":
        raise TouchstoneError(
            "A learning curve refits a metric 15 times, and a cross-encoder takes a whole training each. Take the recipe words or shallow: "
            "what their curves say of more labels is a hint for it too."
        )
    scored = (
        _shallow_scores(plan, data, engine) if plan.recipe == "shallow" else _word_scores(plan, data, folder, engine)
    )
    labelled = labelled_places(data)
    wrong, documents = np.array([data.rows[place].wrong for place in labelled]), data.documents[labelled]
    draws, points = Resamples.draw(data.document_count(), RESAMPLES), []
    before: Distribution | None = None
    for step in scored:
        if isinstance(step, TrainingStep):
            yield step
            continue
        taken, scores = step
        area = draws.of(auc(LabelledScores(scores, ~wrong, documents)))
        defined = ~np.isnan(scores)
        accuracy = accuracy_of_decisions(scores[defined] >= 0.5, ~wrong[defined], documents[defined])
        gain = compare_paired(area, before).difference if before else None
        used = np.isin(documents, taken)
        points.append(CurvePoint(len(taken), int(used.sum()), area.estimate(), draws.estimate(accuracy), gain))
        before = area
    return points


_Scored = Generator[TrainingStep | tuple[Numbers, Values], None, None]
"""Steps, and for each part of the documents these and the scores of the labelled rows, (labelled,)."""


def _parts(documents: Numbers, seed: int) -> list[Numbers]:
    """The documents of each point: the smaller parts lie in the larger ones."""
    order = np.random.default_rng(seed).permutation(np.unique(documents))
    return [order[: ceil(share * len(order))] for share in SHARES]


def _both_kinds(wrong: Mask, learned: list[Mask]) -> bool:
    return all(len(np.unique(wrong[rows])) == 2 for rows in learned)


def _word_scores(plan: TrainingPlan, data: TrainingData, folder: Path, engine: Engine) -> _Scored:
    encoder = load_encoder(engine.pool.device)
    table = yield from read_table(data, encoder, open_unfinished(plan, data, folder, encoder))
    labelled, wrong = labelled_places(data), np.array([row.wrong for row in data.rows])
    with_labels = np.isin(data.documents, data.documents[labelled])
    folds = deal_folds(data.documents, FOLDS, plan.seed)
    for taken in _parts(data.documents[labelled], plan.seed):
        usable = ~with_labels | np.isin(data.documents, taken)  # bundled documents cost no label
        learned = [usable & (folds != fold) for fold in range(FOLDS)]
        if not _both_kinds(wrong, learned):
            continue
        logits = np.zeros(len(table.wrong), dtype=np.float32)
        for fold, rows in enumerate(learned):
            yield TrainingStep(f"Learning curve, {len(taken)} documents", fold, FOLDS)
            *_, model = tree_steps(table, word_targets(table, rows, plan.seed), plan.seed, _TREES)
            own = table.words_of(folds == fold)
            logits[own] = model.decision_function(table.values[own])
        judge = SummaryJudge(table.sentence_table(logits, len(wrong)), wrong, pairs_of(data.rows))
        weights = {fold: judge.weights(rows) for fold, rows in enumerate(learned)}
        yield taken, judge.held_out(folds, weights)[labelled]


def _shallow_scores(plan: TrainingPlan, data: TrainingData, engine: Engine) -> _Scored:
    yield TrainingStep("Measuring the surface", 0, 1)
    table, signatures = shallow_table(engine, data, labelled_places(data))
    folds = deal_folds(table.documents, FOLDS, plan.seed)
    task = TrainingTask("", LABEL_TARGET, "probability", plan.seed)
    for taken in _parts(table.documents, plan.seed):
        usable = np.isin(table.documents, taken)
        if not _both_kinds(table.targets == 0, [usable & (folds != fold) for fold in range(FOLDS)]):
            continue
        scores = np.full(len(folds), np.nan)
        for fold in range(FOLDS):
            yield TrainingStep(f"Learning curve, {len(taken)} documents", fold, FOLDS)
            held_out = folds == fold
            model = train_model(table.where(usable | held_out), task, signatures, held_out[usable | held_out])
            scores[held_out] = model.predict(table.values[held_out])
        yield taken, scores
