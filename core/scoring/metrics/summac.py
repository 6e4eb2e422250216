"""SummaC (Laban et al. 2022): does some sentence of the document entail each sentence of the summary?

The algorithms are those of the authors' package (SummaC c1f3da9), with the settings of its README and benchmark: one NLI
model over every pair of units. Conv turns each unit's histogram of entailment into a number by the 32 released weights.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.base import memoize
from core.model_reference import Checkpoint, ConfigCheck, Dtype
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.entailment import NLI_LABELS, Passage, expected_model, label_matrix
from core.scoring.metric_parts.question_grid import QuestionGrid
from core.scoring.metric_parts.unit_metric import UnitMetric
from core.text import SENTENCES_KEPT, Units, pieces_of_passages, summary_units
from core.types import Answer, Example, Part, Question, Rounds, Score, Seen, Span

Model = Literal["vitc", "vitc-base", "vitc-only", "mnli", "mnli-base", "anli", "snli-base", "snli-large"]
Granularity = Literal["sentence", "paragraph", "document", "2sents", "mixed"]
Matrix = NDArray[np.float64]

_MODELS: dict[str, tuple[str, int, int]] = {
    "vitc": ("tals/albert-xlarge-vitaminc-mnli", 0, 1),
    "vitc-base": ("tals/albert-base-vitaminc-mnli", 0, 1),
    "vitc-only": ("tals/albert-xlarge-vitaminc", 0, 1),
    "mnli": ("FacebookAI/roberta-large-mnli", 2, 0),
    "mnli-base": ("microsoft/deberta-base-mnli", 2, 0),
    "anli": ("ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli", 0, 2),
    "snli-base": ("boychaboy/SNLI_roberta-base", 0, 2),
    "snli-large": ("boychaboy/SNLI_roberta-large", 0, 2),
}
"""Short name: repository, and where its labels have entailment and contradiction."""
_MODEL_TYPES = "albert roberta deberta"

_MAX_TOKENS = 500
_MIN_CHARACTERS = 11
_MAX_DOCUMENT_UNITS = 100
_CONV_ROWS = 10
_OVERLAPPING = {"2sents", "mixed"}

_PAPER = "Laban, Schnabel, Bennett, Hearst 2022, SummaC: Re-Visiting NLI-based Models for Inconsistency Detection in Summarization"
_URL = "https://aclanthology.org/2022.tacl-1.10"
_SETTINGS = (
    "Settings are those of the README and the benchmark (VitaminC, sentences); the defaults in the authors' code differ. "
    "Always in the number type of dtype=; the authors' code turns to half precision on CUDA. "
)


@memoize(SENTENCES_KEPT, len)
def text_units(text: str, granularity: Granularity, split: Units = "sentences") -> tuple[Passage, ...]:
    """The units of a text, each of more than ten characters unless it is the whole text."""
    if granularity == "document":
        return (Passage(text, Span(0, len(text))),)
    if granularity == "paragraph":
        return tuple(_paragraphs(text))
    units = [
        Passage(span.of(text), span) for span in summary_units(text, split) if len(span.of(text)) >= _MIN_CHARACTERS
    ]
    if granularity == "2sents":
        return (
            *(
                Passage(f"{first.text} {second.text}", Span(first.span.start, second.span.end))
                for first, second in pairwise(units)
            ),
            *units[-1:],
        )
    return (*units, *_paragraphs(text)) if granularity == "mixed" else tuple(units)


def _paragraphs(text: str) -> list[Passage]:
    """Passages between blank lines, where there is one; else the lines."""
    separator = "\n\n" if "\n\n" in text else "\n"
    passages, start = [], 0
    for piece in text.split(separator):
        inner = piece.strip()
        place = start + len(piece) - len(piece.lstrip())
        passages.append(Passage(inner, Span(place, place + len(inner))))
        start += len(piece) + len(separator)
    return [passage for passage in passages if len(passage.text) >= _MIN_CHARACTERS]


@dataclass(frozen=True)
class SummaC(ReplaceableWeights, UnitMetric):
    """The matrix of pairs that both variants read. `checkpoint` replaces the weights of `nli`, whose order its labels have where it does not name them."""

    rows: ClassVar[int | None] = None
    """Units of the summary that count; None: all of them."""

    nli: Model = "vitc"
    checkpoint: str = ""
    revision: str = ""
    dtype: Dtype = "float32"
    document_units: Granularity = "sentence"
    summary_units: Granularity = "sentence"
    config_check: ConfigCheck = "strict"

    @cached_property
    def weights(self) -> Checkpoint:
        source = self.checkpoint or _MODELS[self.nli][0]
        expects = expected_model(self.config_check, self._labels, _MODEL_TYPES, published=not self.checkpoint)
        return Checkpoint(source, "sequence_classifier", self.revision, self.dtype, expects=expects)

    @property
    def _labels(self) -> tuple[tuple[str, ...], ...]:
        """In the order of the model that `nli` names."""
        _, entailment, contradiction = _MODELS[self.nli]
        names = dict(zip((entailment, 3 - entailment - contradiction, contradiction), NLI_LABELS, strict=True))
        return tuple(names[place] for place in range(3))

    @abstractmethod
    def value(self, entailed: Matrix, contradicted: Matrix) -> float:
        """The score of a summary from two matrices of probabilities, (document units, summary units)."""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> Sequence[Question]:
        read, claimed = self._read(example), self._claimed(example)
        return QuestionGrid(
            self.weights,
            (("limit", _MAX_TOKENS),),
            tuple((passage.text, claim.text) for claim in claimed for passage in read),
            [claim.span for claim in claimed],
            [passage.span for passage in read],
        )

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # the units say which pairs were asked
        return self._score(example, answers, self.value)

    def _score(self, example: Example, answers: Sequence[Answer], value: Callable[[Matrix, Matrix], float]) -> Score:
        read, claimed = self._read(example), self._claimed(example)
        if not answers:
            which = "summary" if read else "document"
            return Score(
                value(np.zeros((1, 1)), np.zeros((1, 1))),
                seen=Seen(
                    notes=(
                        f"No unit of the {which} has more than ten characters: the score is what the method gives to nothing.",
                    )
                ),
            )
        entailed, contradicted = self._matrices(answers, (len(claimed), len(read)))
        counted = [] if self.summary_units in _OVERLAPPING else claimed
        parts = tuple(
            Part(
                passage.span,
                value(entailed[:, [column]], contradicted[:, [column]]),
                read[int(entailed[:, column].argmax())].span,
            )
            for column, passage in enumerate(counted)
        )
        return Score(value(entailed, contradicted), parts, self._seen(example, read, len(claimed), answers))

    def _matrices(self, answers: Sequence[Answer], shape: tuple[int, int]) -> tuple[Matrix, Matrix]:
        """Probabilities of entailment and of contradiction, (document units, summary units) each."""
        _, entailment, contradiction = _MODELS[self.nli]
        shares = label_matrix(self.weights, answers, 3, "SummaC's models")
        return shares[:, entailment].reshape(shape).T, shares[:, contradiction].reshape(shape).T

    def _read(self, example: Example) -> Sequence[Passage]:
        return self._document_units(example)[:_MAX_DOCUMENT_UNITS]

    def _document_units(self, example: Example) -> Sequence[Passage]:
        if self.card.contexts == "best":
            return pieces_of_passages(example, lambda text: text_units(text, self.document_units), Passage.moved)
        return text_units(example.document, self.document_units)

    def _claimed(self, example: Example) -> Sequence[Passage]:
        return text_units(example.summary, self.summary_units, self.units)[: self.rows]

    def _seen(self, example: Example, read: Sequence[Passage], claims: int, answers: Sequence[Answer]) -> Seen:
        cut = sum([answer.cut for answer in answers])
        beyond = len(self._document_units(example)) - len(read)
        uncounted = len(text_units(example.summary, self.summary_units, self.units)) - claims
        summary, by_sentence = example.summary, self.summary_units == "sentence"
        short = sum(by_sentence and len(span.of(summary)) < _MIN_CHARACTERS for span in self.units_of(summary))
        notes = {
            f"The document goes on: {beyond} units after the first {_MAX_DOCUMENT_UNITS} are not read.": beyond,
            f"The summary goes on: {uncounted} units after the first {self.rows} do not count.": uncounted,
            f"Sentences of ten characters or fewer do not count: {short} in the summary.": short,
            f"{cut} tokens of pairs longer than {_MAX_TOKENS} were not read.": cut,
        }
        return Seen(
            pieces=tuple(passage.span for passage in read),
            tokens=sum([answer.tokens for answer in answers]),
            cut=cut,
            notes=tuple(note for note, number in notes.items() if number),
        )


@METRICS.add
@dataclass(frozen=True)
class SummaCZS(SummaC):
    """Without training: the strongest entailment less the strongest contradiction of each unit, and the mean."""

    name: ClassVar[str] = "summac-zs"
    card: ClassVar[Card] = Card(
        title="SummaC-ZS",
        family="Entailment",
        measures="For each sentence of the summary the largest probability that a sentence of the document entails it, less "
        "the largest that one contradicts it; the mean over sentences.",
        paper=_PAPER,
        url=_URL,
        low=-1.0,
        high=1.0,
        contexts="best",
        download_mb=240,
        licence="Code Apache-2.0. Weights of VitaminC: their page states none; the repository of their authors is MIT.",
        differs=_SETTINGS + "A summary or document whose sentences all have ten characters or fewer scores 0.",
    )

    over_document: Literal["max", "mean", "min"] = "max"
    over_summary: Literal["mean", "min", "max"] = "mean"
    labels: Literal["both", "entailment", "contradiction"] = "both"

    def value(self, entailed: Matrix, contradicted: Matrix) -> float:
        over = _REDUCTIONS[self.over_document]
        for_, against = over(entailed, 0), over(contradicted, 0)  # (summary units,) each
        scores = {"both": for_ - against, "entailment": for_, "contradiction": 1 - against}[self.labels]
        return float(_REDUCTIONS[self.over_summary](scores, 0))


@METRICS.add
@dataclass(frozen=True)
class SummaCConv(SummaC):
    """With the released weights: how the probabilities of entailment are distributed over the document."""

    name: ClassVar[str] = "summac-conv"
    card: ClassVar[Card] = Card(
        title="SummaC-Conv",
        family="Entailment",
        measures="How the probabilities that a sentence of the document entails a sentence of the summary are distributed, "
        "weighed by a small trained head.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        download_mb=240,
        licence="Code and head Apache-2.0. Weights of VitaminC: their page states none; the repository of their authors is MIT.",
        differs=_SETTINGS
        + "The head was trained on probabilities of VitaminC's model (nli=vitc) between sentences. It counts "
        "sentences of the document, so the floor rises with length, from 0.20 to 0.34 at 100 sentences: compare scores of "
        "one document only. The score of a sentence is that of a summary of this sentence alone. head= takes another head "
        "that the authors' code saved (percentile bins, label e).",
    )
    rows: ClassVar[int | None] = _CONV_ROWS

    over_summary: Literal["mean", "min", "max", "all"] = "mean"
    head: str = ""

    @property
    def other_head(self) -> tuple[Checkpoint, ...]:
        """The head that takes the place of the released one, where one is named."""
        return (Checkpoint(self.head, "summac_head", setting="head"),) if self.head else ()

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights, *self.other_head)

    def rounds_as_read(self, example: Example) -> Rounds[Score]:
        numbers = yield [Question(head, ()) for head in self.other_head]
        head = _conv_head()
        if numbers:  # 32 weights, as the kind "summac_head" tells them, over the bins of the released head
            values = np.array(numbers[0].values)
            head = ConvHead(head.bins, values[:23], float(values[23]), values[24:30].reshape(2, 3), values[30:])
        answers = yield self.plan(example)
        return self._score(example, answers, lambda entailed, _: self._rating(head, entailed))

    def value(self, entailed: Matrix, contradicted: Matrix) -> float:  # noqa: ARG002  # a head knows entailment only
        return self._rating(_conv_head(), entailed)

    def _rating(self, head: ConvHead, entailed: Matrix) -> float:
        counts = np.array([np.histogram(column, head.bins)[0] for column in entailed.T])  # (summary units, bins)
        ratings = counts @ head.row_weights + head.row_bias  # (summary units,)
        names = ("min", "mean", "max") if self.over_summary == "all" else (self.over_summary,) * 3
        features = np.array([_REDUCTIONS[name](ratings, 0) for name in names])
        first, second = head.final_weights @ features + head.final_bias
        return float(1 / (1 + np.exp(first - second)))


@dataclass(frozen=True, slots=True)
class ConvHead:
    """The weights of Conv: 23 bins of probability, one number for a histogram, then two for three of these."""

    bins: Matrix
    row_weights: Matrix
    row_bias: float
    final_weights: Matrix
    final_bias: Matrix


@cache
def _conv_head() -> ConvHead:
    """The released weights, as the data file beside this module has them."""
    numbers = json.loads(Path(__file__).with_name("summac_conv_head.json").read_text(encoding="utf-8"))
    return ConvHead(
        bins=np.array(numbers["bins"]),
        row_weights=np.array(numbers["row_weights"]),
        row_bias=numbers["row_bias"],
        final_weights=np.array(numbers["final_weights"]),
        final_bias=np.array(numbers["final_bias"]),
    )


_REDUCTIONS: dict[str, Callable[[Matrix, int], Matrix]] = {"max": np.max, "mean": np.mean, "min": np.min}
