"""FactCC (Kryściński et al. 2020): a classifier of whole documents and single sentences, trained on synthetic errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.entailment import ClassifierMetric, Passage
from core.types import Span


@METRICS.add
@dataclass(frozen=True)
class FactCC(ReplaceableWeights, ClassifierMetric):
    """The document and a claim as one pair; what is too long is cut from the longer of the two."""

    name: ClassVar[str] = "factcc"
    card: ClassVar[Card] = Card(
        title="FactCC",
        family="Entailment",
        measures="How probable it is that the document supports each sentence of the summary; the mean over sentences.",
        paper="Kryściński, McCann, Xiong, Socher 2020, Evaluating the Factual Consistency of Abstractive Text Summarization",
        url="https://aclanthology.org/2020.emnlp-main.750",
        low=0.0,
        high=1.0,
        download_mb=440,
        licence="Code BSD-3-Clause. Weights: for the port no statement was found.",
        differs="The authors' script prints the accuracy over a data set; this is the probability of its label CORRECT. The "
        "paper's claims are single sentences: a summary is scored sentence by sentence and averaged here; claims=whole "
        "passes it as one claim. Weights are a port of the authors' to the hub. What goes beyond 512 tokens is cut one "
        "token at a time from the longer text, as by the authors; the port's example cuts the document only.",
    )
    limit: ClassVar[int] = 512
    supported: ClassVar[int] = 0
    labels: ClassVar[tuple[tuple[str, ...], ...]] = (("correct",), ("incorrect",))
    model_type: ClassVar[str] = "bert"
    checkpoint: str = "manueldeprada/FactCC"

    def passages(self, document: str) -> list[Passage]:
        return [Passage(document, Span(0, len(document)))]

    def inputs(self, passage: str, claim: str) -> tuple[str, ...]:
        return passage, claim
