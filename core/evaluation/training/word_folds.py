"""The logits of words over folds of documents: by trees and attention heads that did not learn from their documents."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import TouchstoneError
from core.evaluation.training.multiple_instance import bag_loss, bags_of, word_targets
from core.models import (
    MAX_TREES,
    STEP_TREES,
    AttentionTensors,
    Features,
    Tensors,
    TrainingStep,
    UnfinishedTraining,
    WordTable,
    boost,
    first_trees,
    mean_logits,
    mean_trees,
    tree_logits,
    tree_tensors,
)
from core.stats import Mask, Numbers, Values

if TYPE_CHECKING:
    from core.models import WordAttention

FOLDS = 5
CALIBRATION = -1
"""The part of the documents that is used only to fit the scale of the probability."""
_PATIENCE = 3  # steps without a new minimum of the loss, after which a fold stops


@dataclass(frozen=True, slots=True, eq=False)
class WordModels:
    """The models of all folds, and the logit of every word, (words,), by those that did not learn from its document.

    `trees` is how many trees each fold has; `tree_tensors` is their mean.
    """

    trees: int
    tree_tensors: Tensors
    attention: AttentionTensors
    logits: Features


def fit_words(
    table: WordTable, parts: Numbers, seed: int, unfinished: UnfinishedTraining
) -> Generator[TrainingStep, None, WordModels]:
    """The models of words of documents in parts, (rows,): the words of a fold are judged by models of the other folds, those
    that are set apart to calibrate on by what will be used, the mean of all folds.

    What is done is kept in `unfinished`.
    """
    targets = []
    for fold in range(FOLDS):
        cached = unfinished.load(f"targets {fold}")
        if cached is None:
            cached = {"targets": word_targets(table, (parts != fold) & (parts != CALIBRATION), seed)}
            unfinished.save(f"targets {fold}", cached)
        targets.append(cached["targets"])
    by_trees, trees, tensors = yield from _tree_logits(table, parts, targets, seed, unfinished)
    by_attention, attention = yield from _attention_logits(table, parts, targets, seed, unfinished)
    return WordModels(trees, tensors, attention, mean_logits(by_trees, by_attention))


def fit_words_of(
    table: WordTable, rows: Mask, seed: int, trees: int, stage: str
) -> Generator[TrainingStep, None, Features | None]:
    """The logit of every word, (words,), by models that learned from these rows alone; None if no word of them is wrong."""
    targets = word_targets(table, rows, seed)
    if not np.nanmax(targets, initial=0.0) > 0:
        return None
    *_, model = tree_steps(table, targets, seed, trees)
    by_trees = model.decision_function(table.values)
    network = yield from _fit_attention(table, targets, seed, stage)
    return mean_logits(by_trees, _all_logits(table, network, np.arange(len(table.row))))


def _fit_attention(
    table: WordTable, targets: Values, seed: int, stage: str
) -> Generator[TrainingStep, None, WordAttention]:
    """The attention heads that learned from the sentences of words with targets."""
    # torch takes seconds to import, and the preview of a training needs none
    from core.models import fit_attention

    training = fit_attention(table, targets, seed)
    while True:
        try:
            done, total = next(training)
        except StopIteration as end:
            network: WordAttention = end.value
            return network
        yield TrainingStep(stage, done, total)


def _all_logits(table: WordTable, network: WordAttention, sentences: Numbers) -> Features:
    """The logit of each word of some sentences, 0 elsewhere, (words,)."""
    from core.models import attention_logits

    all_logits = np.zeros(len(table.wrong), dtype=np.float32)
    for words, logits in attention_logits(network, table, sentences):
        all_logits[words] = logits
    return all_logits


def _attention_logits(
    table: WordTable, parts: Numbers, targets: Sequence[Values], seed: int, unfinished: UnfinishedTraining
) -> Generator[TrainingStep, None, tuple[Features, AttentionTensors]]:
    """The logit of every word by heads that did not learn from its document, and the heads of all folds."""
    logits = np.zeros(len(table.wrong), dtype=np.float32)
    members = []
    for fold in range(FOLDS):
        cached = unfinished.load(f"attention {fold}")
        if cached is None:
            stage = f"Attention, fold {fold + 1} of {FOLDS}"
            network = yield from _fit_attention(table, targets[fold], seed + fold, stage)
            of_row = parts[table.row]
            sentences = np.flatnonzero((of_row == fold) | (of_row == CALIBRATION))
            cached = {**network.tensors(), "logits": _all_logits(table, network, sentences)}
            unfinished.save(f"attention {fold}", cached)
        members.append({name: tensor for name, tensor in cached.items() if name != "logits"})
        own, apart = table.words_of(parts == fold), table.words_of(parts == CALIBRATION)
        logits[own] = cached["logits"][own]
        logits[apart] += cached["logits"][apart] / FOLDS
    return logits, {name: np.concatenate([member[name] for member in members]) for name in members[0]}


def _tree_logits(
    table: WordTable, parts: Numbers, targets: Sequence[Values], seed: int, unfinished: UnfinishedTraining
) -> Generator[TrainingStep, None, tuple[Features, int, Tensors]]:
    """The logit of every word by trees that did not learn from its document, how many trees lose least there, and these of
    all folds together."""
    of_folds = []
    for fold in range(FOLDS):
        cached = unfinished.load(f"fold {fold}")
        if cached is None:
            cached = yield from _fold_trees(table, parts, targets[fold], fold, seed)
            unfinished.save(f"fold {fold}", cached)
        of_folds.append(cached)
    reached = min(len(member["losses"]) for member in of_folds)
    trees = (int(np.sum([member["losses"][:reached] for member in of_folds], axis=0).argmin()) + 1) * STEP_TREES
    members = [first_trees(member, trees) for member in of_folds]
    tensors = mean_trees(members)
    logits = np.zeros(len(table.wrong), dtype=np.float32)
    judges = [*enumerate(members), (CALIBRATION, tensors)]
    for part, judge in judges:
        words = table.words_of(parts == part)
        logits[words] = tree_logits(judge, table.values[words])
    return logits, trees, tensors


def _fold_trees(
    table: WordTable, parts: Numbers, targets: Values, fold: int, seed: int
) -> Generator[TrainingStep, None, Mapping[str, NDArray[Any]]]:
    """The trees of the other folds, and the summed `losses` of the fold's words, and of its summaries whose words nobody
    knows, after each step of them.

    They stop where the loss has not fallen for some steps.
    """
    labelled = np.flatnonzero(table.words_of(parts == fold) & (table.wrong >= 0))
    unknown, bags = bags_of(table, parts == fold)
    judged = len(labelled) + len(unknown)
    wrong, steps = table.wrong[labelled], MAX_TREES // STEP_TREES
    losses: list[float] = []
    for step, model in enumerate(tree_steps(table, targets, seed)):
        loss = 0.0
        if len(labelled):
            logits = model.decision_function(table.values[labelled])
            loss += float(np.sum(np.logaddexp(0, logits) - wrong * logits))
        if len(unknown):
            loss += bag_loss(model.decision_function(table.values[unknown]), bags)
        losses.append(loss)
        mean = loss / max(1, judged)
        yield TrainingStep(f"Fold {fold + 1} of {FOLDS}", fold * steps + step + 1, FOLDS * steps, mean)
        if step - int(np.argmin(losses)) >= _PATIENCE and judged:
            break
    return {**tree_tensors(model), "losses": np.array(losses)}


def tree_steps(table: WordTable, targets: Values, seed: int, trees: int = MAX_TREES) -> Iterator[Any]:
    """The model of the words with targets after each step of trees; a word that is wrong by a share is learned as both."""
    certain = np.flatnonzero((targets == 0) | (targets == 1))
    shared = np.flatnonzero((targets > 0) & (targets < 1))
    wrong = np.concatenate([targets[certain], np.ones(len(shared)), np.zeros(len(shared))]).astype(np.int8)
    if len(np.unique(wrong)) < 2:
        raise TouchstoneError(
            "In some part of the documents no summary is wrong. Add labelled summaries of other documents, or more "
            "corruptions (--corruptions)."
        )
    places = np.concatenate([certain, shared, shared])
    weights = np.concatenate([np.ones(len(certain)), targets[shared], 1 - targets[shared]]) if len(shared) else None
    return boost(table.values[places], wrong, seed, trees, weights)
