"""A pool of summaries as arrays: labels of few of them, the scores of all, and the parts that its owner compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from core.errors import TouchstoneError, UnknownNameError
from core.results.cases.cases import Cases, MetricColumn
from core.results.cases.measures import SLICE_FIELDS, slice_fields
from core.results.cases.ratings import VERDICT_ASPECT, mean_ratings
from core.stats import Mask, Numbers, Values
from core.types import Sample, Verdict

POOL_FIELDS = ("system", "domain", "source", "split", "slice", "dataset")
"""Fields by which the rates of parts are compared; the errors found are no parts, as unlabelled summaries have none."""

_LABELS: Mapping[Verdict, float] = MappingProxyType({Verdict.CONSISTENT: 1.0, Verdict.INCONSISTENT: 0.0})


@dataclass(frozen=True, slots=True, eq=False)
class SummaryPool:
    """Summaries in rows, most of them without a label."""

    ids: Sequence[str]
    """Id of each summary, (N,)."""
    labels: Values
    """1 consistent, 0 inconsistent, nan none, (N,)."""
    documents: Numbers
    """Number of the document, (N,): summaries of one document are resampled together."""
    columns: tuple[MetricColumn, ...]
    """Scores of each metric."""
    errors: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Types of the errors of a row; a row without an entry has none that is known."""
    probabilities: Values | None = None
    """Probability of selection for a label, (N,), nan where unknown; None if none was stored."""
    parts: Mapping[str, Mask] = field(default_factory=dict)
    """Mask of the rows of each part, (N,), by its name."""
    warnings: tuple[str, ...] = ()
    """Sentences on labels and scores that do not count."""
    grades: Mapping[str, Values] = field(default_factory=dict)
    """Numbers that people gave, (N,), by aspect; nan where nobody did."""

    @property
    def labelled(self) -> Numbers:
        """The rows that have a label, (n,)."""
        return np.flatnonzero(~np.isnan(self.labels))


@dataclass(frozen=True, slots=True)
class PoolLabel:
    """A label of a summary of a pool: None for one that is neither; the probability is None where it was not kept, and the
    document "" where it is not named."""

    id: str
    verdict: Verdict | None
    errors: tuple[str, ...] = ()
    probability: float | None = None
    document: str = ""


def pool_of_cases(cases: Cases, by: str | None = None) -> SummaryPool:
    """The samples of datasets; a text of several datasets is one row of the first, with the labels and scores of all."""
    rows, warnings = _rows_of_texts(cases)
    labels, probabilities = _first_known(cases.labels, rows), None
    if cases.probabilities is not None:
        probabilities = _first_known(cases.probabilities, rows)
        # of a dataset with probabilities a label without one stays, for the estimate to refuse
        chances = zip(cases.samples, cases.probabilities, strict=True)
        drawing = {sample.dataset for sample, chance in chances if chance == chance}
        others = np.array([sample.dataset not in drawing for sample in cases.samples], dtype=np.bool_)
        labels = _first_known(np.where(others, np.nan, cases.labels), rows)
        if left_out := int(np.sum(others & ~np.isnan(cases.labels))):
            warnings.append(
                f"{left_out:,} labels of other datasets than {', '.join(sorted(drawing))} were not drawn with a known probability, and do not count."
            )
    owners = np.array([of_text[0] for of_text in rows], dtype=np.intp)
    errors = {place: kinds for place, of_text in enumerate(rows) if (kinds := _error_types(cases.samples, of_text))}
    samples = [cases.samples[row] for row in owners]
    return SummaryPool(
        ids=[sample.item.example.id for sample in samples],
        labels=labels,
        documents=cases.documents[owners],
        columns=tuple(replace(column, values=_first_known(column.values, rows)) for column in cases.columns),
        errors=errors,
        probabilities=probabilities,
        parts=parts_of_samples(samples, by),
        warnings=tuple(warnings),
        grades={
            aspect: _first_known(values, rows)
            for aspect, values in mean_ratings(cases).items()
            if aspect != VERDICT_ASPECT
        },
    )


def parts_of_samples(samples: Sequence[Sample], by: str | None) -> dict[str, Mask]:
    """The rows of each value of one of POOL_FIELDS; none for another field. Raises UnknownNameError for a field that no sample has."""
    if by is None:
        return {}
    slice_fields(by)  # raises for a field that no sample has
    if by not in POOL_FIELDS:
        return {}
    values = [SLICE_FIELDS[by](sample) for sample in samples]
    names = sorted({name for of_sample in values for name in of_sample})
    return {name: np.array([name in of_sample for of_sample in values], dtype=np.bool_) for name in names}


