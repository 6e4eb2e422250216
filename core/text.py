"""Sentences and words of a text as spans that know their place."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from nltk import redos
from nltk.data import find
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, load_punkt_params

from core.remember import remembered
from core.types import Span

# NLTK ends a match after five seconds on the clock, which a busy machine needs for a book; its patterns are linear
redos.DEFAULT_TIMEOUT = 120.0

_WORD = re.compile(r"\w+")


@remembered(128)
def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of a text, as NLTK's English Punkt splits them.

    Blanks between sentences belong to none, leading blanks of the text to the first; a newline alone ends none; a
    blank text has none.
    """
    return tuple(Span(start, end) for start, end in _punkt().span_tokenize(text))


@remembered(128)
def words(text: str) -> tuple[str, ...]:
    """The lower-cased runs of letters and digits of a text, in order."""
    return tuple(_WORD.findall(text.lower()))


@remembered(128)
def running(text: str) -> str:
    """The words of a text between single blanks, with one at both ends: `" a b " in running(text)` finds a phrase."""
    return f" {' '.join(words(text))} "


@cache
def splitter() -> str:
    """Which parameters Punkt runs on, for signatures: "punkt-tab" as the literature, or "punkt-touchstone".

    NLTK's trained parameters cannot be shipped or fetched everywhere; without them the same algorithm runs on the
    abbreviations of this folder. DECISIONS.md 4 has the measurement.
    """
    try:
        find("tokenizers/punkt_tab/english/")
    except LookupError:
        return "punkt-touchstone"
    return "punkt-tab"


@cache
def _punkt() -> PunktSentenceTokenizer:
    if splitter() == "punkt-tab":
        return PunktSentenceTokenizer(load_punkt_params(find("tokenizers/punkt_tab/english/")))
    parameters = PunktParameters()
    parameters.abbrev_types = set(Path(__file__).with_name("abbreviations.txt").read_text(encoding="utf-8").split())
    return PunktSentenceTokenizer(parameters)
