"""Metrics that read only the surface: one function of document and text, for the summary and for each sentence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from core.errors import UnscorableError
from core.scoring.metric import Metric
from core.text import closest_evidence, layout_units, words
from core.types import Answer, Example, Part, Question, Score, Seen, Span


class SurfaceMetric(Metric):
    """Asks no model. The parts are the sentences and list items for which the measure is defined."""

    @abstractmethod
    def measure(self, document: str, text: str) -> float:
        """The value for a text against the document. Raises UnscorableError where it is undefined."""

    def fold(self, example: Example, questions: Sequence[Question], answers: Sequence[Answer]) -> Score:  # noqa: ARG002  # asks none
        parts = [part for span in layout_units(example.summary) if (part := self._part(example, span))]
        value = self.measure(example.document, example.summary)
        return Score(value, tuple(parts), Seen(pieces=(Span(0, len(example.document)),)))

    def _part(self, example: Example, span: Span) -> Part | None:
        claim = span.of(example.summary)
        try:
            return Part(span, self.measure(example.document, claim), closest_evidence(example, claim))
        except UnscorableError:
            return None


def words_or_error(text: str, what: str) -> tuple[str, ...]:
    """The words of a text; raises UnscorableError where there are none."""
    text_words = words(text)
    if not text_words:
        raise UnscorableError(f"The {what} holds no word, only punctuation or symbols: there is nothing to compare.")
    return text_words
