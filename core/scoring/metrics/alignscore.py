"""AlignScore (Zha et al. 2023): is each sentence of the summary aligned with some chunk of the document?

The algorithm is that of the authors' package (AlignScore a0936d5): balanced chunks of whole sentences, the largest
probability over the chunks, the mean over the sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.entailment import Passage, SupportMetric
from core.text import sentences
from core.types import Answer, Option, Span

Mode = Literal["nli_sp", "nli", "bin_sp", "bin", "reg_sp", "reg"]

CHUNK_WORDS = 350

_ALIGNED = {"nli": 0, "bin": 1, "reg": 0}
"""Index of the probability of being aligned in each head, or of its one number."""


def _card(size: str, download_mb: int, memory_mb: int) -> Card:
    return Card(
        title=f"AlignScore {size}",
        family="Entailment",
        measures="How probable it is that a chunk of the document entails each sentence of the summary; the mean over sentences.",
        paper="Zha, Yang, Li, Hu 2023, AlignScore: Evaluating Factual Consistency with a Unified Alignment Function",
        url="https://aclanthology.org/2023.acl-long.634",
        low=0.0,
        high=1.0,
        contexts="best",
        download_mb=download_mb,
        memory_mb=memory_mb,
        licence="Code and weights MIT.",
        differs="In the authors' package a sentence of 508 tokens or more changes how its neighbours in the batch are cut; "
        "here every pair is cut by itself. Where mode= is nli, bin or reg the score is the authors', and the sentences, which "
        "they do not look at, are scored one by one for the parts. mode=reg_sp and reg give the "
        "head of similarity, whose number is not bounded; the paper uses nli_sp. The file on the hub is two thirds optimizer: a copy without it is "
        "written beside the download.",
    )


def chunks(document: str) -> list[Passage]:
    """Groups of equally many sentences, about 350 words each; one empty chunk of a document without a sentence."""
    spans = sentences(document)
    number = len(document.split()) // CHUNK_WORDS + 1
    step = max(len(spans) // number, 1)
    groups = [spans[start : start + step] for start in range(0, len(spans), step)]
    passages = [
        Passage(" ".join(span.of(document) for span in group), Span(group[0].start, group[-1].end)) for group in groups
    ]
    return passages or [Passage("", Span(0, 0))]


@dataclass(frozen=True)
class AlignScore(ReplaceableWeights, SupportMetric):
    """Base of both sizes. `mode` is the head, with _sp for chunks and sentences, without for texts as they are."""

    checkpoint: str = ""
    revision: str = ""
    dtype: Dtype = "float32"
    backbone: str = ""
    mode: Mode = "nli_sp"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.head == "reg":  # a similarity, which has no bounds
            object.__setattr__(self, "card", replace(self.card, low=None, high=None))  # the fields alone are frozen

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "alignscore", self.revision, self.dtype, self.backbone)

    @property
    def whole(self) -> bool:
        return not self.mode.endswith("_sp")

    @property
    def head(self) -> str:
        return self.mode.removesuffix("_sp")

    @property
    def options(self) -> tuple[Option, ...]:
        return (("head", self.head),)

    def passages(self, document: str) -> list[Passage]:
        return [Passage(document, Span(0, len(document)))] if self.whole else chunks(document)

    def inputs(self, passage: str, claim: str) -> tuple[str, ...]:
        return passage, claim

    def support(self, answer: Answer) -> float:
        return answer.values[_ALIGNED[self.head]]


@METRICS.add
@dataclass(frozen=True)
class AlignScoreBase(AlignScore):
    """The smaller model, on RoBERTa base."""

    name: ClassVar[str] = "alignscore-base"
    card: ClassVar[Card] = _card("base", 1_970, 500)
    checkpoint: str = "yzha/AlignScore/AlignScore-base.ckpt"
    backbone: str = "FacebookAI/roberta-base"


@METRICS.add
@dataclass(frozen=True)
class AlignScoreLarge(AlignScore):
    """The larger model, on RoBERTa large, which published tables use."""

    name: ClassVar[str] = "alignscore-large"
    card: ClassVar[Card] = _card("large", 4_900, 1_420)
    checkpoint: str = "yzha/AlignScore/AlignScore-large.ckpt"
    backbone: str = "FacebookAI/roberta-large"
