"""The words of all training rows with their features: what the trees are fitted on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from core.stats.statistic import Mask, Numbers, Values
from core.text import sentences
from core.trained.aggregation import SentenceTable
from core.trained.model import sentence_facts
from core.trained.training_data import TrainingRow
from core.trained.trees import Labels
from core.trained.word_features import FEATURES, Features, ReadDocument, feature_matrix, read_document
from core.trained.word_states import WordStates

if TYPE_CHECKING:
    from core.models.word_encoder import WordEncoder

_ROWS_AT_ONCE = 32
_DOCUMENTS = 16  # whose states stay in memory: the rows come document by document


@dataclass(frozen=True, slots=True, eq=False)
class WordTable:
    """Features (words, features), whether each word is wrong, -1 where nobody knows, and where it stands.

    `sentence` is the number of each word's sentence, (words,), and `row` the training row of each sentence, (sentences,).
    """

    values: Features
    wrong: Labels
    sentence: Numbers
    row: Numbers

    def arrays(self) -> dict[str, Features | Labels | Numbers]:
        """Its arrays by name, from which it is made again."""
        return {"values": self.values, "wrong": self.wrong, "sentence": self.sentence, "row": self.row}

    def words_of(self, rows: Mask) -> Mask:
        """The words of some of the training rows, (words,), for (rows,)."""
        return np.asarray(rows[self.row[self.sentence]])

    def sentence_table(self, logits: Features) -> SentenceTable:
        """What the words' logits, (words,), come to in each sentence."""
        ends = np.searchsorted(self.sentence, np.arange(len(self.row) + 1))
        facts = [sentence_facts(self.values[start:end], logits[start:end]) for start, end in pairwise(ends)]
        return SentenceTable(np.array(facts), self.row)


def support_scores(table: SentenceTable, weights: Values, rows: int) -> Values:
    """The score of each summary: the probability that none of its sentences is wrong, (rows,)."""
    return np.exp(table.log_support(weights, rows))


def read_words(encoder: WordEncoder, rows: Sequence[TrainingRow]) -> Generator[int, None, WordTable]:
    """Reads every row; yields how many were read, and returns the table in the order of the rows."""
    order = sorted(range(len(rows)), key=lambda place: rows[place].document)
    documents: OrderedDict[str, ReadDocument] = OrderedDict()
    read: list[list[tuple[Features, Labels]]] = [[] for _ in rows]
    for start in range(0, len(order), _ROWS_AT_ONCE):
        yield start
        _read_rows(encoder, rows, order[start : start + _ROWS_AT_ONCE], documents, read)
    yield len(order)
    return _as_table(read)


def _read_rows(
    encoder: WordEncoder,
    rows: Sequence[TrainingRow],
    chosen: Sequence[int],
    documents: OrderedDict[str, ReadDocument],
    read: list[list[tuple[Features, Labels]]],
) -> None:
    for place in chosen:
        text = rows[place].document
        if text not in documents:
            documents[text] = read_document(encoder.read([text])[0])
    claims = [(place, span) for place in chosen for span in sentences(rows[place].summary)]
    states = encoder.read([span.of(rows[place].summary) for place, span in claims])
    for (place, span), sentence in zip(claims, states, strict=True):
        document = documents[rows[place].document]
        if sentence.forms and document.low:
            read[place].append((feature_matrix(document, sentence), _labels(rows[place], span.start, sentence)))
    while len(documents) > _DOCUMENTS:
        documents.popitem(last=False)


def _labels(row: TrainingRow, start: int, sentence: WordStates) -> Labels:
    """1 for a word that makes the summary wrong, 0 for another, -1 where nobody knows."""
    if row.wrong_words is None:
        return np.full(len(sentence.spans), -1, dtype=np.int8)
    places = [(start + span.start, start + span.end) for span in sentence.spans]
    return np.array(
        [any(wrong.start < end and begin < wrong.end for wrong in row.wrong_words) for begin, end in places],
        dtype=np.int8,
    )


def _as_table(read: Sequence[Sequence[tuple[Features, Labels]]]) -> WordTable:
    found = [(row, values, wrong) for row, of_row in enumerate(read) for values, wrong in of_row]
    sizes = [len(wrong) for _, _, wrong in found]
    return WordTable(
        values=np.concatenate([values for _, values, _ in found])
        if found
        else np.zeros((0, len(FEATURES)), np.float32),
        wrong=np.concatenate([wrong for _, _, wrong in found]) if found else np.zeros(0, np.int8),
        sentence=np.repeat(np.arange(len(found)), sizes),
        row=np.array([row for row, _, _ in found], dtype=np.intp),
    )
