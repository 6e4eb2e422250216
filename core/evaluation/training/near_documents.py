"""Documents that are nearly the same, so that none is learned from while another is tested on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np

from core.models import NEAR_DUPLICATE, RUN_WORDS
from core.stats import Numbers, number_documents
from core.text import words


def near_duplicates(documents: Sequence[str], groups: Sequence[str]) -> Numbers:
    """A number for each row's document, (rows,): rows of one text, of one group or of near-duplicate texts share it.

    Texts are near-duplicates where at least half of the five-word runs of the shorter one stand in the other, also by way
    of a third text.
    """
    texts = list(dict.fromkeys(documents))
    marks: dict[str, list[tuple[str, object]]] = {text: [("text", text)] for text in texts}
    for pair in _near_pairs(texts):
        for number in pair:
            marks[texts[number]].append(("near", pair))
    return number_documents(
        [*marks[document], *([("group", group)] if group else [])]
        for document, group in zip(documents, groups, strict=True)
    )


def _near_pairs(documents: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of near-duplicates, enough to connect all that are connected.

    At least half of the smaller document's runs are shared, so at least one of its rarer half is (the prefix filter of
    Chaudhuri et al. 2006): frequent runs, as of a footer in all documents, need no look-up.
    """
    runs = _numbered_runs(documents)
    listed, sizes = np.concatenate([np.zeros(0, dtype=np.intp), *runs]), [len(document_runs) for document_runs in runs]
    holders = np.repeat(np.arange(len(runs)), sizes)[np.argsort(listed, kind="stable")]
    counts = np.bincount(listed)
    ends = np.cumsum(counts)
    group = np.arange(len(runs))
    for number, document_runs in enumerate(runs):
        rarer = document_runs[np.argsort(counts[document_runs], kind="stable")][
            : len(document_runs) - ceil(NEAR_DUPLICATE * len(document_runs)) + 1
        ]
        apart = np.zeros(len(runs), dtype=np.bool_)
        for run in rarer[counts[rarer] > 1]:
            others = holders[ends[run] - counts[run] : ends[run]]
            apart[others] = True
            if (
                group[others] == group[number]
            ).all():  # all holders are in one group already: skip this run from now on
                counts[run] = 1
        while len(others := np.flatnonzero(apart & (group != group[number]))):
            other = int(others[0])
            apart[other] = False
            shared = len(np.intersect1d(document_runs, runs[other], assume_unique=True))
            if shared >= NEAR_DUPLICATE * min(len(document_runs), len(runs[other])):
                group[group == group[other]] = group[number]
                yield number, other


def _numbered_runs(documents: Sequence[str]) -> list[Numbers]:
    """The different runs of RUN_WORDS words of each document as numbers from 0; a shorter document is one run."""
    names: dict[str, int] = {}
    texts = [[names.setdefault(word, len(names) + 1) for word in words(document)] for document in documents]
    padded = [text + [0] * (RUN_WORDS - len(text)) if text else text for text in texts]
    read = np.array([word for text in padded for word in text], dtype=np.int64)
    lengths = np.array([len(text) for text in padded], dtype=np.intp)
    counts = np.maximum(lengths - RUN_WORDS + 1, 0)
    starts = np.arange(counts.sum()) + np.repeat(np.cumsum(lengths - counts) - (lengths - counts), counts)
    runs = read[starts]
    for place in range(1, RUN_WORDS):
        runs = np.unique(runs * (len(names) + 1) + read[starts + place], return_inverse=True)[1]
    return [np.unique(document_runs) for document_runs in np.split(runs, np.cumsum(counts)[:-1])]
