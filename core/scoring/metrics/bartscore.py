"""BARTScore (Yuan, Neubig and Liu 2021): how probable a summarizer finds the summary, given the document.

The algorithm is that of the authors' package (BARTScore 248f511), from source to hypothesis: both sides cut at the
end, the mean log-probability of all tokens of the summary, those that begin and end it included.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from core.errors import BadSettingError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.text import layout_units
from core.types import Answer, Example, Part, Question, Score, Seen, Span


@METRICS.add
@dataclass(frozen=True)
class BartScore(ReplaceableWeights):
    """One question for a pair; the model remembers the document, so that an edit costs a pass of the decoder."""

    name: ClassVar[str] = "bartscore"
    card: ClassVar[Card] = Card(
        title="BARTScore",
        family="Likelihood",
        measures="The mean log-probability of the tokens of the summary, given the document.",
        paper="Yuan, Neubig, Liu 2021, BARTScore: Evaluating Generated Text as Text Generation",
        url="https://arxiv.org/abs/2106.11520",
        low=None,
        high=0.0,
        download_mb=1_626,
        licence="Code Apache-2.0, weights MIT.",
        differs="The paper has no score of a sentence: here it is the mean over the tokens that begin in it, given the "
        "document and the summary before it. What goes beyond 1,024 tokens is not read, as in the published metric; "
        "here it is said. scale=exp gives exp(score), as other benchmarks report it. With dtype=bfloat16, which "
        "processors with products in bfloat16 compute 1.4 to 1.6 times as fast, scores moved by at most 0.001 with random weights of BART-base.",
    )

    checkpoint: str = "facebook/bart-large-cnn"
    revision: str = ""
    dtype: Dtype = "float32"
    scale: Literal["log", "exp"] = "log"
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 8 <= self.max_tokens <= 1024:
            raise BadSettingError(f"{self.name}: max_tokens must be 8 to 1024; got {self.max_tokens}.")
        if self.scale == "exp":
            object.__setattr__(self, "card", replace(self.card, low=0.0, high=1.0))  # the fields alone are frozen

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "seq2seq_likelihood", self.revision, self.dtype)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        limits = (self.max_tokens, self.max_tokens)
        return [Question(self.weights, (example.document, example.summary), (("limits", limits),))]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # one question
        [answer] = answers
        parts = []
        for span in layout_units(example.summary):
            # of the tokens that begin in it and have a letter; those of the template have none
            inside = [
                value
                for token, value in zip(answer.spans, answer.values, strict=True)
                if token.start < token.end and span.start <= token.start < span.end
            ]
            if inside:
                parts.append(Part(span, self._scaled(inside)))
        notes = (f"{answer.cut} tokens beyond the limit were not read.",) if answer.cut else ()
        seen = Seen((Span(0, len(example.document)),), answer.tokens, answer.cut, notes)
        return Score(self._scaled(answer.values), tuple(parts), seen)

    def _scaled(self, values: Sequence[float]) -> float:
        mean = math.fsum(values) / len(values)
        return math.exp(mean) if self.scale == "exp" else mean
