"""A custom threshold: chosen on labelled data, checked on held-out documents, and saved with its signature.

This is not a study: the threshold is saved and applied to later scores. The study `calibration` reports how thresholds that are
chosen in the same way transfer to other data, and the question `threshold` of the audit how a saved one decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter, ValidationError

from core.base import apart_from_code
from core.errors import TouchstoneError
from core.results import Cases, DataFacts
from core.scoring import METRICS, JsonRecord, Metric, metric_title
from core.settings import VERSION
from core.stats import (
    FOLDS,
    Estimate,
    LabelledScores,
    Mask,
    Resamples,
    Values,
    accuracy_of_decisions,
    choose_threshold,
    deal_folds,
    format_percent,
    share,
    threshold_decisions,
    with_variance_between,
)
from core.types import Direction

_RECORD = "touchstone-threshold-1"
_DEALS = 8  # of documents into folds, over which the figures of a threshold are means
_MOST_BYTES = 65_536  # of a file of one threshold


@dataclass(frozen=True, slots=True)
class OwnThreshold:
    """A threshold on the score of one metric, from which on a summary counts as consistent.

    The figures are cross-fitted: of thresholds chosen in the same way on other documents, with intervals for this one.
    """

    name: str
    """Name that the person gave it, or that of its file; "" before it is saved."""
    metric: str
    """Spec of the metric."""
    signature: str
    """Signature of the scores that it was chosen on; scores of another set-up are refused."""
    direction: Direction
    """The side of the value that counts as consistent: `lower` takes scores up to it, others from it on."""
    value: float
    """The threshold itself, in the metric's own units."""
    accuracy: Estimate
    """Balanced accuracy, 0..1."""
    false_alarms: Estimate
    """Share of consistent summaries that are refused, 0..1."""
    missed: Estimate
    """Share of inconsistent summaries that are accepted, 0..1."""
    data: tuple[DataFacts, ...]
    """Facts of the datasets that it was chosen on."""
    version: str = VERSION
    """Version of Touchstone that chose it."""
    record: str = _RECORD
    """Kind and version of the file format."""

    def accepts(self, score: float) -> bool:
        return score <= self.value if self.direction == "lower" else score >= self.value

    def require_signature(self, signature: str) -> None:
        """Raises TouchstoneError for scores of another signature; without one, all of them failed."""
        # other code is usually another version with the same scores; settings, weights and prompts change the scale
        if signature and apart_from_code(signature) != apart_from_code(self.signature):
            raise TouchstoneError(
                f"The threshold {self.name} is of {self.signature}, and this score of {signature}. Choose it again: "
                f"cli.py threshold {self.metric} --data …"
            )

    def decide(self, record: JsonRecord) -> JsonRecord:
        """A record of `score` with the decision added, None without a score; records of other metrics are unchanged.

        Raises TouchstoneError for a score of the metric with another signature, whose scale may be another.
        """
        if record["metric"] != self.metric:
            return record
        if record["signature"] is not None:
            self.require_signature(str(record["signature"]))
        score = record["score"]
        return {**record, "threshold": self.value, "consistent": None if score is None else self.accepts(score)}


_THRESHOLD: TypeAdapter[OwnThreshold] = TypeAdapter(OwnThreshold)


def decision_figures(labelled: LabelledScores, decisions: Values, draws: Resamples) -> dict[str, Estimate]:
    """Balanced `accuracy`, `false_alarms`: the share of consistent summaries refused, `missed`: that of inconsistent ones accepted.

    `decisions`, (n,), are 1 where a summary is accepted, 0 where it is refused, nan where nothing was decided.
    """
    decided = ~np.isnan(decisions)
    accepted = decisions == 1
    accuracy = accuracy_of_decisions(accepted[decided], labelled.labels[decided], labelled.documents[decided])
    refused_good = np.where(labelled.labels & decided, 1.0 - decisions, np.nan)
    accepted_bad = np.where(~labelled.labels & decided, decisions, np.nan)
    return {
        "accuracy": draws.estimate(accuracy),
        "false_alarms": draws.estimate(share(refused_good, labelled.documents)),
        "missed": draws.estimate(share(accepted_bad, labelled.documents)),
    }


def fit_threshold(name: str, cases: Cases, data: tuple[DataFacts, ...], draws: Resamples) -> OwnThreshold:
    """The best threshold of the only metric of these cases. Raises TouchstoneError unless both labels occur."""
    labelled = _labelled_scores(cases)
    [column] = cases.columns
    threshold = choose_threshold(labelled)
    figures = dealt_figures(labelled, draws)
    return OwnThreshold(
        name=name,
        metric=column.name,
        signature=column.signature,
        direction=column.direction,
        value=threshold.value,
        accuracy=figures["accuracy"],
        false_alarms=figures["false_alarms"],
        missed=figures["missed"],
        data=data,
    )


