"""Samples whose figures can be counted by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.types import ErrorType, Example, Item, Sample, StoredScore, Verdict


def sample(
    id: str,
    verdict: Verdict | None,
    scores: Mapping[str, float],
    group: str = "",
    dataset: str = "toy",
    parent: str = "",
) -> Sample:
    """A summary with released scores; its text is its id."""
    item = Item(
        Example(id, "", id),
        parent=parent or None,
        intended=verdict,
        group=group or id,
        scores=tuple(StoredScore(metric, value) for metric, value in scores.items()),
    )
    return Sample(dataset, item, stored=f"text of {id}", document=f"document of {group or id}")


def pair(
    name: str, good: Mapping[str, float], bad: Mapping[str, float], kind: ErrorType, dataset: str = "toy"
) -> list[Sample]:
    """A consistent summary and its broken edit."""
    edited = sample(f"{name}/edited", Verdict.INCONSISTENT, bad, name, dataset, parent=name)
    return [
        sample(name, Verdict.CONSISTENT, good, name, dataset),
        replace(edited, item=replace(edited.item, error_type=kind)),
    ]


def scored(of: Sample, *kept: StoredScore) -> Sample:
    return replace(of, kept=kept)
