"""Which sentence of a document a lexical metric leans on: the one that shares most of its rare words with the claim."""

from __future__ import annotations

from collections import Counter
from math import log

from core.remember import remembered
from core.text import sentences, words
from core.types import Span


def closest(document: str, claim: str) -> Span | None:
    """The document sentence with the largest weighted share of words in common; None where none is shared.

    The share is Jaccard's, each word weighing log(1 + sentences / sentences with it): "the" says little.
    """
    wanted = frozenset(words(claim))
    vocabularies, weights = _index(document)
    strange = log(1 + len(vocabularies))
    best, best_share = None, 0.0
    for span, found in vocabularies:
        shared = sum(weights[word] for word in wanted & found)
        share = shared and shared / sum(weights.get(word, strange) for word in wanted | found)
        if share > best_share:
            best, best_share = span, share
    return best


@remembered(32)
def _index(document: str) -> tuple[tuple[tuple[Span, frozenset[str]], ...], dict[str, float]]:
    """Every sentence with its words, and the weight of every word."""
    vocabularies = tuple((span, frozenset(words(span.of(document)))) for span in sentences(document))
    counts = Counter(word for _, found in vocabularies for word in found)
    return vocabularies, {word: log(1 + len(vocabularies) / count) for word, count in counts.items()}
