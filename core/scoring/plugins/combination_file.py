"""Combinations as a file of metrics declares them: `[name]` with `combine`, the members, and what was fitted; read and made a class."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from math import fsum
from typing import ClassVar, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from core.base import MetricEntry
from core.scoring.metric import Card
from core.scoring.plugins.combination_metric import CombinationMetric, SentenceCombination
from core.scoring.plugins.metrics_folder import declared_classes
from core.text import require_languages

FAMILY = "Combination"
_PAPER = "Breiman 1996, Stacked Regressions"
_URL = "https://doi.org/10.1007/BF00117832"


class CombinationEntry(MetricEntry):
    """One table, as `core.evaluation.studies.combine` writes it; see `core.scoring.plugins.combination_metric`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    hint: ClassVar[str] = "Fit it again: cli.py combine MEMBER MEMBER --data DATA --name NAME"

    combine: list[str] = Field(min_length=1)
    """Specs of the members; with `unsure` the last one is asked only if the others leave it open."""
    means: list[float]
    """Mean of each member's scores, turned so that higher is more consistent."""
    spreads: list[float]
    """Standard deviation of each member's scores."""
    fits: list[list[float]]
    """Intercept and slopes of all members, then those without each one in turn, whose row is empty if there is no such fit."""
    fold_fits: list[list[list[float]]] = Field(default_factory=list)
    """The same for each fold, fitted without its documents; empty for none."""
    learned: list[list[str]] = Field(default_factory=list)
    """Names of the documents of each fold, in the order of `fold_fits`."""
    unsure: list[float] = Field(default_factory=list)
    """Two probabilities, the lower first, between which the last member is asked; empty to ask all members at once."""
    level: Literal["summary", "sentence"] = "summary"
    """Unit that the weights are fitted to; at "sentence" every number above is of sentences."""
    signatures: list[str] = Field(default_factory=list)
    """Signatures that the members had; empty if unknown."""
    data: str = ""
    """Data whose labels it was fitted on; empty if unknown."""

    @classmethod
    def owns(cls, table: dict[str, object]) -> bool:
        return "combine" in table

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        members = len(self.combine)
        if not len(self.means) == len(self.spreads) == members:
            raise ValueError(f"means and spreads must have a number for each of {members} members")
        for fits in (self.fits, *self.fold_fits):
            if len(fits) != 1 + members or any(len(fit) not in (0, 1 + members) for fit in fits) or not fits[0]:
                raise ValueError(f"fits must be {1 + members} rows of {1 + members} numbers, the first of all members")
            if any(slope < 0 for fit in fits for slope in fit[1:]):
                raise ValueError("a weight is below zero")
        if len(self.learned) != len(self.fold_fits):
            raise ValueError("learned must name the documents of each of fold_fits")
        if self.unsure and (members < 2 or len(self.unsure) != 2 or self.unsure[0] > self.unsure[1]):
            raise ValueError("unsure must be two probabilities, the lower first, of two members or more")
        return self

    @property
    def fingerprint(self) -> str:
        """The hash of the table; the level "summary" is not part of it, as tables from before there were two levels have none."""
        left_out = {"level"} if self.level == "summary" else set()
        return hashlib.sha256(self.model_dump_json(exclude=left_out).encode()).hexdigest()[:12]

    @property
    def weights(self) -> dict[str, float]:
        """The slope of each member's standard score by its spec."""
        return dict(zip(self.combine, self.fits[0][1:], strict=True))


def combination_classes(file: str) -> list[type[CombinationMetric]]:
    """The combinations in a file. Raises BadSettingError for what cannot be read; asks nothing, and reads no member."""
    return declared_classes(file, CombinationEntry, combination_class)


def combination_class(entry: CombinationEntry) -> type[CombinationMetric]:
    """The metric of a table. Raises TouchstoneError for languages that do not exist."""
    require_languages(entry.languages, entry.name)
    total = fsum(entry.weights.values()) or 1.0
    shares = ", ".join(f"{spec} {100 * weight / total:.0f} %" for spec, weight in entry.weights.items())
    how = f"{entry.combine[-1]} is asked only where the others leave it open. " if entry.unsure else ""
    sentence = "A sentence has the same weights on the members' scores of it, which no label has checked."
    if entry.level == "sentence":
        how += "It is the product of those of its sentences. "
        sentence = (
            "The weights are of sentences, fitted to labels of summaries: one that is not supported makes a summary inconsistent. A member "
            "without a score of a sentence counts with that of the summary."
        )
    card = Card(
        title=entry.shown_title,
        family=FAMILY,
        measures=entry.measures
        or f"How probable it is that the summary is consistent, by the scores of other metrics. {how}Weights: {shares}.",
        paper=entry.paper or _PAPER,
        url=_URL,
        low=0.0,
        high=1.0,
        licence=entry.licence or "Those of its members, and of the labels that it was fitted on.",
        languages=entry.languages,
        differs="Logistic regression without negative weights, on standard scores. It is calibrated on summaries as those of its labels"
        f"{f' ({entry.data})' if entry.data else ''}, and elsewhere only ranks. {sentence}",
    )
    namespace = {
        "name": entry.name,
        "card": card,
        "specs": tuple(entry.combine),
        "means": entry.means,
        "spreads": entry.spreads,
        "fits": entry.fits,
        "fold_fits": entry.fold_fits,
        "learned": {name: fold for fold, names in enumerate(entry.learned) for name in names},
        "unsure": entry.unsure,
        "table": entry.fingerprint,
        "__module__": CombinationMetric.__module__,
    }
    form = SentenceCombination if entry.level == "sentence" else CombinationMetric
    made: type[CombinationMetric] = type(f"{form.__name__}_{entry.name}", (form,), namespace)
    return dataclass(frozen=True)(made)
