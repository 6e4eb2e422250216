"""Documents that a metric learned from, recognised by their runs of words, however they are spaced, capitalised or changed a little."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping

from core.text import words

RUN_WORDS = 5
NEAR_DUPLICATE = 0.5
"""Two documents are one where so large a share of the shorter one's runs stands in the other."""
_KEPT_RUNS = 24
"""Of a document that is learned from: the smallest by their hashes, which is a fair draw of all (Broder 1997, the min-wise sketch)."""


def word_runs(text: str) -> frozenset[tuple[str, ...]]:
    """The runs of RUN_WORDS words of a text, in small letters; a shorter text is one run."""
    tokens = words(text)
    return frozenset(
        tokens[place : place + RUN_WORDS] for place in range(max(1, len(tokens) - RUN_WORDS + 1)) if tokens
    )


def document_sketch(document: str) -> str:
    """Name of a document by hashes of some of its runs, with blanks between them, in their order."""
    return " ".join(sorted(_run_hashes(document))[:_KEPT_RUNS])


def _run_hashes(document: str) -> frozenset[str]:
    return frozenset(hashlib.blake2b(" ".join(run).encode(), digest_size=6).hexdigest() for run in word_runs(document))


class KnownDocuments:
    """The folds of documents by their sketches."""

    def __init__(self, folds: Mapping[str, int]) -> None:
        self._folds = list(folds.values())
        self._sizes = [len(sketch.split()) for sketch in folds]
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, sketch in enumerate(folds):
            for run in sketch.split():
                self._holders[run].append(number)

    def fold(self, document: str) -> int | None:
        """Fold of the known document that has most in common with a text; None where none has NEAR_DUPLICATE of its sketch."""
        shared = Counter(number for run in _run_hashes(document) for number in self._holders.get(run, ()))
        shares = {number: count / self._sizes[number] for number, count in shared.items()}
        closest = max(shares, key=lambda number: (shares[number], -number), default=None)
        return self._folds[closest] if closest is not None and shares[closest] >= NEAR_DUPLICATE else None
