"""Training a metric of the recipe "words": models of words over folds of documents, then how words make a summary's score."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.evaluation.training.multiple_instance import bags_of, shared_labels
from core.evaluation.training.training_data import TrainingData
from core.evaluation.training.training_row import TrainingRow
from core.evaluation.training.word_folds import CALIBRATION, FOLDS, fit_words, fit_words_of
from core.evaluation.training.word_reading import read_words
from core.models import (
    WORD_FEATURES,
    Head,
    HeadConfig,
    LogitScale,
    SentenceTable,
    SummaryWeights,
    TrainingStep,
    UnfinishedTraining,
    WordTable,
    document_sketch,
    fit_scale,
    fit_summary_weights,
    support_scores,
)
from core.stats import Mask, Numbers, Values, deal_folds

if TYPE_CHECKING:
    from core.models import WordEncoder

_CALIBRATION_SHARE = 8  # one in this many documents
_MIN_DOMAIN_DOCUMENTS = 5
_MAX_DOMAINS = 8


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
    """Encoder that reads the words, and the hash of its weights."""

    network: WordEncoder
    source: str
    sha256: str


TrainingProgress = Generator[TrainingStep, None, Trained]


def train_words(data: TrainingData, encoder: Encoder, seed: int, unfinished: UnfinishedTraining) -> TrainingProgress:
    """Yields its progress and returns the result; the same data, seed and encoder give the same head.

    What is done is kept in `unfinished`, and is not done again by a second run with the same data, encoder and seed.
    """
    table = yield from read_table(data, encoder, unfinished)
    wrong = np.array([row.wrong for row in data.rows])
    parts = deal_parts(data.documents, seed)
    words = yield from fit_words(table, parts, seed, unfinished)
    judge = SummaryJudge(table.sentence_table(words.logits, len(wrong)), wrong, pairs_of(data.rows))
    weights = {part: judge.weights((parts != part) & (parts != CALIBRATION)) for part in (CALIBRATION, *range(FOLDS))}
    scale = judge.scale(weights[CALIBRATION], np.array([row.origin == "labelled" for row in data.rows]))
    by_domain = yield from _unseen_domains(data, table, judge, scale, words.trees, seed)
    # the share of wrong words, by the labels of words and, where there are none, those of summaries
    places, bags = bags_of(table, np.ones(int(table.row.max()) + 1, dtype=np.bool_))
    wrong_share = float((np.sum(table.wrong == 1) + shared_labels(words.logits[places], bags).sum()) / len(table.wrong))
    fold_by_sketch = {document_sketch(row.document): int(part) for row, part in zip(data.rows, parts, strict=True)}
    config = HeadConfig(
        encoder=encoder.source,
        encoder_sha256=encoder.sha256,
        features=WORD_FEATURES,
        prior=float(np.log(wrong_share / (1 - wrong_share))),
        folds={name: part for name, part in sorted(fold_by_sketch.items()) if part != CALIBRATION},
    )
    scaled = {part: scale.weights(taught) for part, taught in weights.items()}
    tensors = {
        **words.tree_tensors,
        "worst": np.array([summary_weights.worst for summary_weights in scaled.values()]),
        "share": np.array([summary_weights.share for summary_weights in scaled.values()]),
    }
    return Trained(Head(config, tensors, words.attention), judge.held_out(parts, scaled), words.trees, by_domain)


def deal_parts(documents: Numbers, seed: int) -> Numbers:
    """CALIBRATION or the fold, 0 to FOLDS - 1, of each row's document, (rows,)."""
    apart = deal_folds(documents, _CALIBRATION_SHARE, seed) == 0
    parts = np.full(len(documents), CALIBRATION)
    parts[~apart] = deal_folds(documents[~apart], FOLDS, seed)
    return parts


def read_table(
    data: TrainingData, encoder: Encoder, unfinished: UnfinishedTraining
) -> Generator[TrainingStep, None, WordTable]:
    """The words of all rows, read or as they were kept in `unfinished`."""
    if cached := unfinished.load("words"):
        with suppress(OSError, ValueError):  # the saved states are missing or truncated: read the words again
            return WordTable.from_arrays(cached, unfinished.folder)
    reading = read_words(encoder.network, data.rows, unfinished.folder)
    while True:
        try:
            done = next(reading)
        except StopIteration as end:
            table: WordTable = end.value
            unfinished.save("words", table.arrays())
            return table
        yield TrainingStep("Reading", done, len(data.rows))


