"""Which sentence of a document a lexical metric leans on: the one that shares most words with the claim."""

from __future__ import annotations

from functools import lru_cache

from core.text import sentences, words
from core.types import Span


def closest(document: str, claim: str) -> Span | None:
    """The document sentence with the largest share of words in common (Jaccard); None where none is shared."""
    wanted = frozenset(words(claim))
    best, best_share = None, 0.0
    for span, found in _vocabularies(document):
        share = len(wanted & found) / len(wanted | found) if wanted else 0.0
        if share > best_share:
            best, best_share = span, share
    return best


@lru_cache(maxsize=32)
def _vocabularies(document: str) -> tuple[tuple[Span, frozenset[str]], ...]:
    return tuple((span, frozenset(words(span.of(document)))) for span in sentences(document))
