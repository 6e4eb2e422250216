"""Samples as arrays: labels, documents, minimal pairs, and one column of scores for each metric."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]  # it ships no types

from core.errors import TouchstoneError, UnknownNameError
from core.metric import METRICS, Direction
from core.stats.statistic import Numbers, Values, tally
from core.types import Sample, Verdict

_LABELS: dict[Verdict | None, float] = {Verdict.CONSISTENT: 1.0, Verdict.INCONSISTENT: 0.0}
_SIDES: dict[str, Direction] = {"higher": "higher", "lower": "lower", "neutral": "neutral"}


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The scores of one metric, (samples,), nan where there is none; `failed` of them for a reason that was kept.

    `signature` is empty for scores that the authors of a dataset released: these are higher where more consistent.
    """

    name: str
    values: Values
    direction: Direction = "higher"
    signature: str = ""
    failed: int = 0

    @property
    def released(self) -> bool:
        return not self.signature


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Samples in rows. `labels` are 1 consistent, 0 inconsistent, nan neither; `documents` number what must stay together.

    `pairs` holds the rows of the faithful and the broken side of each minimal pair, (pairs, 2); `harmless` those of an
    original and its edit that are both consistent; one that is borderline has no part in either. `warnings` are sentences on
    scores that were left out and on datasets that overlap.
    """

    samples: tuple[Sample, ...]
    labels: Values
    documents: Numbers
    pairs: Numbers
    harmless: Numbers
    columns: tuple[Column, ...]
    warnings: tuple[str, ...] = ()

    @property
    def clusters(self) -> int:
        return int(self.documents.max()) + 1 if len(self.documents) else 0

    @property
    def paired(self) -> bool:
        """Whether every labelled summary is a side of a minimal pair."""
        sides = np.isin(np.arange(len(self.samples)), self.pairs)
        return bool(len(self.pairs)) and not np.any(~sides & ~np.isnan(self.labels))


def cases(samples: Sequence[Sample]) -> Cases:
    """Samples of one dataset or several; see `pooling.pooled` for the scales of released scores."""
    places = {(sample.dataset, sample.item.example.id): place for place, sample in enumerate(samples)}
    linked = [
        (places[sample.dataset, sample.item.parent], place)
        for place, sample in enumerate(samples)
        if sample.item.parent and (sample.dataset, sample.item.parent) in places and not _borderline(sample)
    ]
    linked = [(one, two) for one, two in linked if not _borderline(samples[one])]
    labels = np.array([_LABELS.get(sample.item.intended, np.nan) for sample in samples], dtype=np.float64)
    directions = _directions({score.metric for sample in samples for score in sample.kept})
    return Cases(
        samples=tuple(samples),
        labels=labels,
        documents=_documents(samples),
        pairs=_broken(linked, labels),
        harmless=_rows([(one, two) for one, two in linked if labels[two] == 1 and labels[one] != 0]),
        columns=(*_released(samples), *_ours(samples, directions)),
        warnings=tuple(said for said in directions.values() if said not in _SIDES),
    )


def _borderline(sample: Sample) -> bool:
    return sample.item.intended is Verdict.BORDERLINE


def of_metrics(cases: Cases, names: Sequence[str]) -> Cases:
    """The same cases with the columns of these metrics only. Raises UnknownNameError for one that has no score."""
    columns = {column.name: column for column in cases.columns}
    for name in names:
        if name not in columns:
            raise UnknownNameError("metric with scores here", name, columns)
    return replace(cases, columns=tuple(column for column in cases.columns if column.name in names))


def _broken(linked: Iterable[tuple[int, int]], labels: Values) -> Numbers:
    """The faithful and the broken side; an original without a label counts as faithful to its broken edit."""
    pairs = [(one, two) if labels[two] == 0 else (two, one) for one, two in linked if 0 in (labels[one], labels[two])]
    return _rows([(good, bad) for good, bad in pairs if labels[bad] == 0 and labels[good] != 0])


def _rows(pairs: Sequence[tuple[int, int]]) -> Numbers:
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)


def _documents(samples: Sequence[Sample]) -> Numbers:
    """Samples of one group or of one text, in whichever dataset, share a number; one that has neither stands alone."""
    names: dict[object, int] = {}
    edges = []
    for place, sample in enumerate(samples):
        marks = [
            mark
            for mark in ((sample.dataset, sample.item.group), sample.document)
            if mark and mark != (sample.dataset, "")
        ]
        edges += [(place, names.setdefault(mark, len(samples) + len(names))) for mark in marks]
    size = len(samples) + len(names)
    one, two = np.array(edges, dtype=np.intp).reshape(-1, 2).T
    _, components = connected_components(tally(one, two, (size, size)), directed=False)
    numbers: Numbers = np.unique(components[: len(samples)], return_inverse=True)[1]
    return numbers


def _released(samples: Sequence[Sample]) -> list[Column]:
    found: dict[str, Values] = defaultdict(lambda: np.full(len(samples), np.nan))
    for place, sample in enumerate(samples):
        for score in sample.item.scores:
            found[score.metric][place] = score.value
    return [Column(name, values) for name, values in found.items()]


def _directions(specs: Iterable[str]) -> dict[str, str]:
    """Which way each metric points, or why its scores are left out: it was removed, or its settings have changed."""
    found = {}
    for spec in sorted(specs):
        try:
            found[spec] = str(METRICS.parse(spec).card.direction)
        except TouchstoneError as error:
            found[spec] = f"The kept scores of {spec} are left out. {error}"
    return found


def _ours(samples: Sequence[Sample], directions: Mapping[str, str]) -> list[Column]:
    """A column for each signature: numbers of two settings, checkpoints or versions never stand in one."""
    values: dict[tuple[str, str], Values] = defaultdict(lambda: np.full(len(samples), np.nan))
    failed: Counter[str] = Counter()
    for place, sample in enumerate(samples):
        for score in sample.kept:
            if score.value is None:
                failed[score.metric] += 1
            else:
                values[score.metric, score.signature][place] = score.value
    taken = {score.metric for sample in samples for score in sample.item.scores}
    return [
        Column(name, values[key], _SIDES[directions[key[0]]], key[1], failed[key[0]])
        for key, name in _names(values, taken).items()
        if directions[key[0]] in _SIDES
    ]


def _names(values: Mapping[tuple[str, str], Values], taken: Iterable[str]) -> dict[tuple[str, str], str]:
    """The spec of each signature, numbered from the second on, the one with the most scores first."""
    order = sorted(values, key=lambda key: (key[0], -int(np.sum(~np.isnan(values[key]))), key[1]))
    seen: Counter[str] = Counter()
    names: dict[tuple[str, str], str] = {}
    for key in order:
        seen[key[0]] += 1
        number = f" ({seen[key[0]]})" if seen[key[0]] > 1 else ""
        names[key] = f"{key[0]}{' (ours)' if key[0] in taken else ''}{number}"
    return names
