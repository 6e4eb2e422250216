"""Words and punctuation marks of each sentence, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

from core.remember import remembered
from core.text import sentences
from core.types import Span

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*(?:[-'’]\w+)*|\w+(?:[-'’]\w+)*|--|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its inner hyphens and apostrophes, a number, or one mark."""

    span: Span
    text: str

    @property
    def low(self) -> str:
        return self.text.lower()

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()


Sentence = tuple[Token, ...]
_NOTHING = Token(Span(0, 0), "\0")


@remembered(256)
def tokenised(text: str) -> tuple[Sentence, ...]:
    """The tokens of every sentence of a text, in order; no sentence is empty."""
    found = (_tokens(text, span) for span in sentences(text))
    return tuple(sentence for sentence in found if sentence)


def at(sentence: Sentence, place: int) -> Token:
    """The token at a place; beyond the ends one that equals no word and no mark."""
    return sentence[place] if 0 <= place < len(sentence) else _NOTHING


def standing(sentence: Sentence, words: frozenset[str]) -> list[int]:
    """For every place, how many of these words stand before it; one entry more than there are tokens."""
    return [0, *accumulate(token.low in words for token in sentence)]


def _tokens(text: str, span: Span) -> Sentence:
    return tuple(Token(Span(*found.span()), found.group()) for found in _TOKEN.finditer(text, span.start, span.end))
