"""Agreement of the annotators of imported data, aspect by aspect: alpha, AC1, and Cohen's kappa of every two of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.report import Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import VERDICT_VALUES, Cases
from core.stats import (
    DISTANCES,
    MODELS,
    UNKNOWN,
    Estimate,
    LabelMatrix,
    Resamples,
    Statistic,
    cohen_kappa,
    competence_estimates,
    fit_model,
    format_percent,
    format_unsigned,
    gwet_ac1,
    interval_distance,
    krippendorff_alpha,
    nominal_distance,
    raw_agreement,
    undefined,
)
from core.types import ALL_JUDGES

VERDICT = "verdict"
"""The aspect of judgements that are verdicts."""

_MAX_CATEGORIES = 25  # distinct values that are taken for categories: AC1 and kappa compare these, alpha distances too
_MAX_VALUES = 200  # whose square is held
_MIN_SHARED = 10  # items that two annotators share
_MAX_PAIRS = 100
_MAX_MODEL_CATEGORIES = 10  # distinct values of which a model of annotators keeps a table for each of them
_COMPETENCE_HELP = (
    "How often an annotator is right (Dawid-Skene) or does not guess (MACE), estimated together with the right labels."
)


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators on the items that both labelled; kappa has quadratic weights where there are more than two values."""

    first: str
    second: str
    raw: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """Agreement of the annotators of one aspect on one unit."""

    aspect: str
    """Name of the rated aspect, or VERDICT."""
    unit: str
    """`sentence`, `summary`, or `summary mean`: the mean of each annotator over the sentences of a summary."""
    items: int
    """Units with at least one label."""
    labels: int
    """Labels on all items together."""
    annotators: int
    """Different annotators of these items."""
    raw: Estimate
    """Share of two labels of one item that are the same, 0..1; undefined with more than 25 distinct values."""
    alphas: Mapping[str, Estimate]
    """Krippendorff's alpha by the name of the distance, at most 1; nominal alone for two values."""
    ac1: Estimate
    """Gwet's AC1, at most 1; undefined with more than 25 distinct values."""
    pairs: tuple[PairAgreement, ...]
    """Every two annotators that share ten items or more, those that share most first; at most a hundred."""
    all_pairs: int
    """Number of pairs of annotators that share any item."""


_Labels = Mapping[tuple[int, int], Mapping[str, float]]
"""By row of the cases and sentence, −1 for the summary, what each annotator said."""


def annotator_agreements(cases: Cases, draws: Resamples) -> Iterator[AnnotatorAgreement]:
    """Every aspect that at least two annotators labelled on some item; the datasets' own summaries do not count."""
    for (aspect, unit), labels in labelled_units(cases).items():
        matrix = _matrix([list(by_judge.values()) for by_judge in labels.values()], labels, cases)
        shared = Counter(pair for by_judge in labels.values() for pair in combinations(sorted(by_judge), 2))
        pairs = [pair for pair, number in shared.most_common(_MAX_PAIRS) if number >= _MIN_SHARED]
        # alpha takes two values for nothing more than classes
        alphas = list(DISTANCES) if len(matrix.categories) > 2 else ["nominal"]
        many = f"More than {_MAX_VALUES} distinct values: alpha is not computed."
        agreements = []
        for pair in pairs:
            both = {
                place: by_judge for place, by_judge in labels.items() if pair[0] in by_judge and pair[1] in by_judge
            }
            of_pair = _matrix([[by_judge[judge] for judge in pair] for by_judge in both.values()], both, cases)
            distance = nominal_distance if len(of_pair.categories) <= 2 else interval_distance
            kappa = _with_few_values(of_pair, partial(cohen_kappa, first=0, second=1, distance=distance))
            raw = draws.estimate(_with_few_values(of_pair, raw_agreement))
            agreements.append(PairAgreement(*pair, raw, draws.estimate(kappa)))
        yield AnnotatorAgreement(
            aspect=aspect,
            unit=unit,
            items=len(labels),
            labels=sum(map(len, labels.values())),
            annotators=len({judge for by_judge in labels.values() for judge in by_judge}),
            raw=draws.estimate(_with_few_values(matrix, raw_agreement)),
            alphas={
                name: draws.estimate(
                    undefined(len(matrix.documents), many)
                    if len(matrix.categories) > _MAX_VALUES
                    else krippendorff_alpha(matrix, DISTANCES[name])
                )
                for name in alphas
            },
            ac1=draws.estimate(_with_few_values(matrix, gwet_ac1)),
            pairs=tuple(agreements),
            all_pairs=len(shared),
        )


