"""Metrics that ask a model whether passages of the document support claims of the summary."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import UnscorableError
from core.model_reference import Checkpoint, ConfigCheck, Dtype, ExpectedModel
from core.scoring.metric_parts.unit_metric import UnitMetric
from core.text import pieces_of_passages
from core.types import Answer, Example, Option, Part, Question, Score, Seen, Span

Claims = Literal["sentences", "whole"]

NLI_LABELS = (
    ("entailment", "entail", "entails", "supports"),
    ("neutral", "not enough info"),
    ("contradiction", "contradict", "contradicts", "refutes"),
)
"""The names by which models on the hub call entailment, neutrality and contradiction."""

_OTHER_LABELS = (
    "{0.source} gives {1} probabilities and {2} {3}. Set {0.setting}= to a model of that kind."  # of a checkpoint
)

SUPPORT_LABELS = (("unsupported", "not supported", "hallucinated"), ("supported",))


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the document as the model reads it, and where it stands there."""

    text: str
    span: Span

    def moved(self, offset: int) -> Passage:
        """The same, moved by that number of characters."""
        return Passage(self.text, Span(self.span.start + offset, self.span.end + offset))


class SupportMetric(UnitMetric):
    """Every claim against every passage: the best passage of each claim counts.

    The score is the mean over the units of the summary, or that of the summary as one claim where `whole` says so;
    its sentences are then asked beside it, for the parts only.
    """

    @property
    @abstractmethod
    def weights(self) -> Checkpoint:
        """The model that is asked."""

    @property
    def whole(self) -> bool:
        """True if the summary is one claim."""
        return False

    def unit_notes(self, summary: str) -> tuple[str, ...]:
        return () if self.whole else super().unit_notes(summary)

    @property
    def options(self) -> tuple[Option, ...]:
        return ()

    @abstractmethod
    def passages(self, document: str) -> list[Passage]:
        """The pieces of the document that are read one at a time."""

    @abstractmethod
    def inputs(self, passage: str, claim: str) -> tuple[str, ...]:
        """Texts that the model reads."""

    @abstractmethod
    def support(self, answer: Answer) -> float:
        """Degree to which the passage supports the claim."""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        passages, weights, options = self._passages_of(example), self.weights, self.options
        return [
            Question(
                weights,
                self.inputs(passage.text, claim.of(example.summary)),
                options,
                claim=claim,
                evidence=passage.span,
            )
            for claim in self._claims(example.summary)
            for passage in passages
        ]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        if not questions:
            raise UnscorableError("There is nothing to compare: the document or the summary has no sentence.")
        rows: dict[Span, list[tuple[Question, Answer]]] = {}
        for question, answer in zip(questions, answers, strict=True):
            rows.setdefault(question.claim or Span(0, 0), []).append((question, answer))
        best = {claim: self._part(claim, pairs) for claim, pairs in rows.items()}
        parts = tuple(best[claim] for claim in self.units_of(example.summary))
        scored = [best[_whole_span(example.summary)]] if self.whole else parts
        read = [answer for pairs in rows.values() for _, answer in pairs]
        cuts = [max(answer.cut for _, answer in pairs) for pairs in rows.values()]
        pieces = [question.evidence for question, _ in next(iter(rows.values())) if question.evidence]
        seen = Seen(
            pieces=tuple(piece for piece in pieces if piece.start < piece.end),
            tokens=sum(answer.tokens for answer in read),
            cut=sum(answer.cut for answer in read),
            notes=tuple(
                f"Claim {number}: up to {cut} tokens beyond the model's limit were not read."
                for number, cut in enumerate(cuts, 1)
                if cut
            ),
        )
        return Score(fsum(part.score for part in scored) / len(scored), parts, seen)

    def _passages_of(self, example: Example) -> list[Passage]:
        """Those of each context where the best one counts, else those of the document."""
        if self.card.contexts == "best":
            return pieces_of_passages(example, self.passages, Passage.moved)
        return self.passages(example.document)

    def _claims(self, summary: str) -> list[Span]:
        spans = list(self.units_of(summary))
        return [_whole_span(summary), *spans] if self.whole and spans not in ([], [_whole_span(summary)]) else spans

    def _part(self, claim: Span, pairs: Sequence[tuple[Question, Answer]]) -> Part:
        question, answer = max(pairs, key=lambda row: self.support(row[1]))
        evidence = question.evidence
        return Part(claim, self.support(answer), evidence if evidence and evidence.start < evidence.end else None)


@dataclass(frozen=True)
class ClassifierMetric(SupportMetric):
    """Asks a sequence classifier with two labels; `supported` is the number, in `labels`, of the one that says yes."""

    limit: ClassVar[int]
    supported: ClassVar[int]
    labels: ClassVar[tuple[tuple[str, ...], ...]]
    model_type: ClassVar[str]

    checkpoint: str = ""
    revision: str = ""
    dtype: Dtype = "float32"
    claims: Claims = "sentences"
    config_check: ConfigCheck = "strict"

    @cached_property
    def weights(self) -> Checkpoint:
        published = self.checkpoint == type(self).checkpoint
        expects = expected_model(self.config_check, self.labels, self.model_type, published)
        return Checkpoint(self.checkpoint, "sequence_classifier", self.revision, self.dtype, expects=expects)

    @property
    def whole(self) -> bool:
        return self.claims == "whole"

    @property
    def options(self) -> tuple[Option, ...]:
        return (("limit", self.limit),)

    def support(self, answer: Answer) -> float:
        return label_probability(self.weights, answer, self.supported, 2, self.card.title)


def expected_model(
    check: ConfigCheck, labels: tuple[tuple[str, ...], ...], model_type: str, published: bool
) -> ExpectedModel | None:
    """Requirements of a metric on its classifier; None where the owner vouches for it."""
    return None if check == "off" else ExpectedModel(labels, tuple(model_type.split()), published)


def label_matrix(weights: Checkpoint, answers: Sequence[Answer], labels: int, model: str) -> NDArray[np.float64]:
    """The probabilities of answers, (answers, labels); raises UnscorableError for a model with another number of labels."""
    for answer in answers:
        if len(answer.values) != labels:
            raise UnscorableError(_OTHER_LABELS.format(weights, len(answer.values), model, labels))
    return np.array([answer.values for answer in answers]).reshape(len(answers), labels)


def label_probability(weights: Checkpoint, answer: Answer, index: int, labels: int, model: str) -> float:
    """One of the probabilities of an answer; raises UnscorableError for a model with another number of labels."""
    if len(answer.values) != labels:
        raise UnscorableError(_OTHER_LABELS.format(weights, len(answer.values), model, labels))
    return answer.values[index]


def _whole_span(summary: str) -> Span:
    return Span(0, len(summary))
