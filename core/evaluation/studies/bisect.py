"""Edit bisect: which of the edits of a variant moves a metric.

Subsets of the edits are executed and scored. The Shapley value (Shapley 1953) of an edit is the mean of what it adds to
the shift over all orders in which the edits may be executed; the values of all edits sum to the whole shift.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from types import MappingProxyType
from typing import ClassVar

from core.errors import TouchstoneError
from core.evaluation.report import Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData
from core.scoring import METRICS, metric_title
from core.stats import Estimate, format_signed
from core.text import apply
from core.types import Edit, Example, Failure, Result

MAX_EXHAUSTIVE_EDITS = 5
"""Up to this many edits all subsets (32) are scored; beyond that each edit alone, and all but each."""

_MAX_CHARACTERS = 40  # of either side of an edit

EditSubset = frozenset[int]
"""Edits by their place in the list, from 0."""


@dataclass(frozen=True, slots=True)
class EditEffect:
    """Effect of one edit on one metric, in the metric's own units; None where a score is missing.

    `alone` is the shift when only this edit is executed, `without` the shift of all others. `share` is its Shapley value;
    None where not all subsets were scored.
    """

    alone: float | None
    without: float | None
    share: float | None


def edit_subsets(number: int) -> list[EditSubset]:
    """The sets of edits to execute, from none to all, without repetition."""
    sizes = range(number + 1) if number <= MAX_EXHAUSTIVE_EDITS else (0, 1, number - 1, number)
    return [frozenset(subset) for size in sizes for subset in combinations(range(number), size)]


def examples_by_subset(example: Example, edits: Sequence[Edit]) -> dict[EditSubset, Example]:
    """The summary with each subset of edits executed; the spans of all edits refer to the summary as it is."""
    return {
        subset: replace(
            example,
            id=f"{example.id}\0{','.join(map(str, sorted(subset)))}",
            summary=apply(example.summary, [edits[i] for i in sorted(subset)]),
        )
        for subset in edit_subsets(len(edits))
    }


def edit_effects(scores: Mapping[EditSubset, float | None], number: int) -> list[EditEffect]:
    """Effect of each of `number` edits, from the scores of one metric; subsets without one are left out."""
    scored = {subset: score for subset, score in scores.items() if score is not None}
    every = frozenset(range(number))
    return [
        EditEffect(
            alone=_subset_shift(scored, frozenset({edit}), frozenset()),
            without=_subset_shift(scored, every - {edit}, frozenset()),
            share=_shapley_value(scored, edit, every),
        )
        for edit in range(number)
    ]


def _shapley_value(scored: Mapping[EditSubset, float], edit: int, every: EditSubset) -> float | None:
    others = sorted(every - {edit})
    total = 0.0
    for size in range(len(others) + 1):
        for before in map(frozenset, combinations(others, size)):
            step = _subset_shift(scored, before | {edit}, before)
            if step is None:
                return None
            total += step / (len(every) * comb(len(others), size))
    return total


def _subset_shift(scored: Mapping[EditSubset, float], after: EditSubset, before: EditSubset) -> float | None:
    return scored[after] - scored[before] if after in scored and before in scored else None


@dataclass(frozen=True, slots=True)
class BisectedEdit:
    """Effect of one edit of a pair on one metric."""

    pair: str
    edit: str
    metric: str
    effect: EditEffect

    @property
    def blame(self) -> float | None:
        """Its share, or where not all subsets were scored its shift alone."""
        return self.effect.alone if self.effect.share is None else self.effect.share


@STUDIES.add
class Bisect(Study):
    """Effect of each edit of a pair on each metric, by scoring subsets of the edits."""

    name: ClassVar[str] = "bisect"
    title: ClassVar[str] = "Edit bisect"
    does: ClassVar[str] = "Find which edits of a pair with two or more move which metric, and by how much."
    group: ClassVar[Group] = "Shifts"
    takes: ClassVar[tuple[Input, ...]] = (Input.PAIRS,)
    asks: ClassVar[bool] = True
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "page": "Stress test bisects the edits of a variant where it shows the variant, after a cell of the matrix.",
            "audit": "It explains single pairs, and a figure of the audit is of all data.",
            "pack": "It explains single pairs, and a table of the pack is of all data.",
        }
    )

    def run(self, data: StudyData) -> Report:
        metrics = [METRICS.parse(spec) for spec in data.metric_names]
        if not metrics:
            raise TouchstoneError("This study scores texts by metrics. Name at least one.")
        by_id = {item.example.id: item for items in data.items.values() for item in items}
        edited = [item for item in by_id.values() if item.parent in by_id and len(item.edits) > 1]
        if not edited:
            raise TouchstoneError(
                f"No pair of {', '.join(data.items)} has two edits. Name a file whose records have `edits`."
            )
        originals = [by_id[item.parent or ""].example for item in edited]
        texts = [examples_by_subset(example, item.edits) for example, item in zip(originals, edited, strict=True)]
        examples = [example for subsets in texts for example in subsets.values()]
        outcomes = {
            (outcome.metric, example.id): outcome
            for example, outcome in data.track(
                data.scoring.run(metrics, examples), "scores", len(examples) * len(metrics)
            )
        }
        bisected, problems = [], []
        for original, item, subsets in zip(originals, edited, texts, strict=True):
            headings = [_edit_heading(edit, original.summary) for edit in item.edits]
            for metric in metrics:
                scores = {subset: outcomes[metric.spec, example.id] for subset, example in subsets.items()}
                problems += [
                    f"{original.id}, {metric.spec}: {outcome.error}"
                    for outcome in scores.values()
                    if isinstance(outcome, Failure)
                ]
                effects = edit_effects(
                    {
                        subset: outcome.score if isinstance(outcome, Result) else None
                        for subset, outcome in scores.items()
                    },
                    len(headings),
                )
                bisected += [
                    BisectedEdit(original.id, heading, metric.spec, effect)
                    for heading, effect in zip(headings, effects, strict=True)
                ]
        return self.report(
            data, [_effect_table(bisected)], sentences=_answer(bisected), problems=list(dict.fromkeys(problems))
        )


def _edit_heading(edit: Edit, summary: str) -> str:
    old, new = (textwrap.shorten(text, _MAX_CHARACTERS, placeholder="…") for text in (edit.span.of(summary), edit.new))
    return f"{old or '(nothing)'} → {new or '(nothing)'}"


def _effect_table(bisected: Sequence[BisectedEdit]) -> Table:
    return Table(
        "edits",
        "Effect of each edit",
        (
            Column("pair"),
            Column("edit"),
            Column("metric", format="metric"),
            Column(
                "share",
                format="signed",
                help="Shapley value: the shift by this edit, averaged over all orders of the edits. The shares of a pair sum to "
                f"the whole shift; of more than {MAX_EXHAUSTIVE_EDITS} edits there are none.",
            ),
            Column("alone", format="signed", help="The shift when this edit is the only one."),
            Column("without", "all others", "signed", "The shift when all edits but this one are executed."),
        ),
        tuple(
            (row.pair, row.edit, row.metric, row.effect.share, row.effect.alone, row.effect.without) for row in bisected
        ),
        notes=("A shift is the score after the edits minus the score before, in the metric's own units.",),
    )


def _answer(bisected: Sequence[BisectedEdit]) -> list[str]:
    """The edit that moves each metric most."""
    sentences = []
    for metric in dict.fromkeys(row.metric for row in bisected):
        shifts = [(row, row.blame) for row in bisected if row.metric == metric]
        row, blame = max(shifts, key=lambda shift: abs(shift[1] or 0.0))
        if blame:
            moved = format_signed(Estimate(blame, None, None, 0))
            sentences.append(f"{metric_title(metric)} is moved most by “{row.edit}” of {row.pair}: {moved}.")
        else:
            sentences.append(f"No edit moves {metric_title(metric)}.")
    return sentences
