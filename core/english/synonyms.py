"""Words and phrases that say the same wherever they stand, by a small list of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from core.english.closed import DETERMINERS
from core.english.lists import conditioned, groups
from core.english.numbers import WORDS
from core.english.predicates import verb_forms
from core.english.tokens import Sentence, at
from core.english.verbs import inflected
from core.types import Span

_LONGEST = 6  # words of a phrase
_FRACTIONS = frozenset("half third quarter fifth tenth hundred".split())
Change = tuple[Span, str]
"""(place in the summary, what may stand there)"""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Where synonyms come from: in words, in signatures, and what they are in a sentence of a summary."""

    title: str
    signature: str
    synonyms: Callable[[str, Sentence], Iterator[Change]]


def synonyms(summary: str, sentence: Sentence) -> Iterator[Change]:
    """Every place of a sentence where another expression says the same, with that expression."""
    for place, token in enumerate(sentence):
        if token.is_word:
            yield from _phrases(summary, sentence, place)
            yield from _verbs(sentence, place)


def _phrases(summary: str, sentence: Sentence, place: int) -> Iterator[Change]:
    for length in range(_LONGEST, 0, -1):
        words = sentence[place : place + length]
        counted = f"{' '.join(token.low for token in words)} <n>"
        span = Span(sentence[place].span.start, words[-1].span.end)
        plain = " ".join(span.of(summary).lower().split())
        if counted in _listed() and _is_number(sentence, place + length):
            yield from ((span, other.removesuffix(" <n>")) for other in _listed()[counted])
            return
        if plain in _listed() and not _is_part(sentence, place, place + length):
            yield from ((span, other) for other in _listed()[plain])
            return


def _is_part(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a phrase is a piece of a name or title: a capital inside of a sentence."""
    return any(token.is_capital for token in sentence[max(1, start) : end]) or (
        start == 0 and at(sentence, end).is_capital
    )


def _is_number(sentence: Sentence, place: int) -> bool:
    token, after = at(sentence, place), at(sentence, place + 1)
    return token.text[0].isdigit() or token.low in WORDS or (token.low in {"a", "one"} and after.low in _FRACTIONS)


def _verbs(sentence: Sentence, place: int) -> Iterator[Change]:
    readings = verb_forms(sentence, place)
    after = at(sentence, place + 1).low
    if len(readings) == 1 and not sentence[place].is_capital:
        base, form = readings[0]
        for other, needed, barred in conditioned("verb_synonyms").get(base, ()):
            if (
                needed in ("", after)
                and barred != after
                and (needed or after in DETERMINERS | {"by", "in", "to", "only", "."})
            ):
                yield sentence[place].span, inflected(other, form)


@cache
def _listed() -> dict[str, tuple[str, ...]]:
    return dict(groups("synonyms"))


BUNDLED = Lexicon("the bundled list", "bundled", synonyms)
