"""Training a metric of the recipe "words": trees on words, fitted and judged over folds of documents, then on all of them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import TouchstoneError
from core.stats.statistic import Mask, Numbers, Values, deal_folds
from core.trained.aggregation import fit_sentence_weights
from core.trained.model import Head, HeadConfig
from core.trained.training_data import TrainingData, TrainingRow
from core.trained.trees import MAX_TREES, STEP_TREES, boost, tree_tensors
from core.trained.word_features import FEATURES, Features
from core.trained.word_table import WordTable, read_words, support_scores

if TYPE_CHECKING:
    from core.models.word_encoder import WordEncoder

FOLDS = 5
_MIN_DOMAIN_DOCUMENTS = 5
_MAX_DOMAINS = 8


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """How far training is; `loss` is the log loss of words of documents that were not learned from, None where none was measured."""

    stage: str
    done: int
    total: int
    loss: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A head, and the scores of every row by a head that did not learn from its document, (rows,).

    `by_domain` are the scores of a domain's labelled rows by a head that learned from the other domains: rows and scores.
    """

    head: Head
    held_out: Values
    trees: int
    by_domain: dict[str, tuple[Numbers, Values]]


@dataclass(frozen=True, slots=True)
class Encoder:
    """Which encoder reads the words, and the hash of its weights."""

    network: WordEncoder
    source: str
    sha256: str


TrainingProgress = Generator[TrainingStep, None, Trained]


def train_words(data: TrainingData, encoder: Encoder, seed: int) -> TrainingProgress:
    """Yields its progress and returns the result; the same data, seed and encoder give the same head."""
    reading = read_words(encoder.network, data.rows)
    table = yield from _with_steps(reading, "Reading", len(data.rows))
    wrong = np.array([row.wrong for row in data.rows])
    _check_words(table)
    folds = deal_folds(data.documents, FOLDS, seed)
    logits, trees = yield from _held_out_logits(table, folds, seed)
    pairs = pairs_of(data.rows)
    held_out = _held_out_scores(table, logits, wrong, folds, pairs)
    by_domain = yield from _unseen_domains(data, table, logits, trees, seed)
    yield TrainingStep("Fitting on all documents", 0, 1)
    tensors = tree_tensors(_boosted(table, np.full(len(wrong), True), seed, trees))
    sentence = fit_sentence_weights(table.sentence_table(logits), wrong, pairs)
    known = table.wrong[table.wrong >= 0].mean()
    config = HeadConfig(
        encoder=encoder.source,
        encoder_sha256=encoder.sha256,
        features=FEATURES,
        prior=float(np.log(known / (1 - known))),
    )
    return Trained(Head(config, {**tensors, "sentence": sentence}), held_out, trees, by_domain)


def _with_steps(
    reading: Generator[int, None, WordTable], stage: str, total: int
) -> Generator[TrainingStep, None, WordTable]:
    while True:
        try:
            done = next(reading)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # typeshed has Any for it
        yield TrainingStep(stage, done, total)


def _check_words(table: WordTable) -> None:
    if not (table.wrong == 1).any():
        raise TouchstoneError(
            "No word is known to be wrong: the inconsistent summaries name no original that they were edited from, and no "
            "corruption is among the rows. Add minimal pairs, or set --corruptions 0.5."
        )


def pairs_of(rows: Sequence[TrainingRow]) -> list[tuple[int, int]]:
    """The places of an original and of its inconsistent edit, for every edit whose original is a consistent row."""
    places = {(row.document, row.id): place for place, row in enumerate(rows) if not row.wrong}
    return [
        (places[row.document, row.parent], place)
        for place, row in enumerate(rows)
        if row.wrong and (row.document, row.parent) in places
    ]


def _learned(table: WordTable, rows: Mask) -> Mask:
    """The words of some rows of which it is known whether they are wrong."""
    return np.asarray(table.words_of(rows) & (table.wrong >= 0))


def _boosted(table: WordTable, rows: Mask, seed: int, trees: int) -> Any:
    learned = _learned(table, rows)
    *_, model = boost(table.values[learned], table.wrong[learned], seed, trees)
    return model


