"""Texts in the order of their closeness to a claim: by BM25 of their words, or by any row of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float64]


def closest_rows(row: Vectors, k: int) -> list[int]:
    """The places of the k largest values of (n,), the largest first, of equal ones the earlier first."""
    return [int(place) for place in np.argsort(-row, kind="stable")[:k]]


_SATURATION, _LENGTH_SHARE = 1.5, 0.75  # k1 and b of BM25


def bm25(claim: Sequence[str], texts: Sequence[Sequence[str]]) -> Vectors:
    """Okapi BM25 of each text for the words of a claim, (texts,) (Robertson and Zaragoza 2009, equation 3.15)."""
    counts = [Counter(text) for text in texts]
    mean_length = sum(map(len, texts)) / len(texts) or 1.0
    scores = np.zeros(len(texts))
    for word in dict.fromkeys(claim):
        holding = sum(word in count for count in counts)
        rarity = log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for place, count in enumerate(counts):
            length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * len(texts[place]) / mean_length
            scores[place] += rarity * count[word] * (_SATURATION + 1) / (count[word] + _SATURATION * length)
    return scores
