"""HHEM-2.1-open (Vectara 2024): the encoder of a T5 that tells whether a hypothesis follows from a premise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.errors import BadSettingError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.entailment import Claims, Passage, SupportMetric, label_probability
from core.types import Answer, Option, Span

_CONSISTENT = 1


def prompt(premise: str, hypothesis: str) -> str:
    """The text that the model was trained on; the first token, whose state is judged, is written out."""
    return (
        "<pad> Determine if the hypothesis is true given the premise?\n\n"
        f"Premise: {premise}\n\nHypothesis: {hypothesis}"
    )


@METRICS.add
@dataclass(frozen=True)
class HHEM(ReplaceableWeights, SupportMetric):
    """The whole document and the whole summary at once; nothing is cut, what is longer than `max_tokens` is refused."""

    name: ClassVar[str] = "hhem"
    card: ClassVar[Card] = Card(
        title="HHEM-2.1-open",
        family="Entailment",
        measures="How probable it is that the document supports the summary.",
        paper="Li, Luo, Mendelevitch 2024, HHEM-2.1-Open",
        url="https://doi.org/10.57967/hf/3240",
        low=0.0,
        high=1.0,
        download_mb=440,
        licence="Weights, and the code that comes with them, Apache-2.0.",
        differs="The published model brings its own code, which is not run: the network is built here from its parts. The "
        "model cuts nothing, and memory grows with the square of the length; pairs over max_tokens are refused, not cut. "
        "The sentences, which the model's authors do not look at, are scored one by one for the parts; claims=sentences "
        "makes their mean the score.",
    )

    checkpoint: str = "vectara/hallucination_evaluation_model"
    revision: str = ""
    dtype: Dtype = "float32"
    backbone: str = "google/flan-t5-base"
    claims: Claims = "whole"
    max_tokens: int = 8192

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_tokens < 64:
            raise BadSettingError(f"{self.name}: max_tokens must be 64 or more; got {self.max_tokens}.")

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "hhem", self.revision, self.dtype, self.backbone)

    @property
    def whole(self) -> bool:
        return self.claims == "whole"

    @property
    def options(self) -> tuple[Option, ...]:
        return (("longest", self.max_tokens),)

    def passages(self, document: str) -> list[Passage]:
        return [Passage(document, Span(0, len(document)))]

    def inputs(self, passage: str, claim: str) -> tuple[str, ...]:
        return (prompt(passage, claim),)

    def support(self, answer: Answer) -> float:
        return label_probability(self.weights, answer, _CONSISTENT, 2, "HHEM")
