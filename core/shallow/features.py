"""The six shallow features of Ramprasad and Wallace 2024, as the metrics of those names give them through the engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.engine import Engine
from core.errors import TouchstoneError
from core.metric import METRICS
from core.shallow.model import FEATURES
from core.shallow.targets import Aim
from core.shallow.training import Table, documents
from core.types import Example, Failure, FailureKind, Outcome, Result

Vectors = NDArray[np.float64]


def table(engine: Engine, aims: Sequence[Aim]) -> tuple[Table, dict[str, str]]:
    """What a model is trained on, and the signatures of the features."""
    items = [item for item, _ in aims]
    values, signatures = features(engine, [item.example for item in items])
    return Table(values, np.array([target for _, target in aims]), documents(items)), signatures


def features(engine: Engine, examples: Iterable[Example]) -> tuple[Vectors, dict[str, str]]:
    """The features of each example, (n, 6), NaN where one is undefined, and the signature of each that ever was defined.

    Raises TouchstoneError where a metric failed for another reason than the text: a model must not learn from that.
    """
    values: list[float] = []
    signatures: dict[str, str] = {}
    for _, outcome in engine.run([METRICS.parse(spec) for spec in FEATURES], examples):
        values.append(_value(outcome))
        if isinstance(outcome, Result):
            signatures[outcome.metric] = outcome.signature
    return np.array(values).reshape(-1, len(FEATURES)), signatures


def _value(outcome: Outcome) -> float:
    if isinstance(outcome, Result):
        return outcome.score
    if outcome.kind is FailureKind.INPUT:
        return float("nan")
    raise TouchstoneError(_broken(outcome))


def _broken(failure: Failure) -> str:
    return f"{failure.metric} has no value for {failure.example_id!r}: {failure.message}"
