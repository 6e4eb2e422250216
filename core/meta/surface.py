"""How much of a metric is surface: Spearman's correlation with each shallow feature (Ramprasad and Wallace 2024)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.meta.cases import Cases
from core.shallow.model import FEATURES
from core.stats.correlation import Rated, spearman
from core.stats.estimate import Estimate
from core.stats.resampling import Resamples


@dataclass(frozen=True, slots=True)
class Surface:
    """One metric, as it scores, against one shallow feature, as it is measured."""

    metric: str
    feature: str
    estimate: Estimate


def surface(cases: Cases, drawn: Resamples) -> Iterator[Surface]:
    """Every metric against every feature that was scored, but itself."""
    features = [column for column in cases.columns if column.name in FEATURES]
    for column in cases.columns:
        for feature in features:
            if feature is not column:
                rated = Rated(column.values, feature.values, cases.documents)
                yield Surface(column.name, feature.name, drawn.estimate(spearman(rated)))


def missing_features(cases: Cases) -> list[str]:
    """The features that no sample has a score of."""
    there = {column.name for column in cases.columns if not np.isnan(column.values).all()}
    return [feature for feature in FEATURES if feature not in there]