def fixed_threshold_sentences(value: float, cases: Cases, draws: Resamples) -> str:
    """Two sentences on a given threshold of the one metric of these cases, such as the 0.5 that papers take without a choice."""
    labelled = _labelled_scores(cases)
    [column] = cases.columns
    scores = labelled.scores
    accepted = scores <= value if labelled.direction == "lower" else scores >= value
    right = draws.estimate(share((accepted == labelled.labels).astype(np.float64), labelled.documents))
    figures = decision_figures(labelled, accepted.astype(np.float64), draws)
    balanced, false_alarms, missed = (format_percent(figures[name]) for name in ("accuracy", "false_alarms", "missed"))
    side = "at most" if column.direction == "lower" else "at least"
    return (
        f"{metric_title(column.name)}: consistent from a score of {side} {value:.6g} on, a threshold that was given.\n"
        f"Of {right.n} labelled summaries: accuracy {format_percent(right)} %, balanced accuracy {balanced} %, "
        f"false alarms {false_alarms} %, missed {missed} %."
    )


def dealt_figures(labelled: LabelledScores, draws: Resamples) -> dict[str, Estimate]:
    """Figures of thresholds that were chosen on other documents, the means of several deals of documents into folds.

    The threshold itself varies: to the variance over documents comes three times that between deals.
    """
    every = np.ones(len(labelled.labels), dtype=np.bool_)
    dealt = [
        decision_figures(
            labelled, threshold_decisions(labelled, every, deal_folds(labelled.documents, FOLDS, seed)), draws
        )
        for seed in range(_DEALS)
    ]
    return {name: with_variance_between([figures[name] for figures in dealt]) for name in dealt[0]}


def _labelled_scores(cases: Cases) -> LabelledScores:
    """The labelled scores of the one metric."""
    [column] = cases.columns
    complete: Mask = ~np.isnan(cases.labels) & ~np.isnan(column.values)
    return LabelledScores(
        column.values[complete], cases.labels[complete] == 1, cases.documents[complete], column.direction
    )


def is_threshold(path: Path) -> bool:
    """True if a file says that it is a threshold; it may still be damaged."""
    with path.open("rb") as file:
        return _RECORD.encode() in file.read(_MOST_BYTES)


def threshold_json(threshold: OwnThreshold) -> str:
    """The threshold as `-o` writes it; `parse_threshold` gives it back."""
    return f"{_THRESHOLD.dump_json(threshold, indent=1, by_alias=True).decode()}\n"


def parse_threshold(text: str | bytes, name: str) -> OwnThreshold:
    """The threshold under this name. Raises TouchstoneError for anything else than `threshold_json` gives."""
    try:
        threshold = _THRESHOLD.validate_json(text)
    except ValidationError as error:
        raise TouchstoneError(
            f"{name} is no threshold. Make one: cli.py threshold METRIC --data DATA -o {name}"
        ) from error
    return replace(threshold, name=name)


def read_threshold(path: Path) -> OwnThreshold:
    """Raises TouchstoneError for a file that `threshold` did not write."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise TouchstoneError(f"{path} cannot be read: {error.strerror}. Name a file of `threshold -o`.") from error
    return parse_threshold(text, path.name)


def thresholds_by_metric(thresholds: Sequence[OwnThreshold], metrics: Sequence[Metric]) -> dict[str, OwnThreshold]:
    """Thresholds by the spec of their metric. Raises TouchstoneError for another metric, or a second threshold of one."""
    specs, by_metric = [metric.spec for metric in metrics], dict[str, OwnThreshold]()
    for threshold in thresholds:
        spec = METRICS.parse(threshold.metric).spec
        if spec not in specs:
            raise TouchstoneError(f"{threshold.name} is a threshold of {spec}, and audited is {', '.join(specs)}.")
        if spec in by_metric:
            raise TouchstoneError(
                f"{by_metric[spec].name} and {threshold.name} are both thresholds of {spec}: choose one of them."
            )
        by_metric[spec] = threshold
    return by_metric


def format_threshold(threshold: OwnThreshold) -> str:
    """The threshold and what it was found to be worth, in a sentence each."""
    side = "at most" if threshold.direction == "lower" else "at least"
    return (
        f"{metric_title(threshold.metric)}: consistent from a score of {side} {threshold.value:.6g} on, chosen on {threshold.accuracy.n} labelled summaries.\n"
        f"To expect of it on other documents, by thresholds chosen in the same way on {FOLDS - 1} of {FOLDS} parts of these: balanced "
        f"accuracy {format_percent(threshold.accuracy)} %, false alarms {format_percent(threshold.false_alarms)} %, missed "
        f"{format_percent(threshold.missed)} %."
    )
