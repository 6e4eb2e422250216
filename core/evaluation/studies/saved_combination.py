"""A combination of metrics as the table that is saved: the fits by all labels, and those of the folds with their documents.

This is not a study: the table is saved and scores later texts. The study `combine` reports what it gains.
"""

from __future__ import annotations

import numpy as np

from core.errors import TouchstoneError
from core.results import FOLDS, Cascade, Cases, Combining
from core.scoring import CombinationEntry, combination_class
from core.stats import Values
from core.text import ANY, ENGLISH, NOT_STATED, SPACED


def combination_entry(name: str, combining: Combining, cases: Cases, data: str) -> CombinationEntry:
    """The table of the metric that these labels make of the members; `data` says in a few words whose labels they are.

    Raises TouchstoneError for members that were released and cannot be computed again.
    """
    columns = [next(column for column in cases.columns if column.name == member) for member in combining.names]
    if released := [column.name for column in columns if column.released or " (" in column.name]:
        raise TouchstoneError(
            f"{', '.join(released)}: scores that this bench cannot compute again make no metric. Choose other members."
        )
    learned: list[list[str]] = [[] for _ in range(FOLDS)]
    for fold, row in sorted({(int(fold), int(row)) for fold, row in zip(combining.folds, combining.rows, strict=True)}):
        key = cases.samples[row].document
        if key and key not in learned[fold]:
            learned[fold].append(key)
    means, spreads = combining.scale
    entry = CombinationEntry.parse(
        "The table",
        name,
        {
            "languages": ANY,
            "combine": list(combining.names),
            "means": means.tolist(),
            "spreads": spreads.tolist(),
            "fits": _rows(combining.fits),
            "fold_fits": [_rows(fits) for fits in combining.fold_fits],
            "learned": learned,
            "level": combining.level,
            "signatures": [column.signature for column in columns],
            "data": data,
        },
    )
    languages = combination_class(entry)().verified_languages
    card = {SPACED: ANY, NOT_STATED: ENGLISH}.get(languages, languages)  # a table states codes, or any
    return entry.model_copy(update={"languages": card})


def _rows(fits: Values) -> list[list[float]]:
    """Fits as rows of a table; a fit that failed is an empty row."""
    return [[] if np.isnan(fit).any() else fit.tolist() for fit in fits]


def cascade_entry(entry: CombinationEntry, cascade: Cascade, budget: float) -> CombinationEntry:
    """The same as a cascade within a mean cost, its last member at the end; see `Cascade.within`."""
    point = cascade.within(budget)
    members = len(entry.combine)
    order = [*(place for place in range(members) if place != cascade.last), cascade.last]
    slopes = [0, *(1 + place for place in order)]

    def ordered(fits: list[list[float]]) -> list[list[float]]:
        return [[fits[row][column] for column in slopes] if fits[row] else [] for row in slopes]

    return entry.model_copy(
        update={
            "combine": [entry.combine[place] for place in order],
            "means": [entry.means[place] for place in order],
            "spreads": [entry.spreads[place] for place in order],
            "fits": ordered(entry.fits),
            "fold_fits": [ordered(fits) for fits in entry.fold_fits],
            "signatures": [entry.signatures[place] for place in order],
            "unsure": [point.low, point.high],
        }
    )
