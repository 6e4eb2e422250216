"""Slices of cases: all of them, each error type, intrinsic and extrinsic errors, or each value of another field."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.errors import UnknownNameError
from core.meta.cases import Cases
from core.stats.statistic import Mask, Numbers
from core.types import ErrorType, Sample

OVERALL = "Overall"
_FAMILIES = ("Intrinsic", "Extrinsic")

Field = Callable[[Sample], tuple[str, ...]]
"""The values that a sample has of one field."""

FIELDS: MappingProxyType[str, Field] = MappingProxyType(
    {
        "error_type": lambda sample: (sample.item.error_type.value,) if sample.item.error_type else (),
        "required_type": lambda sample: (sample.item.required_type.value,) if sample.item.required_type else (),
        "category": lambda sample: sample.item.categories,
        "domain": lambda sample: (sample.item.domain,) if sample.item.domain else (),
        "system": lambda sample: (sample.item.system,) if sample.item.system else (),
        "split": lambda sample: (sample.item.split.value,) if sample.item.split else (),
        "dataset": lambda sample: (sample.dataset,),
    }
)
"""What cases can be sliced by."""

_OF_ERRORS = ("error_type", "required_type", "category")


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A part of the cases: rows of `pairs`, (pairs,), and labelled summaries, (samples,)."""

    name: str
    pairs: Mask
    summaries: Mask


def slices(cases: Cases, by: str | None = None) -> list[Slice]:
    """All cases, then those of each value of a field that occurs. Raises UnknownNameError for another field."""
    every = Slice(OVERALL, np.ones(len(cases.pairs), dtype=np.bool_), ~np.isnan(cases.labels))
    if by is None:
        return [every]
    if by not in FIELDS:
        raise UnknownNameError("slice", by, FIELDS)
    values = [frozenset(FIELDS[by](sample)) for sample in cases.samples]
    found = [_slice(cases, by, name, _having(values, {name})) for name in _ordered(values)]
    types = frozenset(ErrorType)
    for family in _FAMILIES if by in {"error_type", "required_type"} else ():
        members = {kind.value for kind in types if kind.value.startswith(family)}
        found.append(_slice(cases, by, f"{family} Error", _having(values, members)))
    return [every, *(one for one in found if one.pairs.any() or one.summaries.any())]


def _ordered(values: Iterable[frozenset[str]]) -> list[str]:
    """Values of error types in the order of the literature, others by name."""
    rank = {kind.value: place for place, kind in enumerate(ErrorType)}
    return sorted(frozenset[str]().union(*values), key=lambda name: (rank.get(name, len(rank)), name))


def _having(values: Iterable[frozenset[str]], wanted: set[str]) -> Mask:
    return np.array([bool(value & wanted) for value in values], dtype=np.bool_)


def _slice(cases: Cases, by: str, name: str, chosen: Mask) -> Slice:
    """A pair belongs where its broken side does. Errors of one type stand against all consistent summaries."""
    sides: Numbers = cases.pairs[:, 1]
    labelled = ~np.isnan(cases.labels)
    if by not in _OF_ERRORS:
        return Slice(name, chosen[sides], labelled & chosen)
    broken = chosen & (cases.labels == 0)
    consistent = cases.labels == 1 if broken.any() else np.zeros(len(chosen), dtype=np.bool_)
    return Slice(name, chosen[sides], broken | consistent)
