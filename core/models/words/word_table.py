"""The words of all training rows with their features and states: what the trees and the attention heads are fitted on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.models.words.aggregation import SentenceTable, SummaryWeights
from core.models.words.head import sentence_facts
from core.models.words.trees import Labels
from core.models.words.word_features import Features
from core.stats import Mask, Numbers, Values

WORDS_FILE, DOCUMENT_STATES_FILE = "word_states.f16", "document_states.f16"

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
            np.memmap(folder / name, np.float16, "r").reshape(-1, width) for name in (WORDS_FILE, DOCUMENT_STATES_FILE)
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

    `sentence` is the number of each word's sentence, (words,), in order, `row` the training row of each sentence,
    (sentences,), and `copied` tells which the document has word for word: sentences come document by document.
    """

    values: Features
    wrong: Labels
    sentence: Numbers
    row: Numbers
    copied: Mask
    states: StateTable

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its arrays by name, from which it is made again together with the states on the disk."""
        return {
            "values": self.values,
            "wrong": self.wrong,
            "sentence": self.sentence,
            "row": self.row,
            "copied": self.copied,
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
        return cls(arrays["values"], arrays["wrong"], arrays["sentence"], arrays["row"], arrays["copied"], states)

    def words_of(self, rows: Mask) -> Mask:
        """The words of some of the training rows, (words,), for (rows,)."""
        return np.asarray(rows[self.row[self.sentence]])

    def words_in(self, sentence: int) -> tuple[int, int]:
        """Start and end of the words of a sentence."""
        start, end = np.searchsorted(self.sentence, [sentence, sentence + 1])
        return int(start), int(end)

    def sentence_table(self, logits: Features, rows: int) -> SentenceTable:
        """Facts of each sentence from its words' logits, (words,)."""
        ends = np.searchsorted(self.sentence, np.arange(len(self.row) + 1))
        facts = [sentence_facts(self.values[start:end], logits[start:end]) for start, end in pairwise(ends)]
        doubt, content, closeness, strange = (
            np.array(column, dtype=np.float64) for column in zip(*map(astuple, facts), strict=True)
        )
        return SentenceTable(doubt, content, closeness, strange, self.copied, self.row, rows)


def support_scores(table: SentenceTable, weights: SummaryWeights) -> Values:
    """The score of each summary: the probability that it is supported, (rows,)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(table.log_odds(weights), -50, 50))))
