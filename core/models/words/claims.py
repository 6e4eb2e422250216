"""Texts that a cross-encoder reads: each sentence of a summary as a claim, with the passages that fit its limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.text import bm25, closest_rows, sentences, words
from core.types import Span

CountTokens = Callable[[Sequence[str]], list[int]]
"""The number of tokens of each text, without special ones."""

_SPARE_TOKENS = 8  # special tokens, and what joined sentences may take more than each by itself


@dataclass(frozen=True, slots=True)
class WordPremise:
    """Text that is read of a document with a claim, and its sentence that is closest to the claim."""

    text: str
    closest: Span


@lru_cache(maxsize=64)
def _document_words(document: str) -> tuple[tuple[Span, tuple[str, ...]], ...]:
    return tuple((span, tuple(words(span.of(document)))) for span in sentences(document))


def premise(document: str, claim: str, limit: int, count: CountTokens) -> WordPremise | None:
    """The whole document where it fits beside the claim into `limit` tokens, else its sentences that are closest by BM25.

    These stand in the order of the document, joined by one blank. None for a document without a sentence.
    """
    read = _document_words(document)
    if not read:
        return None
    closeness = bm25(words(claim), [sentence_words for _, sentence_words in read])
    order = closest_rows(closeness, len(read))
    closest = read[order[0]][0]
    room = limit - _SPARE_TOKENS - min(count([claim])[0], limit // 2)
    sizes = count([document, *(span.of(document) for span, _ in read)])
    if sizes[0] <= room:
        return WordPremise(document, closest)
    places = order[:1]  # which the tokenizer cuts where it alone is too long
    room -= sizes[1 + order[0]]
    for place in order[1:]:
        if sizes[1 + place] <= room:
            places.append(place)
            room -= sizes[1 + place]
    return WordPremise(" ".join(read[place][0].of(document) for place in sorted(places)), closest)


@dataclass(frozen=True, slots=True)
class Unit:
    """Claims of which it is known whether all of them are supported, by their places among the texts."""

    texts: tuple[int, ...]
    supported: bool


TextPair = tuple[tuple[int, ...], tuple[int, ...]]
"""Two summaries, each by the places of its texts."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Batch that one step learns from: units, and pairs of a summary and its wrong edit, each by its texts.

    `texts` are the places of the distinct texts; units and pairs count from the first of these. `harmless` are pairs of a
    summary and an edit of it that says the same.
    """

    texts: tuple[int, ...]
    units: tuple[Unit, ...]
    pairs: tuple[TextPair, ...]
    harmless: tuple[TextPair, ...] = ()
