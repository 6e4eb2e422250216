"""Discrimination of broken summaries by a metric: from their originals, and from harmless edits of them.

A detector of changes separates broken summaries from originals, and not from summaries that were changed without harm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.study import Study, StudyData
from core.results import (
    STRESS_RESAMPLES,
    Cases,
    MetricColumn,
    Shift,
    StressRun,
    VariantKey,
    intent_of,
    outside_note,
    pairs_of_shifts,
    shift_parts,
    with_harmless,
)
from core.scoring import metric_title
from core.stats import Estimate, LabelledScores, Resamples, Statistic, auc, format_unsigned, stratified_auc, undefined
from core.text import words

ALL_KINDS = "all breaking"
"""Name of the row of all breaking kinds together."""
_CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class EditDiscrimination:
    """The area under the ROC curve of one metric, broken summaries against their originals and against harmless edits.

    `against_matched` compares a broken summary only with harmless edits that change the number of words by as much: a metric
    of length has nothing to go by. `kinds` holds the first two for each breaking kind alone.
    """

    metric: str
    against_originals: Estimate
    against_harmless: Estimate
    against_matched: Estimate
    kinds: dict[str, tuple[Estimate, Estimate]]


def edit_discrimination(
    run: StressRun, shifts: Sequence[Shift], resamples: int = STRESS_RESAMPLES
) -> list[EditDiscrimination]:
    """Every metric that has shifts under a breaking kind; intervals by document, the same draws for all."""
    numbers = {group: place for place, group in enumerate(dict.fromkeys(shift.group for shift in shifts))}
    if not numbers:
        return []
    draws = Resamples.draw(len(numbers), resamples, run.plan.seed)
    intents = {kind: intent_of(kind) for kind in run.plan.kinds}
    growths = word_growths(run)
    results = []
    for metric in run.plan.metrics:
        of_metric = [shift for shift in shifts if shift.metric == metric]
        broken = [shift for shift in of_metric if intents[shift.kind] == "breaking"]
        harmless = [shift for shift in of_metric if intents[shift.kind] == "preserving"]
        if not broken:
            continue
        by_kind: dict[str, list[Shift]] = defaultdict(list)
        for shift in broken:
            by_kind[shift.kind].append(shift)
        # against the originals, and against the edits
        areas = {}
        for kind, bad in {ALL_KINDS: broken, **by_kind}.items():
            originals = LabelledScores.of(pairs_of_shifts(metric, bad, numbers))
            edits = _labelled(metric, bad, harmless, numbers)
            areas[kind] = (draws.estimate(auc(originals)), draws.estimate(auc(edits)))
        strata = np.array([growths[shift.source, shift.kind] for shift in (*harmless, *broken)], dtype=np.intp)
        matched = draws.estimate(stratified_auc(_labelled(metric, broken, harmless, numbers), strata))
        results.append(EditDiscrimination(metric, *areas.pop(ALL_KINDS), matched, areas))
    return results


def word_growths(run: StressRun) -> dict[VariantKey, int]:
    """Words that each variant has more than its original."""
    lengths = {id: len(words(source.example.summary)) for id, source in run.sources.items()}
    return {
        (source, kind): len(words(variant.summary)) - lengths[source]
        for (source, kind), variant in run.variants.items()
        if variant.summary is not None
    }


def against_edits_of_people(cases: Cases, column: MetricColumn) -> Statistic:
    """The area of edits labelled inconsistent against edits labelled consistent, where the data have both."""
    if not len(cases.harmless) or not len(cases.pairs):
        return undefined(0, "The data have no edits that people found consistent.")
    rows = np.concatenate([cases.harmless[:, 1], cases.pairs[:, 1]])
    labels = np.repeat([True, False], [len(cases.harmless), len(cases.pairs)])
    return auc(LabelledScores(column.values[rows], labels, cases.documents[rows], column.direction))


def _labelled(
    metric: str, broken: Sequence[Shift], harmless: Sequence[Shift], numbers: dict[str, int]
) -> LabelledScores:
    """The edited sides of both: harmless ones are consistent."""
    bad, good = (pairs_of_shifts(metric, shifts, numbers) for shifts in (broken, harmless))
    return LabelledScores(
        np.concatenate([good.edited, bad.edited]),
        np.repeat([True, False], [len(good.edited), len(bad.edited)]),
        np.concatenate([good.documents, bad.documents]),
        bad.direction,
    )


def discrimination_table(results: Sequence[EditDiscrimination]) -> Table:
    """A row for each metric and breaking kind, after one of all kinds together."""
    rows = [
        (result.metric, kind, originals, harmless, matched, originals.n, harmless.n)
        for result in results
        for kind, (originals, harmless, matched) in {
            ALL_KINDS: (result.against_originals, result.against_harmless, result.against_matched),
            **{kind: (*both, None) for kind, both in result.kinds.items()},
        }.items()
    ]
    return Table(
        "edit_discrimination",
        "Broken summaries against their originals and against harmless edits",
        (
            Column("metric", format="metric"),
            Column("kind", format="perturbation", help="The perturbation that broke the summaries."),
            Column(
                "against_originals",
                "AUC against originals",
                "unsigned",
                "Area under the ROC curve of broken summaries against the summaries that they were made of.",
            ),
            Column(
                "against_harmless",
                "AUC against harmless edits",
                "unsigned",
                "The same against summaries that were changed without harm: 0.5 for a detector of changes.",
            ),
            Column(
                "against_matched",
                "AUC against harmless edits of the same length",
                "unsigned",
                "The same among variants that change the number of words by as much: 0.5 for a metric of length.",
            ),
            Column("n_originals", "n, originals", "count"),
            Column("n_harmless", "n, harmless edits", "count"),
        ),
        tuple(rows),
    )


def discrimination_report(study: Study, data: StudyData, by: str) -> Report:
    """Errors told from harmless edits by each metric of a stress run."""
    results = edit_discrimination(data.stress_run, data.shifts)
    if not results:
        raise TouchstoneError(
            "No metric has scores of a broken summary in this run. Make one with perturbations that break the meaning: "
            "cli.py stress PAIRS --kind negation -o RUN.jsonl"
        )
    scored = {result.metric for result in results}
    ranked = sorted(
        (result for result in results if result.against_harmless.value is not None),
        key=lambda result: -(result.against_harmless.value or 0.0),
    )
    sentences = [f"No metric is compared with harmless edits: {results[0].against_harmless.error}"]
    if ranked:
        best = ranked[0]
        blind = [
            result.metric
            for result in ranked
            if (low := result.against_harmless.low) is not None and low <= _CHANCE  # as a detector of changes
        ]
        sentences = [
            f"{metric_title(best.metric)} tells errors from harmless edits best: AUC {format_unsigned(best.against_harmless)}, from their "
            f"originals {format_unsigned(best.against_originals)}."
        ]
        if blind:
            sentences.append(
                f"No better than a detector of changes, as the interval reaches 0.5: {', '.join(map(metric_title, blind))}."
            )
    return study.report(
        data,
        [discrimination_table(results), *([_parts_table(data, by)] if by else [])],
        charts=[_discrimination_chart(results)],
        sentences=sentences,
        notes=[
            "A detector of changes has an AUC near 1 against originals and of 0.5 against harmless edits. Intervals are "
            "of 95 %, by document."
        ],
        problems=[
            f"{metric_title(metric)} has no scores of a broken summary and its original."
            for metric in data.stress_run.plan.metrics
            if metric not in scored
        ],
    )


def _parts_table(data: StudyData, by: str) -> Table:
    """The same for each value of a field of the run, with the number of its documents."""
    rows = [
        (
            part,
            result.metric,
            result.against_originals,
            result.against_harmless,
            result.against_matched,
            len({shift.group for shift in shifts}),
        )
        for part, shifts in shift_parts(data.shifts, by).items()
        for result in edit_discrimination(data.stress_run, with_harmless(shifts, data.shifts, by))
    ]
    return Table(
        "parts",
        f"Errors against harmless edits, by {by.replace('_', ' ')}",
        (
            Column("part", by.replace("_", " ")),
            Column("metric", format="metric"),
            Column("against_originals", "against originals", "unsigned"),
            Column("against_harmless", "against harmless edits", "unsigned"),
            Column("against_matched", "of the same length", "unsigned"),
            Column("documents", format="count", help="Below ten, intervals are wide and nothing is compared."),
        ),
        tuple(rows),
        outside_note(data.shifts, by),
    )


def _discrimination_chart(results: Sequence[EditDiscrimination]) -> Chart:
    metrics = tuple(result.metric for result in reversed(results))
    titles = tuple(map(metric_title, metrics))
    sides = (
        ("against originals", {result.metric: result.against_originals for result in results}),
        ("against harmless edits", {result.metric: result.against_harmless for result in results}),
    )
    return Chart(
        "edit-discrimination",
        "points",
        "AUC of broken summaries with 95 % intervals",
        Axis("", titles),
        Axis("AUC"),
        tuple(
            Series(
                name,
                titles,
                tuple(areas[metric] for metric in metrics),
                tuple(f"{metric_title(metric)}, {name}: {format_unsigned(areas[metric])}" for metric in metrics),
            )
            for name, areas in sides
        ),
        sideways=True,
    )
