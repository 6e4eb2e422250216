"""Several datasets in one table: scores of a metric are put together only where their scales are known to be the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from core.meta.cases import Cases, Column, cases
from core.stats.scales import warning
from core.types import Sample


def pooled(datasets: Sequence[Sequence[Sample]]) -> Cases:
    """All samples together. A released metric on different scales, or on scales that nobody can compare, is left out.

    A warning names it and says why; another one names documents that datasets have in common. Our own scores of a signature have one scale.
    """
    together = cases([sample for samples in datasets for sample in samples])
    found = {column.name: _warnings(together, column) for column in together.columns if column.released}
    kept = tuple(column for column in together.columns if not found.get(column.name))
    said = (sentence for sentences in found.values() for sentence in sentences)
    return replace(together, columns=kept, warnings=(*together.warnings, *_shared(datasets), *said))


def _shared(datasets: Sequence[Sequence[Sample]]) -> list[str]:
    """Which datasets have documents in common: what they hold of these is no evidence of its own."""
    texts = {samples[0].dataset: {sample.document for sample in samples} - {""} for samples in datasets if samples}
    common = [(one, two, len(texts[one] & texts[two])) for one, two in combinations(texts, 2)]
    return [
        f"{one} and {two} have {number} documents in common, which the bootstrap draws together."
        for one, two, number in common
        if number
    ]


def _warnings(together: Cases, column: Column) -> list[str]:
    named = {
        sample.dataset for sample, value in zip(together.samples, column.values, strict=True) if not np.isnan(value)
    }
    said = [(pair, _warning(together, column, *pair)) for pair in combinations(sorted(named), 2)]
    return [f"{column.name} in {one} and {two}: {sentence}" for (one, two), sentence in said if sentence]


def _warning(together: Cases, column: Column, one: str, two: str) -> str:
    first, second = (_by_text(together.samples, column, name) for name in (one, two))
    common = sorted(first.keys() & second.keys())
    return warning(np.array([first[text] for text in common]), np.array([second[text] for text in common]))


def _by_text(samples: Iterable[Sample], column: Column, dataset: str) -> dict[str, float]:
    return {
        sample.stored: float(value)
        for sample, value in zip(samples, column.values, strict=True)
        if sample.dataset == dataset and sample.stored and not np.isnan(value)
    }
