"""MiniCheck (Tang, Laban and Durrett 2024): is a claim supported by some chunk of the document?

The algorithm is that of the authors' package (MiniCheck b58b9fa): chunks of whole sentences and newlines packed greedily,
chunk and claim in one text around a separator, the largest probability over the chunks.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import fsum
from typing import ClassVar

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint, ConfigCheck, Dtype, ModelRef
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.entailment import SUPPORT_LABELS, Claims, expected_model, label_probability
from core.scoring.metric_parts.unit_metric import UnitMetric
from core.text import passage_spans, sentences
from core.types import Answer, Example, Option, Part, Question, Rounds, Score, Seen, Span

NO_AND_YES = (3, 209)
"""Token ids of flan-T5 for the empty piece, which answers 0, and for the piece "1"."""

_PAPER = "Tang, Laban, Durrett 2024, MiniCheck: Efficient Fact-Checking of LLMs on Grounding Documents"
_URL = "https://aclanthology.org/2024.emnlp-main.499"
_MEASURES = (
    "How probable it is that a chunk of the document supports each sentence of the summary; the mean over sentences."
)
_DIFFERS = (
    "The paper scores one claim. A summary is scored sentence by sentence and averaged here; claims=whole passes the "
    "summary as one claim, as the authors' package does."
)


def _card(title: str, download_mb: int) -> Card:
    return Card(
        title=title,
        family="Entailment",
        measures=_MEASURES,
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        contexts="best",
        download_mb=download_mb,
        licence="Code Apache-2.0, weights MIT.",
        differs=_DIFFERS,
    )


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage as the model reads it, and where it stands in the document."""

    text: str
    span: Span


def document_units(document: str) -> list[Span]:
    """The sentences of each line, and between two lines the newline as a unit of its own."""
    units: list[Span] = []
    start = 0
    for line in document.split("\n"):
        units += [Span(start + span.start, start + span.end) for span in sentences(line)]
        start += len(line) + 1
        units.append(Span(start - 1, start))
    return units[:-1]  # no newline after the last line


def pack_chunks(document: str, spans: Sequence[Span], sizes: Iterable[int], budget: int) -> list[Chunk]:
    """Fill chunks with whole units while the sizes stay within the budget; a unit over the budget stands alone."""
    groups: list[list[Span]] = [[]]
    used = 0
    for span, size in zip(spans, sizes, strict=True):
        if used + size > budget:
            groups.append([])
            used = 0
        groups[-1].append(span)
        used += size
    chunks = []
    for group in groups:
        # a blank stays between two newlines in a row: the authors' models were run on it, and scores move without it
        text = " ".join(span.of(document) for span in group).replace(" \n ", "\n").strip()
        inner = [span for span in group if span.of(document) != "\n"]
        if text:
            chunks.append(Chunk(text, Span(inner[0].start, inner[-1].end)))
    return chunks


def units_of_passages(example: Example) -> list[list[Span]]:
    """The units of each context; of the whole document, as one list, where it has none."""
    return [
        [Span(place.start + unit.start, place.start + unit.end) for unit in document_units(place.of(example.document))]
        for place in passage_spans(example)
    ]


def pack_passages(document: str, contexts: Sequence[Sequence[Span]], sizes: Iterable[int], budget: int) -> list[Chunk]:
    """The chunks of each context, of which none goes into the next; `sizes` are those of all units in order."""
    rest = iter(sizes)
    return [
        chunk for units in contexts for chunk in pack_chunks(document, units, list(islice(rest, len(units))), budget)
    ]


class ChunkMetric(UnitMetric):
    """Every claim against every chunk of the document: the best chunk of each claim counts."""

    @property
    @abstractmethod
    def weights(self) -> ModelRef:
        """The model that is asked."""

    @property
    @abstractmethod
    def claims(self) -> Claims:
        """Unit of a claim: each sentence of the summary, or all of it."""

    @property
    @abstractmethod
    def options(self) -> tuple[Option, ...]:
        """The options of every question."""

    @abstractmethod
    def inputs(self, chunk: str, claim: str) -> tuple[str, ...]:
        """Texts that the model reads."""

    @abstractmethod
    def support(self, answer: Answer) -> float:
        """Probability that the chunk supports the claim."""

    @abstractmethod
    def combine(self, scores: Sequence[float]) -> float:
        """The score of the summary from those of its claims."""

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (self.weights,)

    def unit_notes(self, summary: str) -> tuple[str, ...]:
        return () if self.claims == "whole" else super().unit_notes(summary)

    def ask(self, example: Example, chunks: Sequence[Chunk]) -> list[Question]:
        whole = (Span(0, len(example.summary)),)
        spans = whole if self.claims == "whole" else self.units_of(example.summary)
        weights, options = self.weights, self.options
        return [
            Question(
                weights,
                self.inputs(chunk.text, span.of(example.summary)),
                options,
                claim=span,
                evidence=chunk.span,
            )
            for span in spans
            for chunk in chunks
        ]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # the spans are in the questions
        if not questions:
            raise UnscorableError("There is nothing to compare: the document or the summary has no sentence.")
        rows: dict[Span | None, list[tuple[Question, Answer]]] = {}
        for question, answer in zip(questions, answers, strict=True):
            rows.setdefault(question.claim, []).append((question, answer))
        parts = tuple(self._part(pairs) for pairs in rows.values())

        claims = list(rows.values())
        answers = [answer for pairs in claims for _, answer in pairs]
        cuts = [max(answer.cut for _, answer in pairs) for pairs in claims]
        seen = Seen(
            pieces=tuple(question.evidence or Span(0, 0) for question, _ in claims[0]),
            tokens=sum(answer.tokens for answer in answers),
            cut=sum(answer.cut for answer in answers),
            notes=tuple(
                f"The claim of sentence {number} was cut by {cut} tokens." for number, cut in enumerate(cuts, 1) if cut
            ),
        )
        return Score(self.combine([part.score for part in parts]), parts, seen)

    def _part(self, pairs: Sequence[tuple[Question, Answer]]) -> Part:
        question, answer = max(pairs, key=lambda row: self.support(row[1]))
        return Part(question.claim or Span(0, 0), self.support(answer), question.evidence)


