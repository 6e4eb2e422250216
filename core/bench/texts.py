"""Texts to be timed on: documents put together from sentences of the bundled examples, their summaries, and edits."""

from __future__ import annotations

import random
from functools import cache

from core.datasets import bundled
from core.text import sentences
from core.types import Example

_SHORTEST, _LONGEST = 8, 30  # words of a sentence that is taken
_STOPS = (".", "!", "?")


def pair(number: int, words: int, claims: int, changed: int | None = None) -> Example:
    """A document of about so many words, and a summary of so many sentences, one of which may be changed.

    Every number is another document that shares no sentence with the others, and so is its summary: what was asked about
    one says nothing about the next.
    """
    chosen = _chosen(number, words)
    document = " ".join(f"In report {number}, {sentence}" for sentence in chosen)
    picked = [chosen[place * len(chosen) // claims] for place in range(claims)]
    said = [_claim(number, sentence, denied=place == changed) for place, sentence in enumerate(picked)]
    name = f"{number}" if changed is None else f"{number}/{changed}"
    return Example(name, document, " ".join(said))


def shared(first: int, documents: int, pairs: int, words: int, claims: int) -> list[Example]:
    """Pairs that share documents numbered from `first`: each with its summary, then the summary with one sentence changed."""
    versions = [*range(-1, claims)]
    return [
        pair(first + place % documents, words, claims, _changed(versions[place // documents % len(versions)]))
        for place in range(pairs)
    ]


@cache
def sentence_pool() -> tuple[str, ...]:
    """Plain sentences of the bundled documents."""
    documents = dict.fromkeys(item.example.document for item in bundled.examples())
    found = [" ".join(span.of(document).split()) for document in documents for span in sentences(document)]
    return tuple(sentence for sentence in dict.fromkeys(found) if _is_plain(sentence))


def _is_plain(sentence: str) -> bool:
    whole = sentence.endswith(_STOPS) and not any(stop in sentence[:-1] for stop in (*_STOPS, '"', "“", ":"))
    return whole and _SHORTEST <= len(sentence.split()) <= _LONGEST


def _chosen(number: int, words: int) -> list[str]:
    """Sentences of the pool in an order that the number gives, until they have the words."""
    pool = list(sentence_pool())
    random.Random(number).shuffle(pool)
    chosen: list[str] = []
    while sum(len(sentence.split()) + 3 for sentence in chosen) < words:
        chosen.append(pool[len(chosen) % len(pool)])
    return chosen


def _claim(number: int, sentence: str, denied: bool) -> str:
    return f"Report {number} {'denies' if denied else 'says'} that {sentence}"


def _changed(version: int) -> int | None:
    return None if version < 0 else version
