"""Sentences and words of a text as spans, its named entities by rule, and the document sentence closest to a claim.

Everything that is taken of NLTK is imported after `import_nltk`.
"""

from __future__ import annotations

import re
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from math import fsum, log
from pathlib import Path
from typing import TYPE_CHECKING

from core.base import memoize
from core.types import Span

if TYPE_CHECKING:
    from core.text.punkt import QuickPunkt

_WORD = re.compile(r"\w+")


SENTENCES_KEPT = 50_000
"""Sentences, of the texts that were split last, whose places are remembered: about 10 MB."""


@memoize(SENTENCES_KEPT, len)  # a document comes back after the others of its set, each with a summary
def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of a text, as NLTK's English Punkt splits them.

    Blanks between sentences belong to none, leading blanks of the text to the first; a newline alone ends none; a
    blank text has none.
    """
    spans = [Span(start, end) for start, end in _punkt().span_tokenize(text)]
    if splitter_name() == "punkt-tab":
        return tuple(spans)
    # "no." before a figure and initials before a small letter end nothing: no list of abbreviations can tell these
    merged: list[Span] = []
    for span in spans:
        before, after = (merged[-1].of(text), text[span.start]) if merged else ("", "")
        is_number = after.isdigit() and _NUMBER_SIGN.search(before)
        if is_number or (after.islower() and _INITIALS.search(before)):
            merged[-1] = Span(merged[-1].start, span.end)
        else:
            merged.append(span)
    return tuple(merged)


_NUMBER_SIGN, _INITIALS = re.compile(r"\b[Nn]o\.\Z"), re.compile(r"\b(?:[^\W\d_]\.){2,}\Z")


Split = Callable[[str], tuple[Span, ...]]
"""The units of a text, in order."""


def sentences_of_parts(text: str, parts: tuple[Span, ...], split: Split = sentences) -> tuple[Span, ...]:
    """The sentences of each part of a text, or its units by another `split`; those of the whole text where it has no parts."""
    if not parts:
        return split(text)
    return tuple(
        Span(part.start + span.start, part.start + span.end) for part in parts for span in split(part.of(text))
    )


@memoize(128)
def words(text: str) -> tuple[str, ...]:
    """The lower-cased runs of letters and digits of a text, in order."""
    return tuple(_WORD.findall(text.lower()))


@memoize(128)
def padded_words(text: str) -> str:
    """The words of a text between single blanks, with one at both ends: `" a b " in running(text)` finds a phrase."""
    return f" {' '.join(words(text))} "


@cache
def splitter_name() -> str:
    """Name of the parameters that Punkt runs on, for signatures: "punkt-tab" as the literature, or "punkt-touchstone".

    NLTK's trained parameters cannot be shipped or fetched everywhere; without them the same algorithm runs on the
    abbreviations of this folder. Decision 4 has the measurement.
    """
    import_nltk()
    from nltk import data

    try:
        data.find("tokenizers/punkt_tab/english/")
    except LookupError:
        return "punkt-touchstone"
    return "punkt-tab"


@cache
def _punkt() -> QuickPunkt:
    import_nltk()
    from nltk import redos
    from nltk.data import find
    from nltk.tokenize.punkt import PunktParameters, load_punkt_params

    from core.text.punkt import QuickPunkt

    # NLTK ends a match after five seconds on the clock, which a busy machine needs for a book; its patterns are linear
    redos.DEFAULT_TIMEOUT = 120.0
    if splitter_name() == "punkt-tab":
        return QuickPunkt(load_punkt_params(find("tokenizers/punkt_tab/english/")))
    parameters = PunktParameters()
    parameters.abbrev_types = set(Path(__file__).with_name("abbreviations.txt").read_text(encoding="utf-8").split())
    return QuickPunkt(parameters)


_NUMBER = r"\d+(?:[.,:]\d+)*"
_NAME = r"[^\W\d_][\w’'-]*"
_CANDIDATE = re.compile(rf"{_NUMBER}|{_NAME}(?:\s+{_NAME})*")
_NAME_TOKEN = re.compile(_NAME)
_FUNCTION_WORDS = frozenset(
    "a after all although an and any as at because before both but by despite during each even every few for from he her "
    "here his how however i if in into it its many more most much my neither no nor not now of on once one only or other "
    "our over she since so some such than that the their then there these they this those though through to two under "
    "until up upon we what when where whether which while who whose why with within without yet you your".split()
)


@memoize(256)
def entities(text: str) -> tuple[Span, ...]:
    """Numbers, and runs of capitalised words; a capital that only opens a sentence does not make a name."""
    openings = {span.end - len(span.of(text).lstrip()) for span in sentences(text)}
    spans: list[Span] = []
    for match in _CANDIDATE.finditer(text):
        if match.group()[0].isdigit():
            spans.append(Span(*match.span()))
        else:
            phrase = Span(*match.span())
            names: list[Span] = []
            joined = False
            for token in _NAME_TOKEN.finditer(text, phrase.start, phrase.end):
                capital = token.group()[0].isupper() and not _only_opens_sentence(
                    token.group(), token.start(), text, openings
                )
                if capital and joined:
                    names[-1] = Span(names[-1].start, token.end())
                elif capital:
                    names.append(Span(*token.span()))
                joined = capital
            spans += names
    return tuple(spans)


def _only_opens_sentence(word: str, start: int, text: str, openings: set[int]) -> bool:
    if start not in openings:
        return word == "I"
    small = word.lower()
    # a word with an apostrophe or hyphen is none of the words of the text, and may occur in it as a whole
    return (
        small in _FUNCTION_WORDS
        or small in _word_set(text)
        or (_WORD.fullmatch(small) is None and re.search(rf"\b{re.escape(small)}\b", text) is not None)
    )


@memoize(64)
def _word_set(text: str) -> frozenset[str]:
    """The runs of letters and digits of a text."""
    return frozenset(_WORD.findall(text))


def closest_sentence(document: str, claim: str, parts: tuple[Span, ...] = (), split: Split = sentences) -> Span | None:
    """The document sentence, or unit by another `split`, with the largest weighted share of words in common; None where none is shared.

    The share is Jaccard's, each word weighing log(1 + sentences / sentences with it): "the" says little. No sentence goes
    from one of the `parts` of the document into the next.
    """
    sentence_words = _sentence_words(document, parts, split)
    shared: dict[int, float] = defaultdict(float)
    claimed = 0.0
    for word in dict.fromkeys(words(claim)):
        weight, places = sentence_words.places.get(word, (sentence_words.strange, ()))
        claimed += weight
        for place in places:
            shared[place] += weight
    best, best_share = None, 0.0
    for place in sorted(shared):
        span, weight = sentence_words.sentences[place]
        share = shared[place] / (weight + claimed - shared[place])
        if share > best_share:
            best, best_share = span, share
    return best


@dataclass(frozen=True, slots=True)
class _SentenceWords:
    """Every sentence of a document with the weight of its words, and every word with its own weight and the numbers of the sentences that have it.

    `strange` is the weight of a word that no sentence has.
    """

    sentences: tuple[tuple[Span, float], ...]
    places: Mapping[str, tuple[float, tuple[int, ...]]]
    strange: float


@memoize(32)
def _sentence_words(document: str, parts: tuple[Span, ...], split: Split) -> _SentenceWords:
    spans = sentences_of_parts(document, parts, split)
    vocabularies = [frozenset(words(span.of(document))) for span in spans]
    places: dict[str, list[int]] = defaultdict(list)
    for place, vocabulary in enumerate(vocabularies):
        for word in vocabulary:
            places[word].append(place)
    weights = {word: log(1 + len(spans) / len(having)) for word, having in places.items()}
    # an exact sum: sentences of the same words weigh the same, in whatever order a set gives them
    totals = [fsum(weights[word] for word in vocabulary) for vocabulary in vocabularies]
    return _SentenceWords(
        tuple(zip(spans, totals, strict=True)),
        {word: (weights[word], tuple(having)) for word, having in places.items()},
        log(1 + len(spans)),
    )


def import_nltk() -> None:
    """Import NLTK, called before any name is taken from it. Threads that come at once wait for the first of them."""
    with _absent("scipy", "sklearn"):
        import_module("nltk")


class _Absent(MetaPathFinder):
    """Finds some packages missing in the thread that makes it; the others import them meanwhile as ever."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages = packages
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:  # noqa: ARG002  # as the import system calls it
        if name in self._packages and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def _absent(*packages: str) -> Iterator[None]:
    """Import as if some packages were not installed."""
    finder = _Absent(packages)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
