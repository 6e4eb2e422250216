"""Named things and numbers of a text, found by rule: no parser, no model, nothing to download."""

from __future__ import annotations

import re

from core.remember import remembered
from core.text import sentences
from core.types import Span

_NUMBER = r"\d+(?:[.,:]\d+)*"
_NAME = r"[^\W\d_][\w’'-]*"
_CANDIDATE = re.compile(rf"{_NUMBER}|{_NAME}(?:\s+{_NAME})*")
_RUN = re.compile(r"\w+")
_TOKEN = re.compile(_NAME)
_FUNCTION_WORDS = frozenset(
    "a after all although an and any as at because before both but by despite during each even every few for from he her "
    "here his how however i if in into it its many more most much my neither no nor not now of on once one only or other "
    "our over she since so some such than that the their then there these they this those though through to two under "
    "until up upon we what when where whether which while who whose why with within without yet you your".split()
)


@remembered(256)
def entities(text: str) -> tuple[Span, ...]:
    """Numbers, and runs of capitalised words; a capital that only opens a sentence does not make a name."""
    openings = {span.start + _margin(span.of(text)) for span in sentences(text)}
    found: list[Span] = []
    for match in _CANDIDATE.finditer(text):
        if match.group()[0].isdigit():
            found.append(Span(*match.span()))
        else:
            found += _names(text, Span(*match.span()), openings)
    return tuple(found)


def _names(text: str, phrase: Span, openings: set[int]) -> list[Span]:
    names: list[Span] = []
    joined = False
    for token in _TOKEN.finditer(text, phrase.start, phrase.end):
        capital = token.group()[0].isupper() and not _only_opens(token.group(), token.start(), text, openings)
        if capital and joined:
            names[-1] = Span(names[-1].start, token.end())
        elif capital:
            names.append(Span(*token.span()))
        joined = capital
    return names


def _only_opens(word: str, start: int, text: str, openings: set[int]) -> bool:
    if start not in openings:
        return word == "I"
    small = word.lower()
    return small in _FUNCTION_WORDS or small in _runs(text) or _stands_joined(small, text)


@remembered(64)
def _runs(text: str) -> frozenset[str]:
    """The runs of letters and digits of a text."""
    return frozenset(_RUN.findall(text))


def _stands_joined(word: str, text: str) -> bool:
    """Whether a word with an apostrophe or hyphen stands in a text as a whole."""
    return _RUN.fullmatch(word) is None and re.search(rf"\b{re.escape(word)}\b", text) is not None


def _margin(text: str) -> int:
    return len(text) - len(text.lstrip())
