"""Long documents: the few passages of a document against which a sentence of its summary is read.

The framework of LongDocFACTScore (Bishop, Xie and Ananiadou 2024): the sentences of the document closest to the claim
by the cosine of their embeddings, each with its neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.contexts import context_sentences
from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint
from core.text import sentences, words
from core.types import Answer, Example, Question, Span

Vectors = NDArray[np.float64]
WindowMode = Literal["symmetric", "coded"]
"""`symmetric`: w sentences on both sides. `coded`: the one before, or the one after the first, as their code has it."""

Ranking = Literal["embedding", "bm25"]
"""Closeness of a sentence of the document to a claim: the cosine of their embeddings, or BM25 of their words."""
Reading = Literal["each", "union"]
"""`each`: a passage for each of the K sentences. `union`: all of them, in the order of the document, as one passage."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Sentences of the document joined by one blank, and where they are in it."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the summary and its passages, the closest first and none twice.

    `density` is its mean cosine with all sentences of the document: how much of the document speaks of it.
    """

    span: Span
    density: float
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """`k` sentences are taken for each claim, with a window of `w` around each; `encoder` is of kind "sentence_embedding"."""

    encoder: Checkpoint
    k: int = 3
    w: int = 1
    window: WindowMode = "symmetric"
    ranking: Ranking = "embedding"
    reading: Reading = "each"

    def __post_init__(self) -> None:
        if self.k < 1 or self.w < 0:
            raise BadSettingError(f"Retrieval takes k of 1 or more and w of 0 or more; got k={self.k} and w={self.w}.")

    def questions(self, example: Example) -> list[Question]:
        """The embedding of every sentence: those of the document first, then those of the summary."""
        # blanks are stripped as sentence-transformers does
        read = [
            Question(self.encoder, (span.of(example.document).strip(),), evidence=span)
            for span in context_sentences(example)
        ]
        claimed = [
            Question(self.encoder, (span.of(example.summary).strip(),), claim=span)
            for span in sentences(example.summary)
        ]
        return [*read, *claimed]

    def claims(self, example: Example, answers: Sequence[Answer]) -> list[Claim]:
        """Passages found for each sentence of the summary, from the answers to `questions`; raises UnscorableError."""
        places, spans = context_sentences(example), sentences(example.summary)
        if not places or not spans:
            raise UnscorableError("There is nothing to compare: the document or the summary has no sentence.")
        vectors = np.array([answer.values for answer in answers])  # (sentences, width), of unit length
        cosines = vectors[len(places) :] @ vectors[: len(places)].T  # (claims, places)
        return [
            Claim(span, float(row.mean()), self._passages(example, places, span, row))
            for span, row in zip(spans, cosines, strict=True)
        ]

    def _passages(self, example: Example, places: Sequence[Span], claim: Span, cosines: Vectors) -> tuple[Passage, ...]:
        row = cosines
        if self.ranking == "bm25":
            row = bm25(words(claim.of(example.summary)), [words(place.of(example.document)) for place in places])
        around = [self._around(hit, len(places)) for hit in closest_rows(row, self.k)]
        if self.reading == "union":
            read = sorted({place for inside in around for place in range(len(places))[inside]})
            return (_join_passage(example.document, [places[place] for place in read]),)
        return tuple(dict.fromkeys(_join_passage(example.document, places[inside]) for inside in around))

    def _around(self, hit: int, number: int) -> slice:
        if self.window == "coded":
            return slice(max(hit - 1, 0), min(max(hit, 1) + 1, number))
        return slice(max(hit - self.w, 0), min(hit + self.w + 1, number))


def closest_rows(row: Vectors, k: int) -> list[int]:
    """The places of the k largest values of (n,), the largest first, of equal ones the earlier first."""
    return [int(place) for place in np.argsort(-row, kind="stable")[:k]]


_SATURATION, _LENGTH_SHARE = 1.5, 0.75  # k1 and b of BM25


def bm25(claim: Sequence[str], texts: Sequence[Sequence[str]]) -> Vectors:
    """Okapi BM25 of each text for the words of a claim, (texts,) (Robertson and Zaragoza 2009, equation 3.15)."""
    counts = [Counter(text) for text in texts]
    mean_length = sum(map(len, texts)) / len(texts) or 1.0
    scores = np.zeros(len(texts))
    for word in dict.fromkeys(claim):
        holding = sum(word in count for count in counts)
        rarity = log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for place, count in enumerate(counts):
            length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * len(texts[place]) / mean_length
            scores[place] += rarity * count[word] * (_SATURATION + 1) / (count[word] + _SATURATION * length)
    return scores


def _join_passage(document: str, places: Sequence[Span]) -> Passage:
    return Passage(" ".join(place.of(document) for place in places), Span(places[0].start, places[-1].end))
