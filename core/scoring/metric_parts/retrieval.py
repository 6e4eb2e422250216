"""Long documents: the few passages of a document against which a sentence of its summary is read.

The framework of LongDocFACTScore (Bishop, Xie and Ananiadou 2024): the sentences of the document closest to the claim
by the cosine of their embeddings, each with its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint
from core.text import Units, Vectors, bm25, closest_rows, context_sentences, summary_units, words
from core.types import Answer, Example, Question, Span

WindowMode = Literal["symmetric", "coded"]
"""`symmetric`: w sentences on both sides. `coded`: the one before, or the one after the first, as their code has it."""

Ranking = Literal["embedding", "bm25"]
"""Closeness of a sentence of the document to a claim: the cosine of their embeddings, or BM25 of their words."""
Reading = Literal["each", "union"]
"""`each`: a passage for each of the K sentences. `union`: all of them, in the order of the document, as one passage."""
Query = Literal["", "question"]
"""Text that sentences of the document are compared with: the claim, or the claim and the question that the summary answers."""

RERANKED = 20
"""Sentences of the document, the closest ones, that a cross-encoder puts in order again for each claim."""


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences of the document joined by one blank, and where they are in it."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class SentencePassages:
    """A sentence of the summary and its passages, the closest first and none twice.

    `density` is its mean cosine with all sentences of the document: how much of the document speaks of it.
    """

    span: Span
    density: float
    passages: tuple[SentenceGroup, ...]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Selection of the passages of a document that a claim is checked against."""

    encoder: Checkpoint
    """Model of kind "sentence_embedding"."""
    k: int = 3
    """Sentences of the document that are taken for each claim, at least 1."""
    w: int = 1
    """Neighbours that are read with each of them, at least 0; see `window`."""
    window: WindowMode = "symmetric"
    """Side on which the neighbours lie."""
    ranking: Ranking = "embedding"
    """Measure of closeness by which the `k` sentences are selected."""
    reading: Reading = "each"
    """One passage for each of the `k` sentences, or all of them joined into one."""
    query: Query = ""
    """"question" if sentences are also compared with the question of the example; empty for the claim alone."""
    reranker: Checkpoint | None = None
    """Cross-encoder of kind "sequence_regressor" that orders the RERANKED closest sentences again; None for no second ranking."""
    units: Units = "sentences"
    """Units of the summary, each a claim."""

    def __post_init__(self) -> None:
        if self.k < 1 or self.w < 0:
            raise BadSettingError(f"Retrieval takes k of 1 or more and w of 0 or more; got k={self.k} and w={self.w}.")

    def questions(self, example: Example) -> list[Question]:
        """The embedding of every sentence: those of the document first, then those of the summary, and then the question.

        Raises UnscorableError where a question is to be read and there is none.
        """
        if self.query and not example.question.strip():
            raise UnscorableError(
                "The summary answers no question, and passages are to be found by one (query=question)."
            )
        # blanks are stripped as sentence-transformers does
        read = [
            Question(self.encoder, (span.of(example.document).strip(),), evidence=span)
            for span in context_sentences(example)
        ]
        claimed = [
            Question(self.encoder, (span.of(example.summary).strip(),), claim=span)
            for span in summary_units(example.summary, self.units)
        ]
        query = [Question(self.encoder, (example.question.strip(),))] if self.query else []
        return [*read, *claimed, *query]

    def pairs(self, example: Example, answers: Sequence[Answer]) -> list[Question]:
        """The closest sentences of the document beside each claim, in their order, for the reranker."""
        places, spans = context_sentences(example), summary_units(example.summary, self.units)
        return [
            Question(self._cross_encoder, (claim.of(example.summary), places[hit].of(example.document)))
            for claim, row in zip(spans, self._closeness(example, answers), strict=True)
            for hit in closest_rows(row, RERANKED)
        ]

    def claims(
        self, example: Example, answers: Sequence[Answer], reranked: Sequence[Answer] = ()
    ) -> list[SentencePassages]:
        """Passages found for each sentence of the summary, from the answers to `questions`, and to `pairs` where there is a
        reranker; raises UnscorableError."""
        places, spans = context_sentences(example), summary_units(example.summary, self.units)
        closeness = self._closeness(example, answers)
        if reranked:
            shown = min(RERANKED, len(places))
            for number, row in enumerate(closeness):
                hits = closest_rows(row, shown)
                row[:] = -np.inf
                row[hits] = [answer.values[0] for answer in reranked[number * shown : (number + 1) * shown]]
        densities = self._cosines(example, answers)[: len(spans)].mean(1)
        return [
            SentencePassages(span, float(density), self._passages(example, places, row))
            for span, density, row in zip(spans, densities, closeness, strict=True)
        ]

    @property
    def _cross_encoder(self) -> Checkpoint:
        assert self.reranker is not None  # only a retrieval with one asks for pairs
        return self.reranker

    def _cosines(self, example: Example, answers: Sequence[Answer]) -> Vectors:
        """The cosines of claims, and last of the question where it is read, with the sentences of the document."""
        places = context_sentences(example)
        if not places or not summary_units(example.summary, self.units):
            raise UnscorableError("There is nothing to compare: the document or the summary has no sentence.")
        vectors = np.array([answer.values for answer in answers])  # (sentences, width), of unit length
        cosines: Vectors = vectors[len(places) :] @ vectors[: len(places)].T
        return cosines

    def _closeness(self, example: Example, answers: Sequence[Answer]) -> Vectors:
        """Closeness of each sentence of the document to each claim, (claims, places)."""
        spans, cosines = summary_units(example.summary, self.units), self._cosines(example, answers)
        if self.ranking == "embedding":
            closeness: Vectors = cosines[: len(spans)].copy()
            return closeness + cosines[-1] if self.query else closeness
        places = [words(place.of(example.document)) for place in context_sentences(example)]
        query_words = words(example.question) if self.query else ()
        return np.array([bm25([*words(span.of(example.summary)), *query_words], places) for span in spans])

    def _passages(self, example: Example, places: Sequence[Span], row: Vectors) -> tuple[SentenceGroup, ...]:
        around = [self._around(hit, len(places)) for hit in closest_rows(row, self.k)]
        if self.reading == "union":
            read = sorted({place for inside in around for place in range(len(places))[inside]})
            return (_join_passage(example.document, [places[place] for place in read]),)
        return tuple(dict.fromkeys(_join_passage(example.document, places[inside]) for inside in around))

    def _around(self, hit: int, number: int) -> slice:
        if self.window == "coded":
            return slice(max(hit - 1, 0), min(max(hit, 1) + 1, number))
        return slice(max(hit - self.w, 0), min(hit + self.w + 1, number))


def _join_passage(document: str, places: Sequence[Span]) -> SentenceGroup:
    return SentenceGroup(" ".join(place.of(document) for place in places), Span(places[0].start, places[-1].end))
