"""How many of the names and numbers of the summary stand in the document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.entities import entities
from core.errors import UnscorableError
from core.metric import METRICS, Card
from core.surface import SurfaceMetric
from core.text import running, words


@METRICS.add
@dataclass(frozen=True)
class EntityOverlap(SurfaceMetric):
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
        differs="Our definition of the feature: numbers and runs of capitalised words found by rule, where the paper used a "
        "named-entity recogniser. Undefined for a summary without any.",
    )

    def measure(self, document: str, text: str) -> float:
        names = {words(span.of(text)) for span in entities(text)}
        if not names:
            raise UnscorableError("The summary names nothing: it holds no capitalised name and no number to look for.")
        text_of_words = running(document)
        return sum(f" {' '.join(name)} " in text_of_words for name in names) / len(names)
