"""How far the annotators of imported data agree, aspect by aspect: alpha, AC1, and Cohen's kappa of every two of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from core.cases.cases import Cases
from core.stats.agreement import (
    DISTANCES,
    LabelMatrix,
    cohen_kappa,
    gwet_ac1,
    interval_distance,
    krippendorff_alpha,
    nominal_distance,
    raw_agreement,
)
from core.stats.bootstrap import Resamples
from core.stats.statistic import Estimate, Statistic, undefined
from core.stats.text_tables import align_columns, format_percent, format_unsigned
from core.studies.rating_correlation import VERDICT_VALUES
from core.types import ALL_JUDGES

VERDICT = "verdict"
"""The aspect of judgements that are verdicts."""

_MAX_CATEGORIES = 25  # distinct values that are taken for categories: AC1 and kappa compare these, alpha distances too
_MAX_VALUES = 200  # whose square is held
_MIN_SHARED = 10  # items that two annotators share
_MAX_PAIRS = 100


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators on the items that both labelled; kappa has quadratic weights where there are more than two values."""

    first: str
    second: str
    raw: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """One aspect on one unit: `sentence`, `summary`, or `summary mean`, each annotator's mean over sentences.

    `labels` were given by `annotators` to `items`. `pairs` are those that share ten items, the most shared first, of
    `all_pairs` that share any; at most a hundred.
    """

    aspect: str
    unit: str
    items: int
    labels: int
    annotators: int
    raw: Estimate
    alphas: Mapping[str, Estimate]
    ac1: Estimate
    pairs: tuple[PairAgreement, ...]
    all_pairs: int


_Labels = Mapping[tuple[int, int], Mapping[str, float]]
"""By row of the cases and sentence, −1 for the summary, what each annotator said."""


def annotator_agreements(cases: Cases, drawn: Resamples) -> Iterator[AnnotatorAgreement]:
    """Every aspect that at least two annotators labelled on some item; the datasets' own summaries do not count."""
    for (aspect, unit), labels in _labels_by_aspect(cases).items():
        if any(len(given) > 1 for given in labels.values()):
            yield _measure_agreement(aspect, unit, labels, cases, drawn)


