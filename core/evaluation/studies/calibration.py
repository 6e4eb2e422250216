"""Calibration over several domains: scores as probabilities by isotonic regression for each domain, and thresholds of one domain used in another.

Every figure is cross-fitted: probabilities and thresholds come from documents of other folds than those that they are judged on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.report import Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Study, StudyData, setting
from core.results import SLICE_FIELDS, Cases, Slice, slice_cases
from core.scoring import metric_title
from core.stats import (
    FOLDS,
    Distribution,
    Estimate,
    LabelledScores,
    Mask,
    Numbers,
    Resamples,
    Values,
    accuracy_of_decisions,
    best_threshold,
    brier_score,
    calibration_error,
    compare_paired,
    deal_folds,
    format_percent,
    isotonic_probabilities,
    raw_probabilities,
    threshold_decisions,
    undefined,
)

DOMAIN_FIELDS = ("domain", "dataset", "source", "system")
"""The fields of a sample whose values can be domains: each summary lies in one of them."""

MIN_DOCUMENTS = 10
"""Fewest documents with a consistent, and with an inconsistent summary, from which a domain has a figure."""

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
    "Balanced accuracy of the threshold that is best on one domain, on the summaries of another, and what this loses against the "
    "other's own threshold. All of them are cross-fitted, that of a domain on itself too."
)

_SEVERAL_SCALES = "Its scores in these data are on several scales: nothing fitted on one holds on another."
_NO_PROBABILITIES = "Its scores are not all within 0..1, so they are no probabilities."


@dataclass(frozen=True, slots=True)
class DomainCalibration:
    """Quality of a metric's scores as probabilities in one domain of `n` summaries, in each form of FORMS.

    `change` is the Brier score per domain minus that of each other form: below zero where the domain's own calibration
    helps. `threshold` is the best one on all of the domain, for new data in it. Where there is an `error`, there is
    no figure.
    """

    domain: str
    n: int
    threshold: float | None
    calibration_error: Mapping[str, Estimate]
    brier: Mapping[str, Estimate]
    change: Mapping[str, Estimate]
    error: str = ""


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
        return [domain.domain for domain in self.domains if not domain.error]


@dataclass(frozen=True, slots=True, eq=False)
class _Setting:
    """One metric on all cases: what every figure of it is counted from."""

    labelled: LabelledScores
    complete: Mask
    folds: Numbers
    draws: Resamples

    def distribution(self, statistic: Callable[..., Any], values: Values, part: Mask) -> Distribution:
        """A statistic of values, labels and documents, on the cases of a part."""
        return self.draws.of(statistic(values[part], self.labelled.labels[part], self.labelled.documents[part]))


def calibrations(cases: Cases, by: str, draws: Resamples, seed: int = 0) -> Iterator[MetricCalibration]:
    """Every metric that has a better side, over the values of one of DOMAIN_FIELDS; one on several scales has no figure.

    Raises UnknownNameError for another field, and TouchstoneError where no summary has a value of it.
    """
    parts, folds = domain_slices(cases, by), deal_folds(cases.documents, FOLDS, seed)
    for column in cases.columns:
        if column.direction != "neutral":
            labelled = LabelledScores(column.values, cases.labels == 1, cases.documents, column.direction)
            complete = ~np.isnan(cases.labels) & ~np.isnan(column.values)
            setting = _Setting(labelled, complete, folds, draws)
            domains = {part.name: part.summaries & complete for part in parts}
            errors = {name: _reason_too_small(labelled, rows) for name, rows in domains.items()}
            large = {name: rows for name, rows in domains.items() if not errors[name]}
            forms = (
                {"raw": raw_probabilities(labelled), "pooled": isotonic_probabilities(labelled, complete, folds)}
                if large
                else {}
            )
            yield MetricCalibration(
                column.name,
                tuple(
                    DomainCalibration(name, int(rows.sum()), None, {}, {}, {}, errors[name])
                    if errors[name]
                    else _calibrate_domain(setting, name, rows, forms)
                    for name, rows in domains.items()
                ),
                tuple(_transfers(setting, large)),
            )
    for column in cases.separate:
        counts = {part.name: int(np.sum(part.summaries & ~np.isnan(column.values))) for part in parts}
        unmeasured = [DomainCalibration(name, n, None, {}, {}, {}, _SEVERAL_SCALES) for name, n in counts.items()]
        yield MetricCalibration(column.name, tuple(unmeasured), ())


def domain_slices(cases: Cases, by: str) -> list[Slice]:
    """A slice for each domain that has a labelled summary."""
    if by not in DOMAIN_FIELDS:
        raise UnknownNameError("field of domains", by, DOMAIN_FIELDS)
    slices = [part for part in slice_cases(cases, by)[1:] if part.summaries.any()]
    if not slices:
        raise TouchstoneError(f"No labelled summary here has a {by}. Take --by dataset, which each of them has.")
    return slices


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
    errors = {
        form: _of_probabilities(setting, calibration_error, probabilities[form], rows).estimate() for form in FORMS
    }
    threshold = best_threshold(setting.labelled, rows)
    return DomainCalibration(
        name,
        int(rows.sum()),
        threshold.value if threshold else None,
        errors,
        {form: distribution.estimate() for form, distribution in brier.items()},
        {form: compare_paired(brier["per domain"], brier[form]).difference for form in FORMS[:-1]},
    )


def _of_probabilities(
    setting: _Setting, statistic: Callable[..., Any], probabilities: Values | None, rows: Mask
) -> Distribution:
    if probabilities is None:
        return setting.draws.of(undefined(int(rows.sum()), _NO_PROBABILITIES))
    return setting.distribution(statistic, probabilities, rows)


def _transfers(setting: _Setting, domains: Mapping[str, Mask]) -> Iterator[ThresholdTransfer]:
    """Row by row: the threshold of each domain on every domain."""
    decisions = {name: threshold_decisions(setting.labelled, rows, setting.folds) for name, rows in domains.items()}
    own = {name: _accuracy(setting, decisions[name], rows) for name, rows in domains.items()}
    for chosen_on in domains:
        for used_on, rows in domains.items():
            accuracy = own[used_on] if used_on == chosen_on else _accuracy(setting, decisions[chosen_on], rows)
            loss = None if used_on == chosen_on else compare_paired(own[used_on], accuracy).difference
            yield ThresholdTransfer(chosen_on, used_on, accuracy.estimate(), loss)


def _accuracy(setting: _Setting, decisions: Values, rows: Mask) -> Distribution:
    decided = rows & ~np.isnan(decisions)
    accepted = decisions == 1
    labels, documents = setting.labelled.labels[decided], setting.labelled.documents[decided]
    return setting.draws.of(accuracy_of_decisions(accepted[decided], labels, documents))


def small_data_notes(calibration: MetricCalibration) -> list[str]:
    """In words, which domains have no figure, and which rest on few documents."""
    few = [domain for domain in calibration.domains if not domain.error and domain.brier["pooled"].of_few_documents]
    number = min((domain.brier["pooled"].documents for domain in few), default=0)
    names = ", ".join(domain.domain for domain in few)
    marked = [f"{names}: few documents ({number})."] if few else []
    alone = (
        ["One domain alone has figures: no threshold can be used in another."] if len(calibration.usable) == 1 else []
    )
    errors: dict[str, list[str]] = {}
    for domain in calibration.domains:
        if domain.error:
            errors.setdefault(domain.error, []).append(domain.domain)
    return [*(f"{', '.join(domains)}: {error}" for error, domains in errors.items()), *marked, *alone]


@STUDIES.add
@dataclass(frozen=True)
class CalibrationStudy(Study):
    """Scores as probabilities in each domain, and thresholds of one domain used in another."""

    name: ClassVar[str] = "calibration"
    title: ClassVar[str] = "Calibration over domains"
    does: ClassVar[str] = (
        "Calibrate each metric by isotonic regression, domain by domain, and show how thresholds transfer between domains."
    )
    group: ClassVar[Group] = "Improve it"
    place: ClassVar[int] = 10
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    audit: ClassVar[str] = "calibration"
    by: str = setting("domain", "The field whose values are the domains.", choices=DOMAIN_FIELDS)

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:
        return [cls(by=domain_fields(data.scored)[0])]

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        return {"by": domain_fields(data.scored)}

    def run(self, data: StudyData) -> Report:
        metrics = list(calibrations(data.scored, self.by, data.draws))
        notes = list(dict.fromkeys(note for metric in metrics for note in small_data_notes(metric)))
        if not any(metric.usable for metric in metrics):
            most = max(metrics, key=lambda metric: sum(int(domain.n) for domain in metric.domains))
            raise TouchstoneError(
                "\n".join(
                    [
                        f"No metric can be calibrated in any domain. Of {metric_title(most.metric)}, which has most scores:",
                        *small_data_notes(most),
                    ]
                )
            )
        transfer_table = Table(
            "transfers",
            "Thresholds of one domain in another",
            (
                Column("metric", format="metric"),
                Column("chosen_on", "threshold of"),
                Column("used_on", "used on"),
                Column("accuracy", "balanced accuracy", "percent"),
                Column("loss", "loss against its own", "percent"),
            ),
            tuple(
                (metric.metric, transfer.chosen_on, transfer.used_on, transfer.accuracy, transfer.loss)
                for metric in metrics
                for transfer in metric.transfers
            ),
            (LOSS_NOTE,),
        )
        sentences = []
        for metric in metrics:
            losses = [
                (transfer.loss.value or 0.0, transfer) for transfer in metric.transfers if transfer.loss is not None
            ]
            if losses:
                _, worst = max(losses, key=lambda loss: loss[0])
                lost = format_percent(worst.loss) if worst.loss else ""
                sentences.append(
                    f"{metric_title(metric.metric)}: the threshold of {worst.chosen_on} loses {lost} points of balanced accuracy on {worst.used_on}."
                )
        return self.report(
            data,
            [_domain_table(metrics), transfer_table],
            sentences=sentences,
            notes=[*notes, FORMS_NOTE, CROSS_FITTED_NOTE],
        )


def domain_fields(cases: Cases) -> list[str]:
    """The fields that tell summaries apart, those with the fewest values first, and the dataset in any case."""
    numbers = {by: len({SLICE_FIELDS[by](sample) for sample in cases.samples}) for by in DOMAIN_FIELDS}
    apart = sorted((by for by in DOMAIN_FIELDS if numbers[by] > 1), key=numbers.__getitem__)
    return list(dict.fromkeys([*apart, "dataset"]))


def _domain_table(metrics: Sequence[MetricCalibration]) -> Table:
    """A row for each domain with figures: expected calibration error and Brier score in each form, and their changes."""
    titles = {form: form.replace(" ", "_") for form in FORMS}
    return Table(
        "domains",
        "Scores as probabilities",
        (
            *(
                Column("metric", format="metric"),
                Column("domain"),
                Column("n", format="count"),
                Column("threshold", format="number"),
            ),
            *(Column(f"ece_{name}", f"ECE {form}", "unsigned") for form, name in titles.items()),
            *(Column(f"brier_{name}", f"Brier {form}", "unsigned") for form, name in titles.items()),
            *(
                Column(f"change_from_{titles[form]}", f"Brier: per domain − {form}", "signed", "Below zero it helps.")
                for form in FORMS[:-1]
            ),
        ),
        tuple(
            (
                *(metric.metric, domain.domain, domain.n, domain.threshold),
                *(domain.calibration_error[form] for form in FORMS),
                *(domain.brier[form] for form in FORMS),
                *(domain.change[form] for form in FORMS[:-1]),
            )
            for metric in metrics
            for domain in metric.domains
            if not domain.error
        ),
    )
