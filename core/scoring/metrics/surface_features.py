"""Surface features: those of Ramprasad and Wallace 2024 that count words, the length of a summary and of its sentences, and its place in the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.base import memoize
from core.errors import UnscorableError
from core.model_reference import Checkpoint
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.question_answering import parser_question
from core.scoring.metric_parts.surface_metric import SurfaceMetric, words_or_error
from core.scoring.metric_parts.unit_metric import CanonicalMetric
from core.text import (
    SPACED,
    Quantity,
    closest_evidence,
    entities,
    find_quantities,
    layout_units,
    padded_words,
    states_quantity,
    words,
)
from core.types import Answer, Example, Part, Question, Score, Seen, Span

_PAPER = "Surface features of Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?"
_URL = "https://arxiv.org/abs/2411.16638"


@METRICS.add
@dataclass(frozen=True)
class WordNovelty(CanonicalMetric, SurfaceMetric):
    """Share of the summary's words that the document does not hold."""

    name: ClassVar[str] = "word-novelty"
    card: ClassVar[Card] = Card(
        title="Word novelty",
        family="Surface",
        languages=SPACED,
        measures="Share of the summary's words that stand nowhere in the document.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        direction="lower",
        licence="Touchstone's own code, Apache-2.0.",
        differs="Our definition of the feature: lower-cased runs of letters and digits, every occurrence counted.",
    )

    def measure(self, document: str, text: str) -> float:
        summary_words = words_or_error(text, "summary")
        vocabulary = _vocabulary(document)
        return sum(word not in vocabulary for word in summary_words) / len(summary_words)


@METRICS.add
@dataclass(frozen=True)
class SentenceNovelty(CanonicalMetric, SurfaceMetric):
    """Share of the summary's sentences that are not copied from the document."""

    name: ClassVar[str] = "sentence-novelty"
    card: ClassVar[Card] = Card(
        title="Sentence novelty",
        family="Surface",
        languages=SPACED,
        measures="Share of the summary's sentences whose words do not stand in the document one after the other.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        direction="lower",
        licence="Touchstone's own code, Apache-2.0.",
        differs="Our definition of the feature: case and punctuation do not count.",
    )

    def measure(self, document: str, text: str) -> float:
        claims = [sentence_words for span in self.units_of(text) if (sentence_words := words(span.of(text)))]
        if not claims:
            raise UnscorableError(
                "The summary holds no word, only punctuation or symbols: there is nothing to compare."
            )
        text_of_words = padded_words(document)
        return sum(f" {' '.join(claim)} " not in text_of_words for claim in claims) / len(claims)


@memoize(32)
def _vocabulary(document: str) -> frozenset[str]:
    return frozenset(words(document))


@METRICS.add
@dataclass(frozen=True)
class EntityOverlap(CanonicalMetric, SurfaceMetric):
    """Share of the summary's names and numbers that the document holds word for word."""

    name: ClassVar[str] = "entity-overlap"
    card: ClassVar[Card] = Card(
        title="Entity overlap",
        family="Surface",
        measures="Share of the summary's names and numbers that stand in the document.",
        paper="Surface features of Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
        url="https://arxiv.org/abs/2411.16638",
        low=0.0,
        high=1.0,
        licence="Touchstone's own code, Apache-2.0.",
        differs="Our definition of the feature: numbers and runs of capitalised words found by rule, where the paper used a "
        "named-entity recogniser. Undefined for a summary without any. parser=package:en_core_web_sm takes the entities of a pipeline "
        "of spaCy instead, dates and numbers among them; which one the paper used it does not say.",
    )
    parser: str = ""

    @property
    def pipeline(self) -> Checkpoint:
        return Checkpoint(self.parser, "spacy_parse", setting="parser")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (self.pipeline,) if self.parser else ()

    def plan(self, example: Example) -> Sequence[Question]:
        return [parser_question(self.pipeline, example.summary, "entities")] if self.parser else []

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:
        """By rule, as `measure` has it; from the entities of the pipeline where one is set."""
        if not answers:
            return super().fold(example, questions, answers)
        [recognised] = answers
        value = _present_share(example, recognised.spans)
        if value is None:
            raise UnscorableError("The pipeline finds no entity in the summary: there is nothing to look for.")
        parts = tuple(
            Part(unit, share, closest_evidence(example, unit.of(example.summary)))
            for unit in layout_units(example.summary)
            if (
                share := _present_share(
                    example, [span for span in recognised.spans if unit.start <= span.start < unit.end]
                )
            )
            is not None
        )
        return Score(value, parts, Seen(pieces=(Span(0, len(example.document)),)))

    def measure(self, document: str, text: str) -> float:
        stated = [quantity for quantity in find_quantities(text) if not _counts_what_is_listed(quantity, text)]
        quantities = {(quantity.amounts, quantity.measures): quantity for quantity in stated}
        taken = {place for quantity in stated for place in range(quantity.span.start, quantity.span.end)}
        names = {words(span.of(text)) for span in entities(text) if taken.isdisjoint(range(span.start, span.end))}
        if not names and not quantities:
            raise UnscorableError("The summary names nothing: it holds no capitalised name and no number to look for.")
        text_of_words = padded_words(document)
        present = [f" {' '.join(name)} " in text_of_words for name in names]
        present += [states_quantity(document, quantity) for quantity in quantities.values()]
        return sum(present) / len(present)