def labelled_units(cases: Cases) -> dict[tuple[str, str], _Labels]:
    """The labels of each aspect and unit that at least two annotators labelled on some item."""

    labels_by_unit: dict[tuple[str, str], dict[tuple[int, int], dict[str, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for row, sample in enumerate(cases.samples):
        for rating in sample.item.ratings:
            if rating.judge != ALL_JUDGES:
                place = -1 if rating.sentence is None else rating.sentence
                unit = "summary" if rating.sentence is None else "sentence"
                labels_by_unit[rating.aspect, unit][row, place][rating.judge] = rating.value
        for judgement in sample.item.judgements:
            labels_by_unit[VERDICT, "summary"][row, -1][judgement.judge] = VERDICT_VALUES[judgement.verdict]
    of_sentences = [aspect for aspect, unit in labels_by_unit if unit == "sentence"]
    labels: dict[tuple[str, str], _Labels] = dict(labels_by_unit)
    for aspect in of_sentences:
        values: dict[tuple[int, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for (row, _), by_judge in labels_by_unit[aspect, "sentence"].items():
            for judge, value in by_judge.items():
                values[row, -1][judge].append(value)
        labels[aspect, "summary mean"] = {
            place: {judge: float(np.mean(of)) for judge, of in by_judge.items()} for place, by_judge in values.items()
        }
    return {unit: of for unit, of in labels.items() if any(len(by_judge) > 1 for by_judge in of.values())}


def _matrix(values: Sequence[Sequence[float]], labels: _Labels, cases: Cases) -> LabelMatrix:
    """(items, most labels of an item): who gave a label does not matter to alpha and AC1, and crowds are large."""
    filled = np.full((len(values), max(map(len, values))), np.nan)
    for row, item_labels in enumerate(values):
        filled[row, : len(item_labels)] = item_labels
    return LabelMatrix(filled, cases.documents[[row for row, _ in labels]])


def _with_few_values(matrix: LabelMatrix, coefficient: Callable[[LabelMatrix], Statistic]) -> Statistic:
    if len(matrix.categories) > _MAX_CATEGORIES:
        return undefined(
            len(matrix.documents),
            f"More than {_MAX_CATEGORIES} distinct values are no categories. See alpha (interval).",
        )
    return coefficient(matrix)


@STUDIES.add
@dataclass(frozen=True)
class AnnotatorAgreementStudy(Study):
    """Agreement of annotators, aspect by aspect and two by two."""

    name: ClassVar[str] = "annotator-agreement"
    title: ClassVar[str] = "Agreement of annotators"
    does: ClassVar[str] = (
        "Measure how far the annotators of imported data agree: alpha, AC1 and pairwise kappa by aspect, with intervals."
    )
    group: ClassVar[Group] = "Which metric?"
    place: ClassVar[int] = 20
    takes: ClassVar[tuple[Input, ...]] = (Input.SAMPLES,)
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"audit": "It measures the labels, and the audit a metric by them."}
    )
    aspect: str = setting("", "Only this aspect of those that several annotators labelled.")
    model: str = setting("", "Also how often each annotator is right, by this model: dawid-skene or mace.")

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        aspects = dict.fromkeys(aspect for aspect, _ in labelled_units(data.samples))
        return {"aspect": ["", *aspects], "model": ["", *MODELS]}

    def run(self, data: StudyData) -> Report:
        units = labelled_units(data.samples)
        if not units:
            raise TouchstoneError(
                f"No two annotators labelled the same text in {', '.join(data.datasets)}. Import data with the labels of each "
                "annotator."
            )
        aspects = dict.fromkeys(aspect for aspect, _ in units)
        if self.aspect and self.aspect not in aspects:
            raise UnknownNameError("aspect that several annotators labelled", self.aspect, aspects)
        if self.model and self.model not in MODELS:
            raise UnknownNameError("model of annotators", self.model, MODELS)
        agreements = [
            agreement
            for agreement in annotator_agreements(data.samples, data.draws)
            if self.aspect in ("", agreement.aspect)
        ]
        names = [name for name in DISTANCES if any(name in agreement.alphas for agreement in agreements)]
        aspect_table = Table(
            "aspects",
            "Agreement by aspect",
            (
                Column("aspect"),
                Column("unit", help="A sentence, a summary, or each annotator's mean over the sentences of a summary."),
                Column("items", format="count"),
                Column("labels", format="count"),
                Column("annotators", format="count"),
                Column("raw", "same", "percent", "Share of two labels of one item that are the same."),
                *(Column(f"alpha_{name}", f"alpha ({name})", "unsigned", "Krippendorff's alpha.") for name in names),
                Column("ac1", "AC1", "unsigned", "Gwet's AC1, for categories of which one is rare."),
                Column("all_pairs", "pairs of annotators", "count"),
            ),
            tuple(
                (
                    *(
                        agreement.aspect,
                        agreement.unit,
                        agreement.items,
                        agreement.labels,
                        agreement.annotators,
                        agreement.raw,
                    ),
                    *(agreement.alphas.get(name) for name in names),
                    *(agreement.ac1, agreement.all_pairs),
                )
                for agreement in agreements
            ),
        )
        return self.report(
            data,
            [aspect_table, _pair_table(agreements), *self._competence_tables(data.samples)],
            sentences=[_agreement_sentence(agreement) for agreement in agreements[:3]],
            notes=[
                "In brackets the 95 % interval of a bootstrap over documents. A dataset's own summary of its annotators does not "
                "count. Kappa has quadratic weights where there are more than two values."
            ],
        )

    def _competence_tables(self, cases: Cases) -> Iterator[Table]:
        """Competence of each annotator of each unit of few values, most labels first; nothing without a model."""
        if not self.model:
            return
        rows, left_out = [], []
        for (aspect, unit), labels in labelled_units(cases).items():
            if self.aspect not in {"", aspect}:
                continue
            judges = sorted({judge for by_judge in labels.values() for judge in by_judge})
            values = [[by_judge.get(judge, np.nan) for judge in judges] for by_judge in labels.values()]
            matrix = LabelMatrix(np.array(values), cases.documents[[row for row, _ in labels]])
            if len(matrix.categories) > _MAX_MODEL_CATEGORIES:
                left_out.append(f"{aspect}, {unit}: a model takes {_MAX_MODEL_CATEGORIES} distinct values at most.")
                continue
            right_labels = np.full(len(values), UNKNOWN)
            fitted = fit_model(self.model, matrix, right_labels)
            estimates = competence_estimates(self.model, matrix, right_labels, fitted)
            most_first = sorted(zip(judges, estimates, strict=True), key=lambda pair: (-pair[1].n, pair[0]))
            rows += [(aspect, unit, judge, estimate.n, estimate) for judge, estimate in most_first]
        yield Table(
            "competence",
            "Competence of each annotator",
            (
                Column("aspect"),
                Column("unit"),
                Column("annotator"),
                Column("labels", format="count"),
                Column("competence", self.model, "percent", _COMPETENCE_HELP),
            ),
            tuple(rows),
            tuple(left_out),
        )


def _pair_table(agreements: Sequence[AnnotatorAgreement]) -> Table:
    """Every two annotators that share enough items, with how many are left out."""
    return Table(
        "pairs",
        "Agreement of every two annotators",
        (
            Column("aspect"),
            Column("unit"),
            Column("first", "annotator"),
            Column("second", "and"),
            Column("items", format="count"),
            Column("raw", "same", "percent"),
            Column("kappa", "Cohen's kappa", "unsigned"),
        ),
        tuple(
            (agreement.aspect, agreement.unit, pair.first, pair.second, pair.raw.n, pair.raw, pair.kappa)
            for agreement in agreements
            for pair in agreement.pairs
        ),
        tuple(
            f"{agreement.aspect}, {agreement.unit}: {len(agreement.pairs)} of {agreement.all_pairs} pairs of annotators share {_MIN_SHARED} items or are shown."
            for agreement in agreements
            if len(agreement.pairs) < agreement.all_pairs
        ),
    )


def _agreement_sentence(agreement: AnnotatorAgreement) -> str:
    name, alpha = list(agreement.alphas.items())[-1]
    return (
        f"{agreement.aspect}, {agreement.unit}: {agreement.annotators} annotators of {agreement.items} items give the same label in "
        f"{format_percent(agreement.raw)} % of cases; alpha ({name}) {format_unsigned(alpha)}."
    )
