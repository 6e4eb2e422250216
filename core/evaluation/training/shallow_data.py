"""Training data of a shallow model: the six features of each pair, and its label or another metric's score as the target."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import TouchstoneError, UnknownNameError
from core.evaluation.training.shallow_trainer import TrainingTable
from core.models import SHALLOW_FEATURES, OutputKind
from core.scoring import METRICS, Engine
from core.stats import Mask, Numbers, Values, number_documents
from core.types import Example, FailureKind, Item, Result, Split, Verdict

LABEL_TARGET = "label"
_LABEL_VALUES: Mapping[Verdict | None, float] = {Verdict.CONSISTENT: 1.0, Verdict.INCONSISTENT: 0.0}

TargetedItem = tuple[Item, float]
"""An item and its target."""


@dataclass(frozen=True, slots=True)
class TrainingTarget:
    """Target of the prediction: the labels where `scores` is None, else the scores of metric `name` in that file."""

    name: str = LABEL_TARGET
    scores: Path | None = None

    @property
    def output(self) -> OutputKind:
        return "score" if self.scores else "probability"

    def of(self, items: Iterable[Item]) -> list[TargetedItem]:
        """The items that have a target; borderline labels and failed scores are none. Raises TouchstoneError for none."""
        all_items = list(items)
        if self.scores:
            scores = read_scores(self.scores, self.name)
            aims = [(item, scores[item.example.id]) for item in all_items if item.example.id in scores]
        else:
            aims = [(item, _LABEL_VALUES[item.intended]) for item in all_items if item.intended in _LABEL_VALUES]
        if not aims:
            raise TouchstoneError(f"None of the {len(all_items)} pairs has {self._missing()}")
        return aims

    def _missing(self) -> str:
        if self.scores:
            return f"a score of {self.name} in {self.scores}. Score the same file: the ids must be equal."
        return 'a label "consistent" or "inconsistent". Add one, or set --target SCORES.jsonl:METRIC.'


def parse_target(text: str) -> TrainingTarget:
    """A target from "label" or "SCORES.jsonl:METRIC"; raises TouchstoneError for something else."""
    if text == LABEL_TARGET:
        return TrainingTarget()
    places = [place for place, letter in enumerate(text) if letter == ":"]
    for place in places:  # a path and a metric may hold colons themselves
        if (path := Path(text[:place])).is_file():
            return TrainingTarget(text[place + 1 :], path)
    raise TouchstoneError(
        f"{text!r} is no target. Write label, or SCORES.jsonl:METRIC with a file that `cli.py score` wrote and the "
        "name of a metric in it."
    )


def read_scores(path: Path, metric: str) -> dict[str, float]:
    """Id → score of one metric, from the JSONL that `cli.py score` writes, without failed scores."""
    records: list[dict[str, object]] = []
    with path.open("rb") as file:  # as bytes: text mode would also split at Unicode line separators inside sentences
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):  # not JSON, not UTF-8, or nested thousands deep
                record = None
            if not isinstance(record, dict) or not {"id", "metric", "score"} <= set(record):
                raise TouchstoneError(
                    f"{path}, line {number}: this is no object with id, metric and score. Name a file that `cli.py score` wrote."
                )
            records.append(record)
    metrics = {str(record["metric"]) for record in records}
    if metric not in metrics:
        raise UnknownNameError(f"metric in {path.name}", metric, metrics)
    return {
        str(record["id"]): float(value)
        for record in records
        if record["metric"] == metric and isinstance(value := record["score"], int | float) and math.isfinite(value)
    }


def items_of_splits(aims: Sequence[TargetedItem], splits: Sequence[Split]) -> Mask:
    """Mask of the items in one of these splits of their dataset, (n,). Raises TouchstoneError where none or all are."""
    item_splits = [item.split for item, _ in aims]
    mask = np.array([split in splits for split in item_splits], dtype=np.bool_)
    if mask.all() or not mask.any():
        named = ", ".join(sorted({str(split) if split else "no split" for split in item_splits}))
        raise TouchstoneError(
            f"{'All' if mask.all() else 'None'} of the {len(aims)} pairs are of split {', '.join(splits)}: they have {named}. "
            "Name another with --held-out, or leave it out to hold out documents by the seed."
        )
    return mask


def training_table(engine: Engine, aims: Sequence[TargetedItem]) -> tuple[TrainingTable, dict[str, str]]:
    """Table that a model is trained on, and the signatures of the features."""
    items = [item for item, _ in aims]
    values, signatures = shallow_features(engine, [item.example for item in items])
    return TrainingTable(values, np.array([target for _, target in aims]), document_numbers(items)), signatures


def document_numbers(items: Sequence[Item]) -> Numbers:
    """A number for the document of each item, (n,): items of one group or of the same text share it."""
    texts = [("text", item.example.document) for item in items]
    return number_documents(
        [text, ("group", item.group)] if item.group else [text] for text, item in zip(texts, items, strict=True)
    )


def shallow_features(engine: Engine, examples: Iterable[Example]) -> tuple[Values, dict[str, str]]:
    """The features of each example, (n, 6), NaN where one is undefined, and the signature of each that ever was defined.

    Raises TouchstoneError where a metric failed for another reason than the text: a model must not learn from that.
    """
    values: list[float] = []
    signatures: dict[str, str] = {}
    for _, outcome in engine.run([METRICS.parse(spec) for spec in SHALLOW_FEATURES], examples):
        if isinstance(outcome, Result):
            feature_value = outcome.score
        elif outcome.kind is FailureKind.INPUT:
            feature_value = float("nan")
        else:
            raise TouchstoneError(f"{outcome.metric} has no value for {outcome.example_id!r}: {outcome.error}")
        values.append(feature_value)
        if isinstance(outcome, Result):
            signatures[outcome.metric] = outcome.signature
    return np.array(values).reshape(-1, len(SHALLOW_FEATURES)), signatures
