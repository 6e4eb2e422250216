"""Metrics that are a checkpoint and a declaration of how it is asked: one class for each form of model.

The document is read in chunks of whole sentences, each claim of the summary is held against every chunk, and the table of
the metric says how the scores of chunks become that of a claim, and those of claims that of the summary.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from types import MappingProxyType
from typing import ClassVar, Literal

from core.errors import BadSettingError, UnreadableAnswerError, UnscorableError
from core.model_reference import Checkpoint, ConfigCheck, Dtype, ExpectedModel
from core.models import ONNX_KIND, token_word
from core.scoring.metric_parts.entailment import Claims, Passage, SupportMetric, label_probability
from core.scoring.metric_parts.unit_metric import UnitMetric
from core.scoring.plugins.function_metric import PluginMetric
from core.text import pieces_of_passages, sentences
from core.types import Answer, Example, Option, Part, Question, Score, Seen, Span

Over = Literal["max", "mean", "min"]
OverSentences = Literal["max", "mean", "min", "softmin"]
First = Literal["document", "summary"]
Activation = Literal["sigmoid", "none"]
Backend = Literal["torch", "onnx"]

_SOFTNESS = 0.1  # distance between two scores at which the lower one counts 1/e as much


def soft_minimum(scores: Sequence[float]) -> float:
    """The mean of scores weighted by exp(-score / 0.1): near the lowest, and lower where several are low."""
    lowest = min(scores)
    weights = [math.exp((lowest - score) / _SOFTNESS) for score in scores]
    return math.fsum(weight * score for weight, score in zip(weights, scores, strict=True)) / math.fsum(weights)


_COMBINE: Mapping[OverSentences, Callable[[Sequence[float]], float]] = MappingProxyType(
    {"max": max, "mean": fmean, "min": min, "softmin": soft_minimum}
)
_PLACE = re.compile(r"\{(document|summary)\}")
_UNNAMED = re.compile(r"(label[ _]?)?\d+", re.IGNORECASE)
_TOP_TOKENS = 20
_SYSTEM = "You compare a claim with a document. Answer with one word."


@dataclass(frozen=True)
class CheckpointMetric(UnitMetric, PluginMetric):
    """Base of the forms; each declared metric has a class of its own, with the values of its table as defaults."""

    form: ClassVar[str]
    """Form of the table that declares it, as "classifier"."""
    kind: ClassVar[str]
    """Kind of model that reads the texts; see `core.models.adapters`."""
    template: ClassVar[str] = ""
    """Text that the model reads, with {document} and {summary} in it; empty for a pair of texts."""

    checkpoint: str = ""
    """Repository, folder or file of the weights."""
    revision: str = ""
    """Branch, tag or commit on the hub; empty for the pinned commit."""
    dtype: Dtype = "float32"
    """Number format in which the weights are held and computed."""
    max_tokens: int = 512
    """Limit of the model in tokens, at least 16."""
    chunk_words: int = 250
    """Words of a chunk of the document; 0 reads it in one piece."""
    claims: Claims = "sentences"
    """Unit that is judged: each sentence, or the summary as a whole."""
    over_chunks: Over = "max"
    """Aggregation of the scores of a claim over chunks."""
    over_sentences: OverSentences = "mean"
    """Aggregation of the scores of sentences over the summary."""

    def __post_init__(self) -> None:
        if self.max_tokens < 16 or self.chunk_words < 0:
            raise BadSettingError(
                f"{self.name}: max_tokens must be 16 or more and chunk_words 0 or more; got {self.max_tokens} and "
                f"{self.chunk_words}."
            )

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, self.kind, self.revision, self.dtype)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    @property
    def options(self) -> tuple[Option, ...]:
        return (("limit", self.max_tokens),)

    @property
    def whole(self) -> bool:
        return self.claims == "whole"

    def passages(self, document: str) -> list[Passage]:
        """Chunks of whole sentences up to that number of words; a longer sentence is a chunk of its own."""
        groups: list[list[Span]] = []
        used = 0
        for span in sentences(document):
            size = len(span.of(document).split())
            if not groups or (self.chunk_words and used + size > self.chunk_words):
                groups.append([])
                used = 0
            groups[-1].append(span)
            used += size
        places = [Span(group[0].start, group[-1].end) for group in groups]
        return [Passage(place.of(document), place) for place in places]

    def _claim_part(self, claim: Span, supports: Sequence[float], places: Sequence[Span | None]) -> Part:
        """The score of a claim; its evidence is the chunk that supports it most, or least where the least counts."""
        decisive = min(supports) if self.over_chunks == "min" else max(supports)
        return Part(claim, _COMBINE[self.over_chunks](supports), places[supports.index(decisive)])

    def _over_sentences(self, parts: Sequence[Part]) -> float:
        return _COMBINE[self.over_sentences]([part.score for part in parts])


def fill_template(template: str, document: str, summary: str) -> str:
    """The template with both texts in their places; what stands in the texts themselves is left as it is."""
    texts = {"document": document, "summary": summary}
    return _PLACE.sub(lambda match: texts[match[1]], template)


@dataclass(frozen=True)
class _SupportReader(CheckpointMetric, SupportMetric):
    """Reads a chunk and a claim together, and says by each answer how far the chunk supports the claim."""

    def inputs(self, passage: str, claim: str) -> tuple[str, ...]:
        return (fill_template(self.template, passage, claim),)

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        score = super().fold(example, questions, answers)
        value = score.value if self.whole else self._over_sentences(score.parts)
        facts = (f"template:{hashlib.sha256(self.template.encode()).hexdigest()[:12]}",) if self.template else ()
        return replace(score, value=value, asked=facts)

    def _part(self, claim: Span, pairs: Sequence[tuple[Question, Answer]]) -> Part:
        supports = [self.support(answer) for _, answer in pairs]
        return self._claim_part(claim, supports, [question.evidence for question, _ in pairs])


@dataclass(frozen=True)
class _PairReader(_SupportReader):
    """Reads two texts as a pair, the document first or second, or both in a template.

    The `backend` that computes it is PyTorch, or ONNX Runtime from an ONNX file.
    """

    first: First = "document"
    backend: Backend = "torch"

    @property
    def weights(self) -> Checkpoint:
        kind = ONNX_KIND if self.backend == "onnx" else self.kind
        return replace(super().weights, kind=kind)

    def inputs(self, passage: str, claim: str) -> tuple[str, ...]:
        if self.template:
            return super().inputs(passage, claim)
        return (passage, claim) if self.first == "document" else (claim, passage)


@dataclass(frozen=True)
class DeclaredClassifier(_PairReader):
    """The probability of the label that says that the document supports the claim.

    `labels` are those of its config.json in their order, separated by commas; `label` is one of them.
    """

    form: ClassVar[str] = "classifier"
    name: ClassVar[str] = "classifier"
    kind: ClassVar[str] = "sequence_classifier"

    labels: str = "entailment, neutral, contradiction"
    label: str = "entailment"
    config_check: ConfigCheck = "strict"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.names.count(self.label) != 1:
            raise BadSettingError(
                f"{self.name}: label must be one of {', '.join(self.names)}; got {self.label!r}. It is the one that says "
                "that the document supports the claim."
            )

    @property
    def names(self) -> list[str]:
        return [name.strip() for name in self.labels.split(",")]

    @property
    def weights(self) -> Checkpoint:
        """The checkpoint, which must still have these labels in this order where they have names."""
        if self.config_check == "off" or all(map(_UNNAMED.fullmatch, self.names)):
            return super().weights
        labels = tuple((name.lower().replace("_", " ").replace("-", " "),) for name in self.names)
        return replace(super().weights, expects=ExpectedModel(labels, ()))

    def support(self, answer: Answer) -> float:
        place = self.names.index(self.label)
        return label_probability(self.weights, answer, place, len(self.names), self.card.title)


@dataclass(frozen=True)
class DeclaredRegressor(_PairReader):
    """The one number of a model with one label, by a sigmoid or as it is; with `reverse` a high one says unsupported."""

    form: ClassVar[str] = "regressor"
    name: ClassVar[str] = "regressor"
    kind: ClassVar[str] = "sequence_regressor"

    activation: Activation = "sigmoid"
    reverse: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = (0.0, 1.0) if self.activation == "sigmoid" else (None, None)
        object.__setattr__(self, "card", replace(self.card, low=low, high=high))  # the fields alone are frozen

    def support(self, answer: Answer) -> float:
        value = -answer.values[0] if self.reverse else answer.values[0]
        return value if self.activation == "none" else (1 + math.tanh(value / 2)) / 2  # no overflow, unlike exp


@dataclass(frozen=True)
class DeclaredEncoder(CheckpointMetric):
    """The cosine of the embeddings of a claim and a chunk."""

    form: ClassVar[str] = "encoder"
    name: ClassVar[str] = "encoder"
    kind: ClassVar[str] = "sentence_embedding"

    def plan(self, example: Example) -> list[Question]:
        """One question for each chunk of the document, then one for each claim."""
        read = [
            Question(self.weights, (passage.text,), self.options, evidence=passage.span)
            for passage in pieces_of_passages(example, self.passages, Passage.moved)
        ]
        claims = [Span(0, len(example.summary))] if self.whole else self.units_of(example.summary)
        return [
            *read,
            *(Question(self.weights, (span.of(example.summary),), self.options, claim=span) for span in claims),
        ]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # the spans are in the questions
        places = [question.evidence for question in questions if question.evidence is not None]
        claims = [question.claim for question in questions if question.claim is not None]
        if not places or not claims:
            raise UnscorableError("There is nothing to compare: the document or the summary has no sentence.")
        document, summary = answers[: len(places)], answers[len(places) :]
        # the cosine of two embeddings of unit length
        parts = tuple(
            self._claim_part(
                claim,
                [math.fsum(x * y for x, y in zip(embedded.values, read.values, strict=True)) for read in document],
                places,
            )
            for claim, embedded in zip(claims, summary, strict=True)
        )
        cut = sum(answer.cut for answer in answers)
        notes = (f"{cut} tokens beyond the model's limit were not read. Set chunk_words= lower.",) if cut else ()
        seen = Seen(tuple(places), sum(answer.tokens for answer in answers), cut, notes)
        return Score(self._over_sentences(parts), parts, seen)


@dataclass(frozen=True)
class _WordReader(_SupportReader):
    """Reads which of two words the model writes, the first for a claim that is supported."""

    words: str = "Yes No"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len({*self.words.lower().split()}) != 2 or len(self.words.split()) != 2:
            raise BadSettingError(
                f"{self.name}: words must be two words with a blank between, first the one for a claim that is supported, as "
                f"Yes No; got {self.words!r}."
            )


@dataclass(frozen=True)
class DeclaredChoice(_WordReader):
    """The probability with which a T5 writes the first of two words rather than the second."""

    form: ClassVar[str] = "seq2seq"
    name: ClassVar[str] = "seq2seq"
    kind: ClassVar[str] = "seq2seq_choice"

    @property
    def options(self) -> tuple[Option, ...]:
        return (*super().options, ("words", self.words))

    def support(self, answer: Answer) -> float:
        return answer.values[0]


@dataclass(frozen=True)
class DeclaredJudge(_WordReader):
    """The probability with which a chat model begins its answer with the first of two words rather than the second."""

    form: ClassVar[str] = "judge"
    name: ClassVar[str] = "judge"
    kind: ClassVar[str] = "local_logprobs"

    @property
    def options(self) -> tuple[Option, ...]:
        return (("top_tokens", _TOP_TOKENS),)

    def inputs(self, passage: str, claim: str) -> tuple[str, ...]:
        return (_SYSTEM, *super().inputs(passage, claim))

    def support(self, answer: Answer) -> float:
        good, bad = self.words.lower().split()
        shares = [(token_word(token).lower(), share) for token, share in zip(answer.texts, answer.values, strict=True)]
        yes, no = (math.fsum(share for word, share in shares if word == label) for label in (good, bad))
        if not yes + no:
            written = ", ".join(repr(token) for token in answer.texts[:5])
            raise UnreadableAnswerError(
                f"The model begins its answer with neither {self.words.replace(' ', ' nor ')}, but with {written}. Change the "
                "template or words= in the table of the metric.",
                [answer],
            )
        return yes / (yes + no)


FORMS: Mapping[str, type[CheckpointMetric]] = MappingProxyType(
    {
        form.form: form
        for form in (DeclaredClassifier, DeclaredRegressor, DeclaredEncoder, DeclaredChoice, DeclaredJudge)
    }
)
"""The classes by the name that a table gives them."""
