"""Each sentence, list item or line of the summary is a claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.errors import UnscorableError
from core.scoring.claim import DECOMPOSERS, Decomposer, FoundClaims
from core.text import Units, summary_units
from core.types import Example, Rounds, SummaryClaim


@DECOMPOSERS.add
@dataclass(frozen=True)
class SentenceClaims(Decomposer):
    """Asks nothing."""

    name: ClassVar[str] = "sentence"
    title: ClassVar[str] = "By sentence"

    units: Units = "layout"

    def rounds(self, example: Example) -> Rounds[FoundClaims]:
        yield from ()  # a conversation without a question
        spans = [span for span in summary_units(example.summary, self.units) if span.of(example.summary).strip()]
        if not spans:
            raise UnscorableError("The summary has no sentence.")
        return FoundClaims(tuple(SummaryClaim(span.of(example.summary).strip(), span) for span in spans))