def with_labels(pool: SummaryPool, labels: Sequence[PoolLabel]) -> SummaryPool:
    """The pool with these labels in place of its own.

    Raises TouchstoneError where none of them is of a summary of the pool, or a summary has both labels.
    """
    by_id: dict[str, PoolLabel] = {}
    for label in labels:
        earlier = by_id.setdefault(label.id, label)
        if earlier.verdict is not label.verdict:
            raise TouchstoneError(
                f"{label.id} has two labels that differ. Keep one of them, or the verdict of most people."
            )
    places = {id: place for place, id in enumerate(pool.ids) if id in by_id}
    repeated = Counter(id for id in pool.ids if id in by_id)
    unclear = [id for id, number in repeated.items() if number > 1]
    if unclear:
        raise TouchstoneError(
            f"{len(unclear)} ids with a label name several summaries, as {unclear[0]}. Give each an id of its own."
        )
    if not places:
        shown = ", ".join(list(by_id)[:3]) or "none"
        raise TouchstoneError(
            f"None of the {len(by_id)} labels is of a summary here: their ids are {shown}, those of the pool "
            f"{', '.join(list(pool.ids)[:3])}. Label summaries of the pool."
        )
    values, probabilities = np.full(len(pool.ids), np.nan), np.full(len(pool.ids), np.nan)
    errors = {}
    for id, place in places.items():
        label = by_id[id]
        values[place] = _LABELS.get(label.verdict, np.nan) if label.verdict else np.nan
        probabilities[place] = np.nan if label.probability is None else label.probability
        if label.errors:
            errors[place] = label.errors
    others = len(by_id) - len(places)
    has_probabilities = any(label.probability is not None for label in by_id.values())
    return replace(
        pool,
        labels=values,
        errors=errors,
        probabilities=probabilities if has_probabilities else None,
        documents=_named_documents(pool.documents, {place: by_id[id].document for id, place in places.items()}),
        warnings=(
            *pool.warnings,
            *([f"{others} labels are of summaries that are not here, and do not count."] if others else []),
        ),
    )


def _named_documents(documents: Numbers, names: Mapping[int, str]) -> Numbers:
    """The documents of a pool, (N,), by the names that labels give them, by row, where it knows of none that summaries share."""
    if len(np.unique(documents)) < len(documents) or not any(names.values()):
        return documents
    numbers = {name: number for number, name in enumerate(dict.fromkeys(filter(None, names.values())))}
    named = len(numbers) + np.arange(len(documents))
    for row, name in names.items():
        if name:
            named[row] = numbers[name]
    return np.unique(named, return_inverse=True)[1].astype(np.intp)


def select_pool_metrics(pool: SummaryPool, names: Sequence[str]) -> SummaryPool:
    """The same with the scores of these metrics only. Raises UnknownNameError for one that has none."""
    columns = {column.name: column for column in pool.columns}
    for name in names:
        if name not in columns:
            raise UnknownNameError("metric with scores here", name, columns)
    return replace(pool, columns=tuple(columns[name] for name in dict.fromkeys(names))) if names else pool


def _rows_of_texts(cases: Cases) -> tuple[list[list[int]], list[str]]:
    """The rows of each text, one of every dataset at most, and sentences on labels that differ."""
    places: dict[tuple[str, int], int] = {}
    seen: Counter[tuple[str, str]] = Counter()
    rows: list[list[int]] = []
    for row, sample in enumerate(cases.samples):
        text = sample.stored or f"{sample.dataset}\0{sample.item.example.id}"
        # a text that a dataset has twice is two summaries, and meets those of other datasets in their order
        key = (text, seen[sample.dataset, text])
        seen[sample.dataset, text] += 1
        if key in places:
            rows[places[key]].append(row)
        else:
            places[key] = len(rows)
            rows.append([row])
    repeated = [cases.labels[of_text] for of_text in rows if len(of_text) > 1]
    differing = sum(len(np.unique(labels[~np.isnan(labels)])) > 1 for labels in repeated)
    merged = len(cases.samples) - len(rows)
    warnings = []
    if merged:
        warnings.append(f"{merged} summaries are in several datasets, and count once.")
    if differing:
        warnings.append(f"{differing} summaries have different labels in several datasets: that of the first counts.")
    return rows, warnings


def _first_known(values: Values, rows: Sequence[Sequence[int]]) -> Values:
    """The first value of each text that is not nan."""
    first_values = values[[of_text[0] for of_text in rows]].copy() if rows else np.zeros(0)
    for place, of_text in enumerate(rows):
        for row in of_text[1:]:
            if np.isnan(first_values[place]):
                first_values[place] = values[row]
    return first_values


def _error_types(samples: Sequence[Sample], rows: Sequence[int]) -> tuple[str, ...]:
    """The types of errors of the first of these rows that has any: the dataset's names, or else the type of the edit."""
    for row in rows:
        item = samples[row].item
        if item.intended is Verdict.INCONSISTENT and (item.categories or item.error_type):
            return tuple(dict.fromkeys(item.categories)) or ((item.error_type.value,) if item.error_type else ())
    return ()
