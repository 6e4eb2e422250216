"""The words of a text with the states that an encoder gives them, and the windows in which a long text is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text import sentences
from core.types import Span

States = NDArray[np.float32]
Places = NDArray[np.int64]

WINDOW_TOKENS = 240
"""The encoder was trained on texts of up to 256 tokens."""
_INITIALS = r"[^\W\d_](?:\. ?[^\W\d_])+(?=\.(?!\w))|[^\W\d_](?:\.[^\W\d_])+"
_DEGREES = r"(?:ph|ed|ll)\.[bdm]|[bm]\.(?:ed|eng|sc)|d\.phil"
_PART = rf"(?:(?<![\w.])(?:{_INITIALS}|{_DEGREES})(?!\w)(?:\.(?=[’'-]\w))?|\w+)"
_WORD = re.compile(rf"{_PART}(?:[’'-]{_PART})*", re.IGNORECASE)
_CHUNK_WORDS = 120  # of a sentence that no window holds, as in a transcript without full stops


@dataclass(frozen=True, slots=True, eq=False)
class WordStates:
    """The words of a text that a token begins in, with their states of unit length at two layers."""

    spans: tuple[Span, ...]
    """Place of each word in the text."""

    forms: tuple[str, ...]
    """The words as they are compared."""

    early: States
    """States at the lower layer, (words, width)."""

    late: States
    """States at the upper layer, (words, width)."""

    sentence: Places
    """Number of the sentence of each word, (words,)."""

    pieces: Places
    """Number of the tokens of each word, (words,)."""

    tokens: int = 0
    """Tokens that were read of the text in all."""

    cut: int = 0
    """Tokens that were left out where a window was too long."""

    @property
    def both(self) -> States:
        """The states of both layers side by side, (words, 2 * width)."""
        return np.concatenate([self.early, self.late], axis=1)


def word_spans(text: str) -> list[Span]:
    """The words of a text; one with an apostrophe or hyphen inside is one word, and so are initials ("U.K.", without the last point)."""
    return [Span(*match.span()) for match in _WORD.finditer(text)]


def word_form(word: str) -> str:
    """A word as it is looked up: initials without points and blanks, since people write “UK” for “U.K.”."""
    return word.replace(".", "").replace(" ", "")


def windows(text: str, count: Callable[[Sequence[str]], Sequence[int]]) -> list[Span]:
    """Runs of whole sentences that hold up to `WINDOW_TOKENS` tokens each, as `count` counts them, in order."""
    pieces: list[Span] = []
    for sentence in sentences(text):
        inside = word_spans(sentence.of(text))
        starts = [sentence.start, *(sentence.start + word.start for word in inside[_CHUNK_WORDS::_CHUNK_WORDS])]
        pieces += [Span(start, end) for start, end in zip(starts, [*starts[1:], sentence.end], strict=True)]
    runs: list[Span] = []
    used = 0
    for piece, size in zip(pieces, count([piece.of(text) for piece in pieces]), strict=True):
        if runs and used + size <= WINDOW_TOKENS:
            runs[-1], used = Span(runs[-1].start, piece.end), used + size
        else:
            runs.append(piece)
            used = size
    return runs
