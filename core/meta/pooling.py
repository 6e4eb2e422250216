"""Samples of several sources put together, without released scores whose scales differ between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from core.meta.cases import Cases, MetricColumn, build_cases
from core.stats.statistic import Values
from core.types import Sample

_ROUNDING = 1e-4  # of the range of scores: what releases of the same scores differ by


def scale_warning(first: Values, second: Values) -> str:
    """Why the scores of one metric in two sources must not be pooled; empty where they may.

    Both are (n,), scores of the same texts, nan where a source lacks one.
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    x, y = first[both], second[both]
    if not len(x):
        return "The two sources share no text with a score, so nobody can tell whether their scales are the same."
    differ = np.abs(x - y) > _ROUNDING * max(np.ptp(x), np.abs(x).max())
    if not differ.any():
        return ""
    found = f"The two sources score {differ.sum()} of {len(x)} common texts differently"
    return f"{found}{_linear_relation(x, y)}. Their scores cannot be pooled."


def _linear_relation(x: Values, y: Values) -> str:
    """How the second scale follows from the first, if it does by a straight line."""
    if np.ptp(x) == 0:
        return ""
    slope, offset = np.polyfit(x, y, 1)
    if np.abs(slope * x + offset - y).max() > _ROUNDING * np.ptp(y):
        return ""
    return f": the second is {slope:.4f} times the first {'+' if offset >= 0 else '−'} {abs(offset):.4f}"


def pool_cases(datasets: Sequence[Sequence[Sample]]) -> Cases:
    """All samples together. A released metric on different scales, or on scales that nobody can compare, is left out.

    A warning names it and says why; another one names documents that datasets have in common. Our own scores of a signature have one scale.
    """
    together = build_cases([sample for samples in datasets for sample in samples])
    found = {column.name: _column_warnings(together, column) for column in together.columns if column.released}
    kept = tuple(column for column in together.columns if not found.get(column.name))
    warnings = (sentence for sentences in found.values() for sentence in sentences)
    return replace(together, columns=kept, warnings=(*together.warnings, *_shared_documents(datasets), *warnings))


def _shared_documents(datasets: Sequence[Sequence[Sample]]) -> list[str]:
    """Which datasets have documents in common: what they hold of these is no evidence of its own."""
    texts = {samples[0].dataset: {sample.document for sample in samples} - {""} for samples in datasets if samples}
    common = [(one, two, len(texts[one] & texts[two])) for one, two in combinations(texts, 2)]
    return [
        f"{one} and {two} have {number} documents in common, which the bootstrap draws together."
        for one, two, number in common
        if number
    ]


def _column_warnings(together: Cases, column: MetricColumn) -> list[str]:
    named = {
        sample.dataset for sample, value in zip(together.samples, column.values, strict=True) if not np.isnan(value)
    }
    warnings = [(pair, _pair_warning(together, column, *pair)) for pair in combinations(sorted(named), 2)]
    return [f"{column.name} in {one} and {two}: {sentence}" for (one, two), sentence in warnings if sentence]


def _pair_warning(together: Cases, column: MetricColumn, one: str, two: str) -> str:
    first, second = (_scores_by_text(together.samples, column, name) for name in (one, two))
    common = sorted(first.keys() & second.keys())
    return scale_warning(np.array([first[text] for text in common]), np.array([second[text] for text in common]))


def _scores_by_text(samples: Iterable[Sample], column: MetricColumn, dataset: str) -> dict[str, float]:
    return {
        sample.stored: float(value)
        for sample, value in zip(samples, column.values, strict=True)
        if sample.dataset == dataset and sample.stored and not np.isnan(value)
    }
