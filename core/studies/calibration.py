"""Calibration over several domains: scores as probabilities by isotonic regression for each domain, and thresholds of one domain used in another.

Every figure is cross-fitted: probabilities and thresholds come from documents of other folds than those that they are judged on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.cases.cases import Cases, MetricColumn
from core.cases.measures import Slice, slice_cases
from core.errors import TouchstoneError, UnknownNameError
from core.settings import VERSION
from core.stats.bootstrap import Distribution, Resamples
from core.stats.calibration import (
    best_threshold,
    brier_score,
    calibration_error,
    isotonic_probabilities,
    raw_probabilities,
    threshold_decisions,
)
from core.stats.comparison import compare_paired
from core.stats.discrimination import LabelledScores, accuracy_of_decisions
from core.stats.statistic import Estimate, Mask, Numbers, Values, deal_folds, undefined
from core.stats.text_tables import align_columns, format_percent, format_signed, format_unsigned

DOMAIN_FIELDS = ("domain", "dataset", "source", "system")
"""The fields of a sample whose values can be domains: each summary lies in one of them."""

FOLDS = 5
MIN_DOCUMENTS = 10
"""A domain has a figure from so many documents with a consistent and so many with an inconsistent summary on."""

FORMS = ("raw", "pooled", "per domain")
FORMS_NOTE = (
    "raw: the score itself taken as the probability of being consistent, where all scores lie in 0..1; pooled: isotonic "
    "regression on all domains together; per domain: on the domain alone."
)
CROSS_FITTED_NOTE = (
    f"Cross-fitted over {FOLDS} folds of documents: nothing is judged on a document that it was fitted on. Intervals resample "
    "documents and keep the fits. ECE, over ten bins, has none: it is too high where cases are few."
)
LOSS_NOTE = (
    "Balanced accuracy, in percent, of the threshold that is best on the row's domain, on the summaries of the column's; below, what "
    "this loses against the column's own threshold. All of them are cross-fitted, the diagonal too."
)

_SEVERAL_SCALES = "Its scores in these data are on several scales: nothing fitted on one holds on another."
_NO_PROBABILITIES = "Its scores are not all within 0..1, so they are no probabilities."


@dataclass(frozen=True, slots=True)
class DomainCalibration:
    """Quality of a metric's scores as probabilities in one domain of `n` summaries, in each form of FORMS.

    `change` is the Brier score per domain minus that of each other form: below zero where the domain's own calibration
    helps. `threshold` is the best one on all of the domain, for new data in it. Where `why` gives a reason, there is
    no figure.
    """

    domain: str
    n: int
    threshold: float | None
    error: Mapping[str, Estimate]
    brier: Mapping[str, Estimate]
    change: Mapping[str, Estimate]
    why: str = ""


@dataclass(frozen=True, slots=True)
class ThresholdTransfer:
    """The balanced accuracy on one domain of the threshold of another, and how much the domain's own is better.

    `loss` is None where the two are the same domain.
    """

    chosen_on: str
    used_on: str
    accuracy: Estimate
    loss: Estimate | None


@dataclass(frozen=True, slots=True)
class MetricCalibration:
    """One metric: its probabilities in each domain, and its thresholds between those that are large enough."""

    metric: str
    domains: tuple[DomainCalibration, ...]
    transfers: tuple[ThresholdTransfer, ...]

    @property
    def usable(self) -> list[str]:
        """The domains that have figures."""
        return [one.domain for one in self.domains if not one.why]


@dataclass(frozen=True, slots=True, eq=False)
class _Setting:
    """One metric on all cases: what every figure of it is counted from."""

    labelled: LabelledScores
    known: Mask
    folds: Numbers
    drawn: Resamples

    def distribution(self, statistic: Callable[..., Any], values: Values, part: Mask) -> Distribution:
        """A statistic of values, labels and documents, on the cases of a part."""
        return self.drawn.of(statistic(values[part], self.labelled.labels[part], self.labelled.documents[part]))


def calibrations(cases: Cases, by: str, drawn: Resamples, seed: int = 0) -> Iterator[MetricCalibration]:
    """Every metric that has a better side, over the values of one of DOMAIN_FIELDS; one on several scales has no figure.

    Raises UnknownNameError for another field, and TouchstoneError where no summary has a value of it.
    """
    parts, folds = domain_slices(cases, by), deal_folds(cases.documents, FOLDS, seed)
    for column in cases.columns:
        if column.direction != "neutral":
            yield _calibrate_metric(cases, column, parts, folds, drawn)
    for column in cases.separate:
        yield MetricCalibration(column.name, tuple(_on_several_scales(part, column) for part in parts), ())


def _on_several_scales(part: Slice, column: MetricColumn) -> DomainCalibration:
    n = int(np.sum(part.summaries & ~np.isnan(column.values)))
    return DomainCalibration(part.name, n, None, {}, {}, {}, _SEVERAL_SCALES)


def domain_slices(cases: Cases, by: str) -> list[Slice]:
    """A slice for each domain that has a labelled summary."""
    if by not in DOMAIN_FIELDS:
        raise UnknownNameError("field of domains", by, DOMAIN_FIELDS)
    found = [part for part in slice_cases(cases, by)[1:] if part.summaries.any()]
    if not found:
        raise TouchstoneError(f"No labelled summary here has a {by}. Take --by dataset, which each of them has.")
    return found


def _calibrate_metric(
    cases: Cases, column: MetricColumn, parts: Sequence[Slice], folds: Numbers, drawn: Resamples
) -> MetricCalibration:
    labelled = LabelledScores(column.values, cases.labels == 1, cases.documents, column.direction)
    known = ~np.isnan(cases.labels) & ~np.isnan(column.values)
    setting = _Setting(labelled, known, folds, drawn)
    domains = {part.name: part.summaries & known for part in parts}
    reasons = {name: _reason_too_small(labelled, rows) for name, rows in domains.items()}
    large = {name: rows for name, rows in domains.items() if not reasons[name]}
    forms = (
        {"raw": raw_probabilities(labelled), "pooled": isotonic_probabilities(labelled, known, folds)} if large else {}
    )
    return MetricCalibration(
        column.name,
        tuple(
            DomainCalibration(name, int(rows.sum()), None, {}, {}, {}, reasons[name])
            if reasons[name]
            else _calibrate_domain(setting, name, rows, forms)
            for name, rows in domains.items()
        ),
        tuple(_transfers(setting, large)),
    )


def _reason_too_small(labelled: LabelledScores, rows: Mask) -> str:
    kinds = (rows & labelled.labels, rows & ~labelled.labels)
    good, bad = (len(np.unique(labelled.documents[kind])) for kind in kinds)
    if min(good, bad) >= MIN_DOCUMENTS:
        return ""
    return (
        f"{good} documents have a consistent summary with a score and {bad} an inconsistent one: too few, calibration takes "
        f"{MIN_DOCUMENTS} of each."
    )


def _calibrate_domain(
    setting: _Setting, name: str, rows: Mask, forms: Mapping[str, Values | None]
) -> DomainCalibration:
    probabilities = {**forms, "per domain": isotonic_probabilities(setting.labelled, rows, setting.folds)}
    brier = {form: _of_probabilities(setting, brier_score, probabilities[form], rows) for form in FORMS}
    error = {
        form: _of_probabilities(setting, calibration_error, probabilities[form], rows).estimate() for form in FORMS
    }
    threshold = best_threshold(setting.labelled, rows)
    return DomainCalibration(
        name,
        int(rows.sum()),
        threshold.value if threshold else None,
        error,
        {form: found.estimate() for form, found in brier.items()},
        {form: compare_paired(brier["per domain"], brier[form]).difference for form in FORMS[:-1]},
    )


def _of_probabilities(
    setting: _Setting, statistic: Callable[..., Any], probabilities: Values | None, rows: Mask
) -> Distribution:
    if probabilities is None:
        return setting.drawn.of(undefined(int(rows.sum()), _NO_PROBABILITIES))
    return setting.distribution(statistic, probabilities, rows)


def _transfers(setting: _Setting, domains: Mapping[str, Mask]) -> Iterator[ThresholdTransfer]:
    """Row by row: the threshold of each domain on every domain."""
    decisions = {name: threshold_decisions(setting.labelled, rows, setting.folds) for name, rows in domains.items()}
    own = {name: _accuracy(setting, decisions[name], rows) for name, rows in domains.items()}
    for chosen_on in domains:
        for used_on, rows in domains.items():
            found = own[used_on] if used_on == chosen_on else _accuracy(setting, decisions[chosen_on], rows)
            loss = None if used_on == chosen_on else compare_paired(own[used_on], found).difference
            yield ThresholdTransfer(chosen_on, used_on, found.estimate(), loss)


def _accuracy(setting: _Setting, decisions: Values, rows: Mask) -> Distribution:
    decided = rows & ~np.isnan(decisions)
    accepted = decisions == 1
    labels, documents = setting.labelled.labels[decided], setting.labelled.documents[decided]
    return setting.drawn.of(accuracy_of_decisions(accepted[decided], labels, documents))


def calibration_record(found: Sequence[MetricCalibration], **head: object) -> dict[str, Any]:
    """Record that `cli.py calibration --json` prints: `head`, how it was computed, and the metrics; shares in 0..1."""
    return {
        **head,
        "version": VERSION,
        "seed": 0,
        "folds": FOLDS,
        "min_documents": MIN_DOCUMENTS,
        "metrics": [asdict(one) for one in found],
    }


def domain_table(found: MetricCalibration) -> list[list[str]]:
    """A head and a line for each domain with figures, the Brier scores and their changes with intervals."""
    head = ["domain", "n", "threshold", *(f"ECE {form}" for form in FORMS), *(f"Brier {form}" for form in FORMS)]
    lines = [
        [
            one.domain,
            str(one.n),
            "–" if one.threshold is None else f"{one.threshold:.3g}",
            *(format_unsigned(one.error[form]) for form in FORMS),
            *(format_unsigned(one.brier[form]) for form in FORMS),
            *(format_signed(change) for change in one.change.values()),
        ]
        for one in found.domains
        if not one.why
    ]
    return [[*head, *(f"Brier: per domain − {form}" for form in FORMS[:-1])], *lines]


def transfer_tables(found: MetricCalibration) -> tuple[list[list[str]], list[list[str]]]:
    """Two matrices in percent with intervals, threshold of the row on the summaries of the column: accuracy, and loss."""
    n = {one.domain: one.n for one in found.domains}
    cells = {(one.chosen_on, one.used_on): one for one in found.transfers}
    head = ["threshold of", *(f"{name} (n = {n[name]})" for name in found.usable)]
    accuracy = [[row, *(format_percent(cells[row, name].accuracy) for name in found.usable)] for row in found.usable]
    loss = [[row, *(_format_loss(cells[row, name]) for name in found.usable)] for row in found.usable]
    return [head, *accuracy], [head, *loss]


def _format_loss(cell: ThresholdTransfer) -> str:
    return "own" if cell.loss is None else format_percent(cell.loss).replace("-", "−")


def small_data_notes(found: MetricCalibration) -> list[str]:
    """In words, which domains have no figure, and which rest on few documents."""
    few = [one for one in found.domains if not one.why and one.brier["pooled"].of_few_documents]
    number = min((one.brier["pooled"].documents for one in few), default=0)
    names = ", ".join(one.domain for one in few)
    marked = [f"{names}: few documents ({number}), intervals are likely too narrow."] if few else []
    alone = ["One domain alone has figures: no threshold can be used in another."] if len(found.usable) == 1 else []
    reasons: dict[str, list[str]] = {}
    for one in found.domains:
        if one.why:
            reasons.setdefault(one.why, []).append(one.domain)
    return [*(f"{', '.join(domains)}: {why}" for why, domains in reasons.items()), *marked, *alone]


def format_calibration(found: MetricCalibration) -> str:
    """The tables of one metric, and what is small in words."""
    accuracy, loss = transfer_tables(found)
    tables = [domain_table(found), *([accuracy, loss] if len(found.usable) > 1 else [])] if found.usable else []
    return "\n\n".join([found.metric, *map(align_columns, tables), *small_data_notes(found)])
