"""Noise of how a text was written: slips of typing, and misreadings of a scanner. What is said stays what it was."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation
from core.text import is_dictionary_word, words
from core.types import Edit, Example, Span

_PLAIN_WORD = re.compile(r"(?<![\w'’.-])[a-z]{5,}(?![\w'’-])")
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_MISREAD = (
    ("rn", "m"), ("m", "rn"), ("cl", "d"), ("d", "cl"), ("li", "h"), ("h", "li"), ("vv", "w"), ("w", "vv"), ("l", "1"), ("o", "0"),
    ("i", "1"), ("e", "c"), ("nn", "rm"), ("f", "t"),
)  # fmt: skip
"""Letters that scanners take for each other, first what is printed."""


@dataclass(frozen=True)
class WrittenNoise(RulePerturbation):
    """Spells words of at least five small letters as no other word of English, of the document or of the summary is spelt.

    Names, numbers and short words are left alone: there a slip may say another thing.
    """

    no_proposals_message: ClassVar[str] = (
        "The summary has no word of five small letters or more that a slip would not make another word of."
    )

    most: int = 3

    def proposals(self, example: Example) -> list[Edit]:
        vocabulary = {*words(example.document), *words(example.summary)}
        return [
            Edit(Span(*match.span()), new, self.card.does)
            for match in _PLAIN_WORD.finditer(example.summary)
            for new in dict.fromkeys(self.slips(match.group()))
            if new != match.group() and new not in vocabulary and not is_dictionary_word(new)
        ]

    @abstractmethod
    def slips(self, word: str) -> Iterator[str]:
        """Other spellings of a word, its first letter kept."""


@PERTURBATIONS.add
class Typing(WrittenNoise):
    """Two letters change places, one is left out or doubled, or is a neighbour of the right one on the keyboard."""

    name: ClassVar[str] = "typing"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Typing errors",
        intent="preserving",
        does="Makes slips of typing in words that stay readable: letters change places, are left out, doubled, or hit beside.",
        paper="Belinkov & Bisk 2018, Synthetic and Natural Noise Both Break Neural Machine Translation, section 3.2",
    )

    def slips(self, word: str) -> Iterator[str]:
        for place in range(1, len(word) - 1):
            before, letter, after = word[:place], word[place], word[place + 1 :]
            yield f"{before}{after[0]}{letter}{after[1:]}"
            yield before + after
            yield f"{before}{letter}{letter}{after}"
            yield from (f"{before}{neighbour}{after}" for neighbour in _keyboard_neighbours(letter))


@PERTURBATIONS.add
class Misread(WrittenNoise):
    """Letters become others of the same look, as rn and m, in the way of optical character recognition."""

    name: ClassVar[str] = "ocr"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Scanning errors",
        intent="preserving",
        does="Takes letters for others of about the same look, as character recognition does: rn for m, 1 for l.",
        paper="letters that are confused by Tesseract; after Nguyen et al. 2019, Deep Statistical Analysis of OCR Errors",
    )

    def slips(self, word: str) -> Iterator[str]:
        for printed, taken in _MISREAD:
            for match in re.finditer(printed, word):
                if match.start():
                    yield word[: match.start()] + taken + word[match.end() :]


def _keyboard_neighbours(letter: str) -> str:
    """The keys to the left and right of a letter on an English keyboard."""
    row = next(row for row in _KEYBOARD if letter in row)
    place = row.index(letter)
    return row[max(0, place - 1) : place] + row[place + 1 : place + 2]
