"""LongDocFACTScore (Bishop, Xie and Ananiadou 2024): BARTScore between a sentence and the passages closest to it.

The algorithm is that of the authors' package (LongDocFACTScore 62e441d): three sentences of the document by embedding,
each with the one before it, the best of the three, the mean over the sentences of the summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import ClassVar

from core.errors import BadSettingError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.retrieval import Retrieval, SentencePassages, WindowMode
from core.scoring.metric_parts.unit_metric import UnitMetric
from core.types import Answer, Example, Part, Question, Rounds, Score, Seen, Span


@METRICS.add
@dataclass(frozen=True)
class LongDocFactScore(UnitMetric):
    """Asks for embeddings first, then for the likelihood of each sentence after each of its passages."""

    name: ClassVar[str] = "longdocfactscore"
    card: ClassVar[Card] = Card(
        title="LongDocFACTScore",
        family="Likelihood",
        measures="The mean log-probability of each sentence of the summary, given the passage of the document that makes "
        "it most probable among the three closest by embedding; the mean over sentences.",
        paper="Bishop, Xie, Ananiadou 2024, LongDocFACTScore: Evaluating the Factuality of Long Document Abstractive "
        "Summarisation",
        url="https://arxiv.org/abs/2309.12455",
        low=None,
        high=0.0,
        download_mb=1_456,
        licence="Code MIT, weights of both models Apache-2.0.",
        differs="Sentences of the document that are exactly as close are taken in their order; the authors' sort leaves "
        "it open.",
    )

    checkpoint: str = "facebook/bart-large"
    """Sequence-to-sequence model that gives the likelihoods."""
    revision: str = ""
    """Branch, tag or commit on the hub; empty for the pinned commit."""
    dtype: Dtype = "float32"
    """Number format in which the weights are held and computed."""
    encoder: str = "sentence-transformers/bert-base-nli-mean-tokens"
    """Sentence embedding model that selects the passages."""
    k: int = 3
    """Passages tried for each sentence of the summary, at least 1."""
    w: int = 1
    """Sentences around the middle one of a passage, at least 0; see `window`."""
    window: WindowMode = "coded"
    """Side on which these sentences lie; "coded" as in the authors' code."""
    max_tokens: int = 1024
    """Tokens read of a passage, and of a sentence, 8 to 1024."""

    def __post_init__(self) -> None:
        if not 8 <= self.max_tokens <= 1024:
            raise BadSettingError(f"{self.name}: max_tokens must be 8 to 1024; got {self.max_tokens}.")
        _ = self.retrieval  # refuses k and w out of range

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "seq2seq_likelihood", self.revision, self.dtype)

    @property
    def retrieval(self) -> Retrieval:
        return Retrieval(
            Checkpoint(self.encoder, "sentence_embedding", setting="encoder"),
            self.k,
            self.w,
            self.window,
            units=self.units,
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.retrieval.encoder, self.weights)

    def rounds_as_read(self, example: Example) -> Rounds[Score]:
        embeddings = yield self.retrieval.questions(example)
        claims = self.retrieval.claims(example, embeddings)
        questions = [question for claim in claims for question in self._ask(example, claim)]
        answers = yield questions
        return self.fold(example, questions, answers)

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # the spans are in the questions
        """The largest likelihood over the passages of each sentence, and the mean of these over the sentences."""
        rows: dict[Span, list[Part]] = {}
        for question, answer in zip(questions, answers, strict=True):
            span = question.claim or Span(0, 0)
            mean = fsum(answer.values) / len(answer.values)
            rows.setdefault(span, []).append(Part(span, mean, question.evidence))
        parts = tuple(max(row, key=lambda part: part.score) for row in rows.values())

        cut = sum(answer.cut for answer in answers)
        seen = Seen(
            pieces=tuple(sorted({question.evidence for question in questions if question.evidence})),
            tokens=sum(answer.tokens for answer in answers),
            cut=cut,
            notes=(f"{cut} tokens of over-long passages or sentences were not read.",) if cut else (),
        )
        return Score(fsum(part.score for part in parts) / len(parts), parts, seen)

    def _ask(self, example: Example, claim: SentencePassages) -> list[Question]:
        limits = (self.max_tokens, self.max_tokens)
        return [
            Question(
                self.weights,
                (passage.text, claim.span.of(example.summary)),
                (("limits", limits),),
                claim=claim.span,
                evidence=passage.span,
            )
            for passage in claim.passages
        ]
