"""Metrics that were trained from pairs: the one that comes with Touchstone, and those of your own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, prod
from pathlib import Path
from typing import ClassVar

from core.errors import UnscorableError
from core.model_reference import Checkpoint
from core.models import both_odds, share_odds
from core.models.weights import embedded
from core.scoring.metric import METRICS, Card, ReplaceableWeights
from core.scoring.metric_parts.unit_metric import CanonicalMetric
from core.types import Answer, Example, Part, Question, Score, Seen, Span, WordScore

_PAPER = "Kryściński, McCann, Xiong, Socher 2020, Evaluating the Factual Consistency of Abstractive Text Summarization"
_URL = "https://aclanthology.org/2020.emnlp-main.750"
_MEASURES = (
    "How probable it is that neither of two reasons to doubt the summary holds: its worst sentence, by the odds that a word of it is "
    "wrong, and the share of its content that the document does not have. Each word is judged by how the document's words, "
    "places and wording match it, and by what attention finds of it there. A sentence that the document has word for word is "
    "supported, and a text without content is not, whatever its words."
)
_REASONS = 4
"""Numbers of an answer before those of its words: odds of the sentence, sum over its content words, their number, and that of the
strange ones."""


@dataclass(frozen=True)
class WordSupport(CanonicalMetric):
    """One question for each sentence of the summary, so that an edited sentence alone is asked again."""

    model: str = ""

    @property
    def weights(self) -> Checkpoint:
        return Checkpoint(self.model, "word_support", setting="model")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.weights,)

    def plan(self, example: Example) -> list[Question]:
        return [
            Question(self.weights, (example.document, span.of(example.summary)), claim=span)
            for span in self.units_of(example.summary)
        ]

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        parts = [
            _part(question.claim, answer)
            for question, answer in zip(questions, answers, strict=True)
            if question.claim and answer.values
        ]
        if not parts:
            raise UnscorableError("There is nothing to compare: the document or the summary has no word.")
        tokens, cut = max(answer.tokens for answer in answers), max(answer.cut for answer in answers)
        notes = (f"{cut} tokens of over-long words were not read.",) if cut else ()
        seen = Seen((Span(0, len(example.document)),), tokens, cut, notes)

        words_read = [answer.values[:_REASONS] for answer in answers if len(answer.values) > 1]
        if not words_read:
            return Score(prod(part.score for part in parts), tuple(parts), seen)
        worst, *of_content = zip(*words_read, strict=True)
        odds = both_odds(min(worst), share_odds(*map(fsum, of_content)))
        return Score(_probability(float(odds)), tuple(parts), seen)


def _part(sentence: Span, answer: Answer) -> Part:
    """The score of a sentence by its own words, as if it were the summary; one without content words by its worst alone.

    A cross-encoder answers with the score itself.
    """
    *places, evidence = answer.spans
    if len(answer.values) == 1:
        return Part(sentence, answer.values[0], evidence, ())
    worst, share, content, strange = answer.values[:_REASONS]
    words = tuple(
        # the answer counts the places of words from the beginning of the sentence
        WordScore(Span(sentence.start + place.start, sentence.start + place.end), score)
        for place, score in zip(places, answer.values[_REASONS:], strict=True)
    )
    odds = float(both_odds(worst, share_odds(share, content, strange))) if content else worst
    return Part(sentence, _probability(odds), evidence, words)


def _probability(odds: float) -> float:
    return 1 / (1 + exp(-odds))


@METRICS.add
@dataclass(frozen=True)
class EmbeddedWordSupport(WordSupport):
    """The one that comes with Touchstone: nothing to download."""

    name: ClassVar[str] = "word-support"
    card: ClassVar[Card] = Card(
        title="Word support",
        family="Trained",
        measures=_MEASURES,
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        licence="Weights under the licence of Touchstone, the encoder's Apache-2.0.",
        differs="The paper's idea of learning from corruptions by rule; the rest is ours. It compares words, their places and neighbours with the document's, by a frozen encoder, boosted trees and attention. It cannot "
        "see roles that are exchanged among words that all stand in the document, and little of wrong verbs that are close to "
        "the right ones; arithmetic and knowledge are beyond it, and a paraphrase in other words may look wrong. It learned single wrong words, and its AUC is between 60 "
        "and 73 on data that it never saw. It learned from the bundled examples in five folds, and scores each of these by the part that did not learn from its "
        "document. "
        "Train one on your own labels: python cli.py train.",
    )

    model: str = f"package:{embedded.__name__}"


@METRICS.add
@dataclass(frozen=True)
class Mine(ReplaceableWeights, WordSupport):
    """One that was trained on this machine, by its folder."""

    name: ClassVar[str] = "mine"
    card: ClassVar[Card] = Card(
        title="A metric of your own",
        family="Trained",
        measures="How probable it is that the document supports the summary. By its recipe it judges it by its words, as word-support "
        "does, or it reads each sentence together with the document (cross-encoder): the product over the sentences.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        licence="That of the data that it was trained on; the encoder's is Apache-2.0.",
        differs="The paper's idea of learning from corruptions by rule, with your labels beside them; the rest is ours. It is what its training data made of it: read README.md in its folder for the recipe, the data, the figures on documents that "
        "it did not learn from, and the baselines beside them. Train one: python cli.py train DATA --to FOLDER.",
    )

    model: str = "./models/mine"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "model", local_path(self.model))  # the fields alone are frozen


def local_path(path: str) -> str:
    """The same path, written so that it cannot be taken for a repository of the hub."""
    return path if Path(path).is_absolute() or path.startswith((".", "~")) else f"./{path}"