@dataclass(frozen=True)
class MiniCheck(ReplaceableWeights, ChunkMetric):
    """Base of the three models: how they read a chunk with a claim, and how scores are put together."""

    kind: ClassVar[str]
    separator: ClassVar[str] = "</s>"
    prefix: ClassVar[str] = ""
    longest: ClassVar[int] = 2048

    checkpoint: str = ""
    revision: str = ""
    dtype: Dtype = "float32"
    max_tokens: int = 2048
    claims: Claims = "sentences"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 16 <= self.max_tokens <= self.longest:
            raise BadSettingError(f"{self.name}: max_tokens must be 16 to {self.longest}; got {self.max_tokens}.")
        if self.budget < 1:
            raise BadSettingError(f"{self.name}: the size of a chunk must be at least 1; got {self.budget}.")

    @property
    @abstractmethod
    def budget(self) -> int:
        """The size of a chunk at most."""

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, self.kind, self.revision, self.dtype)

    @property
    def options(self) -> tuple[Option, ...]:
        return (("limit", self.max_tokens),)

    def inputs(self, chunk: str, claim: str) -> tuple[str, ...]:
        """One text; what is too long is cut from the right, so from the claim first."""
        return (self.prefix + chunk + self.separator + claim,)

    def support(self, answer: Answer) -> float:
        return label_probability(self.weights, answer, 1, 2, "MiniCheck")

    def combine(self, scores: Sequence[float]) -> float:
        return fsum(scores) / len(scores)


@dataclass(frozen=True)
class EncoderMiniCheck(MiniCheck):
    """Chunks are measured in the model's own tokens, so its tokenizer is asked first."""

    kind: ClassVar[str] = "sequence_classifier"
    model_type: ClassVar[str]
    chunk_tokens: int = 400
    config_check: ConfigCheck = "strict"

    @property
    def weights(self) -> Checkpoint:
        published = self.checkpoint == type(self).checkpoint
        expects = expected_model(self.config_check, SUPPORT_LABELS, self.model_type, published)
        return replace(super().weights, expects=expects)

    @property
    def budget(self) -> int:
        return self.chunk_tokens

    def rounds_as_read(self, example: Example) -> Rounds[Score]:
        contexts = units_of_passages(example)
        counter = Checkpoint(self.checkpoint, "token_count", self.revision)
        [lengths] = yield [Question(counter, tuple(span.of(example.document) for span in chain(*contexts)))]
        sizes = [min(int(length), self.max_tokens) for length in lengths.values]
        questions = self.ask(example, pack_passages(example.document, contexts, sizes, self.budget))
        answers = yield questions
        return self.fold(example, questions, answers)


@METRICS.add
@dataclass(frozen=True)
class MiniCheckRoberta(EncoderMiniCheck):
    """The small encoder: 512 tokens at once."""

    name: ClassVar[str] = "minicheck-roberta"
    card: ClassVar[Card] = _card("MiniCheck RoBERTa", 1_422)
    longest: ClassVar[int] = 512
    model_type: ClassVar[str] = "roberta"
    checkpoint: str = "lytang/MiniCheck-RoBERTa-Large"
    max_tokens: int = 512


@METRICS.add
@dataclass(frozen=True)
class MiniCheckDeberta(EncoderMiniCheck):
    """The large encoder: chunks of the same size, with room for long claims."""

    name: ClassVar[str] = "minicheck-deberta"
    card: ClassVar[Card] = _card("MiniCheck DeBERTa", 1_740)
    separator: ClassVar[str] = "[SEP]"
    model_type: ClassVar[str] = "deberta-v2"
    checkpoint: str = "lytang/MiniCheck-DeBERTa-v3-Large"


@METRICS.add
@dataclass(frozen=True)
class MiniCheckFlanT5(MiniCheck):
    """The encoder-decoder: answers by the first token it would write. Chunks are measured in words between blanks."""

    name: ClassVar[str] = "minicheck-flan-t5"
    card: ClassVar[Card] = _card("MiniCheck Flan-T5", 3_133)
    kind: ClassVar[str] = "seq2seq_choice"
    prefix: ClassVar[str] = "predict: "
    checkpoint: str = "lytang/MiniCheck-Flan-T5-Large"
    chunk_words: int = 500

    @property
    def budget(self) -> int:
        return self.chunk_words

    @property
    def options(self) -> tuple[Option, ...]:
        return (*super().options, ("choices", NO_AND_YES))

    def plan(self, example: Example) -> list[Question]:
        contexts = units_of_passages(example)
        sizes = [len(span.of(example.document).split()) for span in chain(*contexts)]
        return self.ask(example, pack_passages(example.document, contexts, sizes, self.budget))
