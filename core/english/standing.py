"""Where a thing stands: the sentence around a span, and what the document says closest to it."""

from __future__ import annotations

import re

from core.evidence import closest
from core.text import sentences
from core.types import Span


def sentence_around(text: str, span: Span) -> Span:
    """The sentence that holds the start of a span; the whole text where none does."""
    holding = (sentence for sentence in sentences(text) if sentence.start <= span.start < sentence.end)
    return next(holding, Span(0, len(text)))


def said_there(document: str, summary: str, span: Span) -> str:
    """The sentence around a span of a summary, and the sentence of the document that says it best."""
    claim = sentence_around(summary, span).of(summary)
    evidence = closest(document, claim)
    return f"{claim}\n{evidence.of(document) if evidence else ''}"


def mentions(text: str, words: str) -> bool:
    """Whether a text holds these words, as whole words in this case."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None