def pairs_of(rows: Sequence[TrainingRow]) -> list[tuple[int, int]]:
    """The places of an original and of its inconsistent edit, for every edit whose original is a consistent row."""
    places = {(row.document, row.id): place for place, row in enumerate(rows) if not row.wrong}
    return [
        (places[row.document, row.parent], place)
        for place, row in enumerate(rows)
        if row.wrong and (row.document, row.parent) in places
    ]


@dataclass(frozen=True, slots=True, eq=False)
class SummaryJudge:
    """The sentences with logits of words that were not learned from, the label of each row, (rows,), and the pairs of rows."""

    sentences: SentenceTable
    wrong: Mask
    pairs: Sequence[tuple[int, int]]

    def weights(self, rows: Mask) -> SummaryWeights:
        """The weights that some rows teach."""
        renumbered = np.cumsum(rows) - 1
        pairs = [
            (int(renumbered[original]), int(renumbered[edited]))
            for original, edited in self.pairs
            if rows[original] and rows[edited]
        ]
        return fit_summary_weights(self.sentences.part(rows), self.wrong[rows], pairs)

    def scale(self, weights: SummaryWeights, labelled: Mask) -> LogitScale:
        """The scale on which the score is a probability, for the mask of the rows that people labelled."""
        return fit_scale(self.sentences, weights, self.wrong, labelled)

    def held_out(self, parts: Numbers, weights: Mapping[int, SummaryWeights]) -> Values:
        """The score of every row by the weights of its part, which others taught, (rows,); nan for a row without a word."""
        scores = np.full(len(self.wrong), np.nan)
        for part, taught in weights.items():
            own = parts == part
            scores[own] = support_scores(self.sentences, taught)[own]
        scores[np.setdiff1d(np.arange(len(self.wrong)), self.sentences.rows)] = np.nan
        return scores


def _unseen_domains(
    data: TrainingData, table: WordTable, judge: SummaryJudge, scale: LogitScale, trees: int, seed: int
) -> Generator[TrainingStep, None, dict[str, tuple[Numbers, Values]]]:
    """The scores of the labelled rows of each domain, and of each dataset, by a head that saw no document of it; nothing
    where there is one alone."""
    labelled = np.array([row.origin == "labelled" for row in data.rows])
    by_domain: dict[str, tuple[Numbers, Values]] = {}
    for name, own in _kinds_of_data(data, labelled).items():
        others = ~np.isin(data.documents, data.documents[own])
        if len(np.unique(judge.wrong[own & labelled])) < 2:
            continue
        logits = yield from fit_words_of(table, others, seed, trees, f"Leaving out {name}")
        if logits is None:
            continue
        # fitted on held-out logits of the other rows: logits of words that were learned from would be overconfident
        weights = scale.weights(judge.weights(others))
        rows = np.flatnonzero(own & labelled & np.isin(np.arange(len(own)), table.row))
        by_domain[name] = (rows, support_scores(table.sentence_table(logits, len(own)), weights)[rows])
    return by_domain


def _kinds_of_data(data: TrainingData, labelled: Mask) -> dict[str, Mask]:
    """The rows of each domain and of each dataset with several documents; none where there is one alone, or too many."""
    rows_by_name: dict[str, Mask] = {}
    for names in (
        np.array([row.domain for row in data.rows]),
        np.array([data.datasets.get(row.id, "") for row in data.rows]),
    ):
        kinds = set(names[labelled].tolist())
        of_kind = {kind: names == kind for kind in sorted(kinds - {""})}
        several = {
            kind: own for kind, own in of_kind.items() if len(np.unique(data.documents[own])) >= _MIN_DOMAIN_DOCUMENTS
        }
        if len(kinds) > 1 and len(several) <= _MAX_DOMAINS:
            rows_by_name |= several
    return rows_by_name
