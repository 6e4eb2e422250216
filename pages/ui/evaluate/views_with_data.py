"""Views of Evaluate for which the data have something; the others are not offered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from core.evaluation import Shifts
from core.results import Cases
from core.types import Item


def _any_item(holds: Callable[[Item], bool]) -> Callable[[Cases], bool]:
    return lambda cases: any(holds(sample.item) for sample in cases.samples)


def _is_rated(item: Item) -> bool:
    return bool(item.ratings) or len(item.judgements) > 1


def _has_harmless_edits(cases: Cases) -> bool:
    return bool(len(cases.harmless) or len(cases.pairs))


def _has_both_labels(cases: Cases) -> bool:
    return {0.0, 1.0} <= set(np.unique(cases.labels[~np.isnan(cases.labels)]).tolist())


_NEEDS: Mapping[str, Callable[[Cases], bool]] = MappingProxyType(
    {
        "annotator-agreement": _any_item(lambda item: len(item.judgements) > 1 or len(item.ratings) > 1),
        "rating-correlation": _any_item(_is_rated),
        "explanation-scores": _any_item(lambda item: bool(item.explanations)),
        "judge-agreement": _any_item(lambda item: bool(item.explanations)),
        "shared-errors": lambda cases: bool(len(cases.pairs)) or _any_item(lambda item: bool(item.explanations))(cases),
        "released-scores": lambda cases: len({column.released for column in cases.all_columns}) > 1,
        "readings": lambda cases: any(column.name.startswith("retrieve") for column in cases.all_columns),
        "systems": lambda cases: len({sample.item.system for sample in cases.samples} - {""}) > 1,
        "calibration": _has_both_labels,
        "combine": _has_both_labels,
        Shifts(view="sensitivity").view_title: _has_harmless_edits,
    }
)
"""By view, what the data need to have; a view that is not named needs nothing."""


def has_data(view: str, cases: Cases, slices: int) -> bool:
    """True if the view would show something; `slices` counts the slices, Overall among them."""
    if view == "drift":
        return slices > 2  # it is between parts
    needs = _NEEDS.get(view)
    return needs is None or needs(cases)
