"""How much of the summary is not in the document, by word and by sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.errors import UnscorableError
from core.metric import METRICS, Card
from core.remember import remembered
from core.surface import SurfaceMetric, some_words
from core.text import running, sentences, words

_PAPER = "Surface features of Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?"
_URL = "https://arxiv.org/abs/2411.16638"


@METRICS.add
@dataclass(frozen=True)
class WordNovelty(SurfaceMetric):
    """Share of the summary's words that the document does not hold."""

    name: ClassVar[str] = "word-novelty"
    card: ClassVar[Card] = Card(
        title="Word novelty",
        family="Surface",
        measures="Share of the summary's words that stand nowhere in the document.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        direction="lower",
        differs="Our definition of the feature: lower-cased runs of letters and digits, every occurrence counted.",
    )

    def measure(self, document: str, text: str) -> float:
        found = some_words(text, "summary")
        known = _vocabulary(document)
        return sum(word not in known for word in found) / len(found)


@METRICS.add
@dataclass(frozen=True)
class SentenceNovelty(SurfaceMetric):
    """Share of the summary's sentences that are not copied from the document."""

    name: ClassVar[str] = "sentence-novelty"
    card: ClassVar[Card] = Card(
        title="Sentence novelty",
        family="Surface",
        measures="Share of the summary's sentences whose words do not stand in the document one after the other.",
        paper=_PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        direction="lower",
        differs="Our definition of the feature: case and punctuation do not count.",
    )

    def measure(self, document: str, text: str) -> float:
        claims = [found for span in sentences(text) if (found := words(span.of(text)))]
        if not claims:
            raise UnscorableError(
                "The summary holds no word, only punctuation or symbols: there is nothing to compare."
            )
        text_of_words = running(document)
        return sum(f" {' '.join(claim)} " not in text_of_words for claim in claims) / len(claims)


@remembered(32)
def _vocabulary(document: str) -> frozenset[str]:
    return frozenset(words(document))
