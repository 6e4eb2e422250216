"""What a run is gone on with to game its metrics: further phrases, with everything that the run holds already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import get_args

from core.filler import Filler, Place
from core.metric import METRICS
from core.perturbation import PERTURBATIONS
from core.perturbations.assertion import Assertion
from core.settings import VERSION
from core.stress.records import Run, as_line
from core.stress.runfile import assembled, lines_of


def everywhere(phrases: Iterable[Filler]) -> list[Filler]:
    """Each phrase after the summary, before it, and in its place."""
    return [replace(phrase, place=place) for phrase in phrases for place in get_args(Place)]


def repertoire(metrics: Iterable[str]) -> list[Filler]:
    """Every kind of phrase, and the assertion also in the name of each metric that asks a model: a rule reads no names."""
    plain = [plugin() for plugin in PERTURBATIONS if issubclass(plugin, Filler)]
    named = [Assertion(metric=metric) for metric in metrics if METRICS.parse(metric).checkpoints()]
    return [*plain, *named]


def extended(run: Run, name: str, phrases: Iterable[Filler]) -> Run:
    """A run of that name with further phrases, in which everything is found that this one found.

    Scores of another version of Touchstone are not taken over.
    """
    kinds = dict.fromkeys([*run.plan.kinds, *(phrase.spec for phrase in phrases)])
    longer = Run(replace(run.plan, name=name, kinds=tuple(kinds), version=VERSION))
    if run.plan.version != VERSION:
        longer.sources.update(run.sources)
        return longer
    return assembled([as_line(longer.plan), *islice(lines_of(run), 1, None)])
