"""How long the summary is beside its document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.metric import METRICS, Card
from core.surface import SurfaceMetric, some_words


@METRICS.add
@dataclass(frozen=True)
class Conciseness(SurfaceMetric):
    """Words of the summary per word of the document."""

    name: ClassVar[str] = "conciseness"
    card: ClassVar[Card] = Card(
        title="Conciseness ratio",
        family="Surface",
        measures="Words of the summary divided by words of the document: smaller is more concise.",
        paper="Surface features of Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
        url="https://arxiv.org/abs/2411.16638",
        low=0.0,
        high=None,
        direction="neutral",
        differs="Our definition of the feature. It says nothing of truth; it is here to show what metrics may follow.",
    )

    def measure(self, document: str, text: str) -> float:
        return len(some_words(text, "summary")) / len(some_words(document, "document"))
