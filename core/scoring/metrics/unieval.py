"""UniEval (Zhong et al. 2022): a T5 answers with yes or no whether each sentence is consistent with the document.

The question, its fields and the mean over sentences are those of the authors' package (UniEval d33e7b6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import ClassVar

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.unit_metric import UnitMetric
from core.types import Answer, Example, Part, Question, Score, Seen, Span

YES_AND_NO = "Yes No"
"""The answers; as in the authors' code each stands for the first token that the checkpoint's own tokenizer makes of it."""

MAX_TOKENS = 1 << 16
"""T5 has relative positions and no limit of its own; this one is for the memory."""

_QUESTION = "question: Is this claim consistent with the document? </s> claim: {claim} </s> document: {document}"


def _card(title: str) -> Card:
    return Card(
        title=title,
        family="Question answering",
        measures="How probable yes is, against no, when the model is asked whether a sentence is consistent with the "
        "document; the mean over sentences.",
        paper="Zhong, Liu, Yin, Mao, Jiao, Liu, Zhu, Ji, Han 2022, Towards a Unified Multi-Dimensional Evaluator for "
        "Text Generation",
        url="https://arxiv.org/abs/2210.07197",
        low=0.0,
        high=1.0,
        download_mb=3_133,
        licence="Code MIT. Weights: their page states none.",
        differs="The end of a document that exceeds 1,024 tokens (about 750 words) is not read, as in the published "
        "metric; here it is said. A sentence has a score but no passage that it rests on.",
    )


@dataclass(frozen=True)
class UniEvalBase(UnitMetric):
    """Base of the two models: one question for each sentence, with the whole document after it."""

    checkpoint: str = ""
    revision: str = ""
    dtype: Dtype = "float32"
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        if not 64 <= self.max_tokens <= MAX_TOKENS:
            raise BadSettingError(f"{self.name}: max_tokens must be 64 to {MAX_TOKENS}; got {self.max_tokens}.")

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "seq2seq_choice", self.revision, self.dtype)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        options = (("limit", self.max_tokens), ("words", YES_AND_NO))
        return [
            Question(
                self.weights,
                (_QUESTION.format(claim=span.of(example.summary), document=example.document),),
                options,
                claim=span,
            )
            for span in self.units_of(example.summary)
        ]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        if not questions:
            raise UnscorableError("The summary has no sentence to ask about. Write one.")
        parts = tuple(
            Part(question.claim or Span(0, 0), answer.values[0])
            for question, answer in zip(questions, answers, strict=True)
        )
        value = fsum(part.score for part in parts) / len(parts)
        seen = Seen(
            pieces=(Span(0, len(example.document)),),
            tokens=sum(answer.tokens for answer in answers),
            cut=sum(answer.cut for answer in answers),
            notes=tuple(
                f"For sentence {number} the last {answer.cut} tokens of the document were not read."
                for number, answer in enumerate(answers, 1)
                if answer.cut
            ),
        )
        return Score(value, parts, seen)


@METRICS.add
@dataclass(frozen=True)
class UniEvalFact(UniEvalBase):
    """The model trained for factual consistency, which benchmarks of consistency use."""

    name: ClassVar[str] = "unieval-fact"
    card: ClassVar[Card] = _card("UniEval (fact)")
    checkpoint: str = "MingZhong/unieval-fact"


@METRICS.add
@dataclass(frozen=True)
class UniEvalSum(UniEvalBase):
    """The model trained for four dimensions of summaries, asked about consistency."""

    name: ClassVar[str] = "unieval-sum"
    card: ClassVar[Card] = _card("UniEval (summarization, consistency)")
    checkpoint: str = "MingZhong/unieval-sum"