def _labels_by_aspect(cases: Cases) -> dict[tuple[str, str], dict[tuple[int, int], dict[str, float]]]:
    found: dict[tuple[str, str], dict[tuple[int, int], dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row, sample in enumerate(cases.samples):
        for rating in sample.item.ratings:
            if rating.judge != ALL_JUDGES:
                place = -1 if rating.sentence is None else rating.sentence
                unit = "summary" if rating.sentence is None else "sentence"
                found[rating.aspect, unit][row, place][rating.judge] = rating.value
        for judgement in sample.item.judgements:
            found[VERDICT, "summary"][row, -1][judgement.judge] = VERDICT_VALUES[judgement.verdict]
    of_sentences = [aspect for aspect, unit in found if unit == "sentence"]
    return dict(found) | {
        (aspect, "summary mean"): _sentence_means(found[aspect, "sentence"]) for aspect in of_sentences
    }


def _sentence_means(labels: _Labels) -> dict[tuple[int, int], dict[str, float]]:
    """Each annotator's mean over the sentences of a summary."""
    values: dict[tuple[int, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (row, _), given in labels.items():
        for judge, value in given.items():
            values[row, -1][judge].append(value)
    return {place: {judge: float(np.mean(of)) for judge, of in given.items()} for place, given in values.items()}


def _measure_agreement(aspect: str, unit: str, labels: _Labels, cases: Cases, drawn: Resamples) -> AnnotatorAgreement:
    matrix = _matrix([list(given.values()) for given in labels.values()], labels, cases)
    shared = Counter(pair for given in labels.values() for pair in combinations(sorted(given), 2))
    pairs = [pair for pair, number in shared.most_common(_MAX_PAIRS) if number >= _MIN_SHARED]
    return AnnotatorAgreement(
        aspect=aspect,
        unit=unit,
        items=len(labels),
        labels=sum(map(len, labels.values())),
        annotators=len({judge for given in labels.values() for judge in given}),
        raw=drawn.estimate(_with_few_values(matrix, raw_agreement)),
        alphas={name: drawn.estimate(_alpha(matrix, name)) for name in _alphas_of(matrix)},
        ac1=drawn.estimate(_ac1(matrix)),
        pairs=tuple(_measure_pair(pair, labels, cases, drawn) for pair in pairs),
        all_pairs=len(shared),
    )


def _matrix(values: Sequence[Sequence[float]], labels: _Labels, cases: Cases) -> LabelMatrix:
    """(items, most labels of an item): who gave a label does not matter to alpha and AC1, and crowds are large."""
    filled = np.full((len(values), max(map(len, values))), np.nan)
    for row, given in enumerate(values):
        filled[row, : len(given)] = given
    return LabelMatrix(filled, cases.documents[[row for row, _ in labels]])


def _measure_pair(pair: tuple[str, str], labels: _Labels, cases: Cases, drawn: Resamples) -> PairAgreement:
    both = {place: given for place, given in labels.items() if pair[0] in given and pair[1] in given}
    matrix = _matrix([[given[judge] for judge in pair] for given in both.values()], both, cases)
    distance = nominal_distance if len(matrix.categories) <= 2 else interval_distance
    kappa = _with_few_values(matrix, lambda of: cohen_kappa(of, 0, 1, distance))
    return PairAgreement(*pair, drawn.estimate(_with_few_values(matrix, raw_agreement)), drawn.estimate(kappa))


def _alphas_of(matrix: LabelMatrix) -> Sequence[str]:
    """Alpha takes two values for nothing more than classes."""
    return list(DISTANCES) if len(matrix.categories) > 2 else ["nominal"]


def _alpha(matrix: LabelMatrix, name: str) -> Statistic:
    if len(matrix.categories) > _MAX_VALUES:
        return undefined(len(matrix.documents), f"More than {_MAX_VALUES} distinct values: alpha is not computed.")
    return krippendorff_alpha(matrix, DISTANCES[name])


def _ac1(matrix: LabelMatrix) -> Statistic:
    return _with_few_values(matrix, gwet_ac1)


def _with_few_values(matrix: LabelMatrix, coefficient: Callable[[LabelMatrix], Statistic]) -> Statistic:
    if len(matrix.categories) > _MAX_CATEGORIES:
        return undefined(
            len(matrix.documents),
            f"More than {_MAX_CATEGORIES} distinct values are no categories. See alpha (interval).",
        )
    return coefficient(matrix)


def agreement_record(found: AnnotatorAgreement) -> dict[str, Any]:
    """One element of `cli.py agreement --json`."""
    return asdict(found)


def format_agreements(found: Sequence[AnnotatorAgreement]) -> str:
    """One line for each aspect and unit, then one for every two annotators that share enough items."""
    head = ("aspect", "unit", "items", "labels", "annotators", "same, %")
    lines = [(*head, *(f"alpha ({name})" for name in DISTANCES), "AC1"), *map(_agreement_cells, found)]
    pairs = [_pair_cells(one, pair) for one in found for pair in one.pairs]
    pair_head = ("aspect", "unit", "annotators", "items", "same, %", "Cohen's kappa")
    left_out = [
        f"{one.aspect}, {one.unit}: {len(one.pairs)} of {one.all_pairs} pairs of annotators share {_MIN_SHARED} items or are shown."
        for one in found
        if len(one.pairs) < one.all_pairs
    ]
    parts = [align_columns(lines), align_columns([pair_head, *pairs]) if pairs else "", "\n".join(left_out)]
    return "\n\n".join([*filter(None, parts), AGREEMENT_NOTE])


AGREEMENT_NOTE = (
    "In brackets the 95 % interval of a bootstrap over documents. A dataset's own summary of its annotators does not count. "
    "Kappa has quadratic weights where there are more than two values."
)


def _agreement_cells(one: AnnotatorAgreement) -> tuple[str, ...]:
    alphas = (format_unsigned(one.alphas[name]) if name in one.alphas else "" for name in DISTANCES)
    numbers = (str(number) for number in (one.items, one.labels, one.annotators))
    return (one.aspect, one.unit, *numbers, format_percent(one.raw), *alphas, format_unsigned(one.ac1))


def _pair_cells(one: AnnotatorAgreement, pair: PairAgreement) -> tuple[str, ...]:
    names = f"{pair.first} × {pair.second}"
    return (one.aspect, one.unit, names, str(pair.raw.n), format_percent(pair.raw), format_unsigned(pair.kappa))