def _held_out_logits(
    table: WordTable, folds: Numbers, seed: int
) -> Generator[TrainingStep, None, tuple[Features, int]]:
    """The logit of every word by trees that did not learn from its document, with as many trees as lose least there."""
    steps = MAX_TREES // STEP_TREES
    logits = np.zeros((steps, len(table.wrong)), dtype=np.float32)
    losses = np.zeros(steps)
    for fold in range(FOLDS):
        learned, asked = _learned(table, folds != fold), table.words_of(folds == fold)
        known = asked & (table.wrong >= 0)
        if not asked.any():
            continue
        for step, model in enumerate(_steps(table, learned, seed)):
            logits[step, asked] = model.decision_function(table.values[asked])
            loss = _log_loss(logits[step, known], table.wrong[known])
            losses[step] += loss * known.sum()
            yield TrainingStep(f"Fold {fold + 1} of {FOLDS}", fold * steps + step + 1, FOLDS * steps, loss)
    best = int(losses.argmin())
    return logits[best], (best + 1) * STEP_TREES


def _steps(table: WordTable, learned: Mask, seed: int) -> Iterator[Any]:
    if len(np.unique(table.wrong[learned])) < 2:
        raise TouchstoneError(
            "In some part of the documents no word is known to be wrong. Add minimal pairs on other documents, or more "
            "corruptions (--corruptions)."
        )
    return boost(table.values[learned], table.wrong[learned], seed)


def _log_loss(logits: Features, wrong: Values | Any) -> float:
    return float(np.mean(np.logaddexp(0, logits) - wrong * logits)) if len(logits) else 0.0


def _held_out_scores(
    table: WordTable, logits: Features, wrong: Mask, folds: Numbers, pairs: Sequence[tuple[int, int]]
) -> Values:
    """The score of every row by a sentence head that was fitted on the other folds, (rows,); nan for a row without a word."""
    sentences = table.sentence_table(logits)
    scores = np.full(len(wrong), np.nan)
    for fold in range(FOLDS):
        kept = folds != fold
        weights = _fit_on(table, logits, wrong, kept, pairs)
        scores[~kept] = support_scores(sentences, weights, len(wrong))[~kept]
    scores[np.setdiff1d(np.arange(len(wrong)), table.row)] = np.nan
    return scores


def _fit_on(table: WordTable, logits: Features, wrong: Mask, kept: Mask, pairs: Sequence[tuple[int, int]]) -> Values:
    """The sentence weights that some rows teach, renumbered from 0."""
    renumbered = np.cumsum(kept) - 1
    sentences = table.sentence_table(logits)
    inside = kept[sentences.rows]
    chosen = [(int(renumbered[one]), int(renumbered[other])) for one, other in pairs if kept[one] and kept[other]]
    part = type(sentences)(sentences.facts[inside], renumbered[sentences.rows[inside]])
    return fit_sentence_weights(part, wrong[kept], chosen)


def _unseen_domains(
    data: TrainingData, table: WordTable, held_out: Features, trees: int, seed: int
) -> Generator[TrainingStep, None, dict[str, tuple[Numbers, Values]]]:
    """The scores of each domain's labelled rows by a head that saw no document of it; nothing where there is one domain."""
    names = np.array([row.domain for row in data.rows])
    labelled = np.array([row.origin == "labelled" for row in data.rows])
    wrong = np.array([row.wrong for row in data.rows])
    counts = {str(name): len(np.unique(data.documents[names == name])) for name in np.unique(names)}
    domains = [name for name, count in counts.items() if name and count >= _MIN_DOMAIN_DOCUMENTS]
    found: dict[str, tuple[Numbers, Values]] = {}
    for number, domain in enumerate(domains if len(counts) > 1 and len(domains) <= _MAX_DOMAINS else []):
        yield TrainingStep(f"Leaving out {domain}", number, len(domains))
        own = names == domain
        others = ~np.isin(data.documents, data.documents[own])
        learned = _learned(table, others)
        if len(np.unique(table.wrong[learned])) < 2 or len(np.unique(wrong[own & labelled])) < 2:
            continue
        model = _boosted(table, others, seed, trees)
        logits = model.decision_function(table.values).astype(np.float32)
        # five numbers, fitted on held-out logits of the other domains: on logits of words learned from they would be too sure
        weights = _fit_on(table, held_out, wrong, others, pairs_of(data.rows))
        rows = np.flatnonzero(own & labelled & np.isin(np.arange(len(own)), table.row))
        found[domain] = (rows, support_scores(table.sentence_table(logits), weights, len(own))[rows])
    return found
