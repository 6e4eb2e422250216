"""Says a part of the summary a second time: a given number of words that add nothing."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.errors import UnscorableError
from core.text import gap_after, layout_units, words
from core.types import Edit, Example, Span

_ALIKE = 0.25  # difference from the number of words at which a whole sentence still counts as so long
_RUN = re.compile(r"\S+")


@PERTURBATIONS.add
@dataclass(frozen=True)
class Repeated(Perturbation):
    """Appends a sentence of the summary of about `words` words, or else the beginning of the longest one."""

    name: ClassVar[str] = "repeated"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Repeat words of the summary",
        intent="preserving",
        does="Appends words that the summary has already, as a control of phrases of the same length.",
        paper="none: a control of our own",
    )
    words: int = 12

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # nothing is left to chance
        texts = [span.of(example.summary) for span in layout_units(example.summary)]
        lengths = {text: len(words(text)) for text in texts}
        if self.words < 1 or max(lengths.values(), default=0) < self.words * (1 - _ALIKE):
            raise UnscorableError(f"No sentence of the summary has {self.words} words. Set words= to fewer.")
        nearest = min(texts, key=lambda text: abs(lengths[text] - self.words))
        if abs(lengths[nearest] - self.words) > _ALIKE * self.words:
            nearest = _beginning(max(texts, key=lambda text: lengths[text]), self.words)
        end = len(example.summary.rstrip())
        return [Edit(Span(end, end), f"{gap_after(example.summary)}{nearest}", self.card.does, self.spec)]


def _beginning(text: str, number: int) -> str:
    """The first words of a text, as a sentence."""
    pieces: list[str] = []
    for piece in _RUN.findall(text):
        if len(words(" ".join([*pieces, piece]))) > number:
            break
        pieces.append(piece)
    return f"{' '.join(pieces).rstrip('.,;:')}."
