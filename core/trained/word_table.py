"""The words of all training rows with their features and states: what the trees and the attention heads are fitted on."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.errors import TouchstoneError
from core.stats.statistic import Mask, Numbers, Values
from core.text import sentences
from core.trained.aggregation import SentenceTable, SummaryWeights
from core.trained.model import SIMILARITY, sentence_facts
from core.trained.training_data import TrainingRow
from core.trained.trees import Labels
from core.trained.word_features import Features, ReadDocument, feature_matrix, read_document
from core.trained.word_states import WordStates

if TYPE_CHECKING:
    from core.models.word_encoder import WordEncoder

_ROWS_AT_ONCE = 32
_WORDS_FILE, _DOCUMENTS_FILE = "word_states.f16", "document_states.f16"

HalfStates = NDArray[np.float16]


@dataclass(frozen=True, slots=True, eq=False)
class StateTable:
    """The states of the words of sentences, (words, width), and of documents, (document words, width): on the disk, as a
    document of a thousand words has a megabyte and a half of them.

    `document` is the number of each sentence's document, (sentences,), and `ends` where the words of each document end.
    """

    words: HalfStates
    documents: HalfStates
    document: Numbers
    ends: Numbers

    @classmethod
    def mapped(cls, folder: Path, width: int, document: Numbers, ends: Numbers) -> StateTable:
        """The states in a folder. Raises OSError or ValueError where they are not all there."""
        words, documents = (
            np.memmap(folder / name, np.float16, "r").reshape(-1, width) for name in (_WORDS_FILE, _DOCUMENTS_FILE)
        )
        if len(documents) != ends[-1]:
            raise ValueError(f"{folder} has states of {len(documents)} words of documents, and {ends[-1]} were read")
        return cls(words, documents, document, ends)

    def of_document(self, number: int) -> HalfStates:
        """The states of the words of one document."""
        return self.documents[self.ends[number - 1] if number else 0 : self.ends[number]]


@dataclass(frozen=True, slots=True, eq=False)
class WordTable:
    """Features (words, features), whether each word is wrong, -1 where nobody knows, and where it stands.

    `sentence` is the number of each word's sentence, (words,), in order, and `row` the training row of each sentence,
    (sentences,): sentences come document by document.
    """

    values: Features
    wrong: Labels
    sentence: Numbers
    row: Numbers
    states: StateTable

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its arrays by name, from which it is made again together with the states on the disk."""
        return {
            "values": self.values,
            "wrong": self.wrong,
            "sentence": self.sentence,
            "row": self.row,
            "document": self.states.document,
            "ends": self.states.ends,
            "width": np.array([self.states.words.shape[1]]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], folder: Path) -> WordTable:
        """The table of `arrays`, with the states in a folder. Raises OSError or ValueError where they are not all there."""
        states = StateTable.mapped(folder, int(arrays["width"][0]), arrays["document"], arrays["ends"])
        if len(states.words) != len(arrays["values"]):
            raise ValueError(f"{folder} has states of {len(states.words)} words, and {len(arrays['values'])} were read")
        return cls(arrays["values"], arrays["wrong"], arrays["sentence"], arrays["row"], states)

    def words_of(self, rows: Mask) -> Mask:
        """The words of some of the training rows, (words,), for (rows,)."""
        return np.asarray(rows[self.row[self.sentence]])

    def words_in(self, sentence: int) -> tuple[int, int]:
        """Where the words of a sentence begin and end."""
        start, end = np.searchsorted(self.sentence, [sentence, sentence + 1])
        return int(start), int(end)

    def sentence_table(self, logits: Features, rows: int) -> SentenceTable:
        """What the words' logits, (words,), come to in each sentence, and how similar each of the rows is to its document."""
        ends = np.searchsorted(self.sentence, np.arange(len(self.row) + 1))
        facts = [sentence_facts(self.values[start:end], logits[start:end]) for start, end in pairwise(ends)]
        of_word = self.row[self.sentence]
        counts = np.bincount(of_word, minlength=rows)
        sums = np.bincount(of_word, weights=self.values[:, SIMILARITY], minlength=rows)
        usual = sums.sum() / counts.sum()
        similarity = np.where(counts > 0, sums / np.maximum(counts, 1), usual)
        return SentenceTable(np.array(facts), self.row, similarity)