def _present_share(example: Example, spans: Sequence[Span]) -> float | None:
    """Share of the different entities at these places of the summary that the document holds; None where there are none."""
    names = {name for span in spans if (name := _without_article(words(span.of(example.summary))))}
    text_of_words = padded_words(example.document)
    return sum(f" {' '.join(name)} " in text_of_words for name in names) / len(names) if names else None


def _without_article(name: tuple[str, ...]) -> tuple[str, ...]:
    return name[1:] if len(name) > 1 and name[0] == "the" else name


_LARGEST_COUNT = 12


def _counts_what_is_listed(quantity: Quantity, text: str) -> bool:
    """True for a small number in words, as in "the two agreed", which a document need not state."""
    return not quantity.measures and text[quantity.span.start].isalpha() and max(quantity.amounts) <= _LARGEST_COUNT


@METRICS.add
@dataclass(frozen=True)
class Conciseness(CanonicalMetric, SurfaceMetric):
    """Words of the summary per word of the document, or the other way round, as the paper has it."""

    name: ClassVar[str] = "conciseness"
    card: ClassVar[Card] = Card(
        title="Conciseness ratio",
        family="Surface",
        languages=SPACED,
        measures="Words of the summary divided by words of the document: smaller is more concise. With numerator=document "
        "the words of the document divided by those of the summary: larger is more concise.",
        paper="Surface features of Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
        url="https://arxiv.org/abs/2411.16638",
        low=0.0,
        high=None,
        direction="neutral",
        licence="Touchstone's own code, Apache-2.0.",
        differs="The paper's form (section 2.3) is numerator=document, as which the shallow model reads it; the default is its "
        "inverse, so that a correlation has the other sign. It says nothing of truth; it is here to show what metrics may "
        "follow.",
    )
    numerator: Literal["summary", "document"] = "summary"

    def measure(self, document: str, text: str) -> float:
        summary, source = len(words_or_error(text, "summary")), len(words_or_error(document, "document"))
        return source / summary if self.numerator == "document" else summary / source


@METRICS.add
@dataclass(frozen=True)
class SummaryLength(CanonicalMetric, SurfaceMetric):
    """Number of words of the summary."""

    name: ClassVar[str] = "summary-length"
    card: ClassVar[Card] = Card(
        title="Length of the summary",
        family="Surface",
        languages=SPACED,
        measures="Number of words of the summary.",
        paper="none: a feature to compare with",
        url=_URL,
        low=0.0,
        high=None,
        direction="neutral",
        licence="Touchstone's own code, Apache-2.0.",
    )

    def measure(self, document: str, text: str) -> float:  # noqa: ARG002  # the document has no part in it
        return float(len(words_or_error(text, "summary")))


@METRICS.add
@dataclass(frozen=True)
class SentenceLength(CanonicalMetric, SurfaceMetric):
    """Words of the summary per sentence."""

    name: ClassVar[str] = "sentence-length"
    card: ClassVar[Card] = Card(
        title="Words per sentence",
        family="Surface",
        languages=SPACED,
        measures="Number of words of the summary divided by its number of sentences.",
        paper="none: a feature to compare with",
        url=_URL,
        low=0.0,
        high=None,
        direction="neutral",
        licence="Touchstone's own code, Apache-2.0.",
    )

    def measure(self, document: str, text: str) -> float:  # noqa: ARG002  # the document has no part in it
        claims = [span for span in self.units_of(text) if words(span.of(text))]
        return len(words_or_error(text, "summary")) / max(1, len(claims))


@METRICS.add
@dataclass(frozen=True)
class SourcePosition(CanonicalMetric, SurfaceMetric):
    """Mean place in the document at which the summary's words stand first."""

    name: ClassVar[str] = "source-position"
    card: ClassVar[Card] = Card(
        title="Position in the document",
        family="Surface",
        languages=SPACED,
        measures="Mean place, from 0 at the beginning to 1 at the end of the document, at which its words first stand there.",
        paper="none: a feature to compare with",
        url=_URL,
        low=0.0,
        high=1.0,
        direction="neutral",
        licence="Touchstone's own code, Apache-2.0.",
        differs="Words that the document does not hold have no place. It says nothing of truth; it is here to show what metrics may "
        "follow.",
    )

    def measure(self, document: str, text: str) -> float:
        places = _first_places(document)
        word_places = [places[word] for word in words_or_error(text, "summary") if word in places]
        if not word_places:
            raise UnscorableError("No word of the summary stands in the document: it has no place there.")
        return sum(word_places) / len(word_places) / max(1, len(words(document)))


@memoize(32)
def _first_places(document: str) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, word in enumerate(words(document)):
        places.setdefault(word, place)
    return places
