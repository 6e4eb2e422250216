"""Likelihood of a summary less that of the summary which the same model writes (figure 2 of BUMP, Ma et al. 2023)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.text import layout_units
from core.types import Example, Part, Question, Rounds, Score, Seen, Span


@METRICS.add
@dataclass(frozen=True)
class GenerationGap(ReplaceableWeights, MultiRoundMetric):
    """The model writes a summary of the document by beam search, once for all summaries of it; then both are judged by the same model."""

    name: ClassVar[str] = "generation-gap"
    card: ClassVar[Card] = Card(
        title="Generation gap",
        family="Likelihood",
        measures="The mean log-probability of the tokens of the summary, given the document, less that of the summary which the same "
        "model writes by beam search.",
        paper="Ma, Cao, Logan IV, Lu, Ran, Zhang, Tetreault, Jaimes 2023, BUMP: A Benchmark of Unfaithful Minimal Pairs",
        url="https://aclanthology.org/2023.acl-long.716",
        low=None,
        high=None,
        download_mb=1_626,
        licence="Touchstone's own code, Apache-2.0; weights MIT.",
        differs="The paper names neither the checkpoint of its BART nor the beams: here they are bart-large-cnn's own (four beams, 56 to "
        "142 tokens). It draws the differences of unfaithful summaries only, and calls them no metric. Parts have no such difference: "
        "they are the mean log-probability of their tokens less that of the whole generated summary.",
    )

    checkpoint: str = "facebook/bart-large-cnn"
    revision: str = ""
    dtype: Dtype = "float32"
    max_tokens: int = 1024
    beams: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 8 <= self.max_tokens <= 1024 or not 0 <= self.beams <= 16:
            raise BadSettingError(
                f"{self.name}: max_tokens must be 8 to 1024 and beams 0 (the checkpoint's own) to 16; got {self.max_tokens} and {self.beams}."
            )

    @property
    def writer(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "seq2seq_generation", self.revision, self.dtype)

    @property
    def judge(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "seq2seq_likelihood", self.revision, self.dtype)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.writer, self.judge)

    def rounds(self, example: Example) -> Rounds[Score]:
        beams = (("beams", self.beams),) if self.beams else ()
        [written] = yield [
            Question(self.writer, (example.document,), (("limit", self.max_tokens), ("framed", 1), *beams))
        ]
        generated = written.texts[0].strip()
        if not generated:
            raise UnscorableError("The model writes nothing for this document: there is no summary to compare with.")
        limits = (("limits", (self.max_tokens, self.max_tokens)),)
        given, own = yield [
            Question(self.judge, (example.document, text), limits) for text in (example.summary, generated)
        ]
        level = _mean(own.values)
        parts = []
        for span in layout_units(example.summary):
            inside = [
                value
                for token, value in zip(given.spans, given.values, strict=True)
                if token.start < token.end and span.start <= token.start < span.end
            ]
            if inside:
                parts.append(Part(span, _mean(inside) - level))
        cut = [f"{given.cut} tokens beyond the limit were not read."] if given.cut else []
        notes = (f"The model's own summary: {generated}", *cut)
        tokens = written.tokens + given.tokens + own.tokens
        seen = Seen((Span(0, len(example.document)),), tokens, given.cut, notes)
        return Score(_mean(given.values) - level, tuple(parts), seen)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