def support_scores(table: SentenceTable, weights: SummaryWeights) -> Values:
    """The score of each summary: the probability that it is supported, (rows,)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(table.log_odds(weights), -50, 50))))


_ReadSentence = tuple[int, int, Features, Labels]
"""Row, document, features and labels."""


def read_words(encoder: WordEncoder, rows: Sequence[TrainingRow], folder: Path) -> Generator[int, None, WordTable]:
    """Reads every row; yields how many were read, and returns the table. The states of words are written into the folder.

    Raises TouchstoneError where no word can be read.
    """
    order = sorted(range(len(rows)), key=lambda place: rows[place].document)
    found: list[_ReadSentence] = []
    ends: list[int] = []
    done = 0
    with (folder / _WORDS_FILE).open("wb") as words, (folder / _DOCUMENTS_FILE).open("wb") as documents:
        for text, places in groupby(order, key=lambda place: rows[place].document):
            states = encoder.read([text])[0]
            document = read_document(states)
            _write_states(documents, states)
            ends.append((ends[-1] if ends else 0) + len(states.forms))
            own = list(places)
            for start in range(0, len(own), _ROWS_AT_ONCE):
                yield done
                chosen = own[start : start + _ROWS_AT_ONCE]
                for row, sentence, values, wrong in _read_rows(encoder, rows, chosen, document):
                    _write_states(words, sentence)
                    found.append((row, len(ends) - 1, values, wrong))
                done += len(chosen)
    yield done
    return _as_table(found, ends, folder)


def _write_states(file: BinaryIO, states: WordStates) -> None:
    file.write(states.both.astype(np.float16).tobytes())


def _read_rows(
    encoder: WordEncoder, rows: Sequence[TrainingRow], chosen: Sequence[int], document: ReadDocument
) -> Iterator[tuple[int, WordStates, Features, Labels]]:
    """The sentences of some rows of one document that have words."""
    claims = [(place, span) for place in chosen for span in sentences(rows[place].summary)]
    read = encoder.read([span.of(rows[place].summary) for place, span in claims])
    for (place, span), sentence in zip(claims, read, strict=True):
        if sentence.forms and document.low:
            yield place, sentence, feature_matrix(document, sentence), _labels(rows[place], span.start, sentence)


def _labels(row: TrainingRow, start: int, sentence: WordStates) -> Labels:
    """1 for a word that makes the summary wrong, 0 for another, -1 where nobody knows."""
    if row.wrong_words is None:
        return np.full(len(sentence.spans), -1, dtype=np.int8)
    places = [(start + span.start, start + span.end) for span in sentence.spans]
    return np.array(
        [any(wrong.start < end and begin < wrong.end for wrong in row.wrong_words) for begin, end in places],
        dtype=np.int8,
    )


def _as_table(found: Sequence[_ReadSentence], ends: Sequence[int], folder: Path) -> WordTable:
    if not found:
        raise TouchstoneError("The texts have no word of letters or digits that could be compared.")
    rows, documents, values, wrong = zip(*found, strict=True)
    arrays = {
        "values": np.concatenate(values),
        "wrong": np.concatenate(wrong),
        "sentence": np.repeat(np.arange(len(found)), [len(one) for one in wrong]),
        "row": np.array(rows, dtype=np.intp),
        "document": np.array(documents, dtype=np.intp),
        "ends": np.array(ends, dtype=np.intp),
    }
    width = (folder / _WORDS_FILE).stat().st_size // (np.dtype(np.float16).itemsize * len(arrays["values"]))
    return WordTable.from_arrays({**arrays, "width": np.array([width])}, folder)
