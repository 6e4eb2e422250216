"""The base of perturbations that write a summary in another layout: the words stay as they are, which is checked of every summary."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from core.edits.perturbation import Perturbation
from core.errors import UnscorableError
from core.text import apply, read_again, read_layout, words
from core.types import Edit, Example

OUR_RULE = "none: a rule of ours"


@dataclass(frozen=True)
class LayoutTwin(Perturbation):
    """A rule that leaves nothing to chance unless it says so; `no_twin_message` says what a summary has to have."""

    no_twin_message: ClassVar[str]

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        summary = example.summary
        edits = [edit for edit in self.layout_edits(summary, rng) if edit.new != edit.span.of(summary)]
        if not edits:
            raise UnscorableError(self.no_twin_message)
        if not self.says_the_same(summary, apply(summary, edits)):
            raise UnscorableError(
                "In this layout other words of the summary would be read, as where a line looks like a heading: it is left as it is."
            )
        return [replace(edit, explanation=self.card.does, by=self.spec) for edit in edits]

    @abstractmethod
    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:
        """Edits in the order of the text that make the layout; none where it cannot be made of the summary."""

    def says_the_same(self, before: str, after: str) -> bool:
        """True if two layouts have the same words in the same order, marks and headings left out."""
        return layout_words(before) == layout_words(after)


def layout_words(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, without the marks and headings of its layout."""
    reading = read_again(text, read_layout)
    return words(reading.text if reading else text)
