"""BLEURT-20 (Sellam, Das and Parikh 2020; Pu et al. 2021): a learned rating of a candidate against a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.errors import BadSettingError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.types import Answer, Example, Question, Score, Seen, Span


@METRICS.add
@dataclass(frozen=True)
class Bleurt20(ReplaceableWeights):
    """The document is the reference, the whole summary the candidate; both are read together, once."""

    name: ClassVar[str] = "bleurt-20"
    card: ClassVar[Card] = Card(
        title="BLEURT-20",
        family="Similarity",
        languages="cs de en es fr ja ko pl pt ru ta vi zh",
        measures="How good people would find the summary as a rewording of the document, from a model trained on ratings "
        "of translations.",
        paper="Pu, Chung, Parikh, Gehrmann, Sellam 2021, Learning Compact Metrics for MT",
        url="https://aclanthology.org/2021.emnlp-main.58",
        low=None,
        high=None,
        download_mb=2_318,
        licence="Code of Google and of the port Apache-2.0. Weights: their page states none.",
        differs="The numbers of the PyTorch port; those of Google's TensorFlow code differ from the third digit on, because it "
        "approximates an activation. Trained on sentences: of a document and summary over 512 tokens the end of the longer "
        "one is dropped, as Google's code does (the port crashes). One score for the summary, none for its sentences.",
    )

    checkpoint: str = "lucadiliello/BLEURT-20"
    revision: str = ""
    dtype: Dtype = "float32"
    max_tokens: int = 512

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 16 <= self.max_tokens <= 512:
            raise BadSettingError(f"{self.name}: max_tokens must be 16 to 512; got {self.max_tokens}.")

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "bleurt", self.revision, self.dtype)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        return [Question(self.weights, (example.document, example.summary), (("limit", self.max_tokens),))]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # one question
        """The number that the model gave."""
        [answer] = answers
        notes = (f"{answer.cut} tokens at the end of the longer text were not read.",) if answer.cut else ()
        whole = (Span(0, len(example.document)),)
        return Score(answer.values[0], (), Seen(whole, answer.tokens, answer.cut, notes))
