"""Where a thing stands: the sentence around a span, and what the document says closest to it."""

from __future__ import annotations

from core.evidence import closest
from core.remember import remembered
from core.text import sentences
from core.types import Span


def sentence_around(text: str, span: Span) -> Span:
    """The sentence that holds the start of a span; the whole text where none does."""
    holding = (sentence for sentence in sentences(text) if sentence.start <= span.start < sentence.end)
    return next(holding, Span(0, len(text)))


@remembered(256)
def said_there(document: str, summary: str, span: Span) -> str:
    """The sentence around a span of a summary, and the sentence of the document that says it best."""
    claim = sentence_around(summary, span).of(summary)
    evidence = closest(document, claim)
    return f"{claim}\n{evidence.of(document) if evidence else ''}"


def mentions(text: str, words: str) -> bool:
    """Whether a text holds these words, as whole words in this case."""
    start = text.find(words)
    while start >= 0:
        if not _is_inside(text, start) and not _is_inside(text, start + len(words)):
            return True
        start = text.find(words, start + 1)
    return False


def _is_inside(text: str, place: int) -> bool:
    """Whether a place parts two letters or digits."""
    return text[max(0, place - 1) : place].isalnum() and text[place : place + 1].isalnum()
