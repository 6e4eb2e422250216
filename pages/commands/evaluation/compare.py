"""`cli.py compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from annotations.store.store import Store
from core.assessment import (
    DEFAULT_LIMITS,
    LIMITED_MEASURES,
    Change,
    GivenSide,
    Limit,
    MetricComparison,
    compare_rates,
    compare_sides,
    comparisons_junit,
    comparisons_markdown,
    format_comparisons,
    graded_columns,
    is_stress_run,
    matched_sides,
    plan_sentences,
    read_results,
    read_stress_run,
    regressions,
    require_agreeing_labels,
    ruled_out_sentences,
    shared_signatures,
    shared_texts,
    side_of_outcomes,
    split_labels,
    unlabelled_cases,
    verdict_sentence,
)
from core.base import write_whole
from core.errors import TouchstoneError
from core.evaluation import OwnThreshold
from core.results import Cases, MetricScores, affordable_resamples, draw_resamples, read_pool_labels
from core.scoring import METRICS, Engine
from core.settings import Settings
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DeviceOption
from pages.commands.shared.text_scoring import score_texts
from pages.sources.audit_data import open_audit_data
from pages.sources.thresholds import kept_thresholds

EXAMPLE = "python cli.py compare before.jsonl after.jsonl --data bundled --fail-on auc:-2"

_Writer = Callable[[Sequence[MetricComparison], Sequence[Change], Sequence[str]], str]
_WRITERS: Mapping[str, _Writer] = MappingProxyType({".md": comparisons_markdown, ".xml": comparisons_junit})


def command(
    base: Annotated[
        str,
        typer.Argument(
            help="Before: a file that `score -o` or `stress -o` wrote, a saved threshold by its name or file, or a metric, "
            "name[setting=value,…]."
        ),
    ],
    new: Annotated[str, typer.Argument(help="After: the same, on the same items.")],
    data: Annotated[
        list[str] | None,
        typer.Option(help="Where the labels are: datasets, bundled, or a file of pairs; metrics are scored on it."),
    ] = None,
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            help="Labels of a few summaries, to compare the shares of consistent ones: a file for each side, or one where no id is "
            "of both."
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            help=f"The drop that fails, in points, as auc:-2, of {', '.join(LIMITED_MEASURES)}; may be repeated. By default any "
            "significant drop."
        ),
    ] = None,
    base_threshold: Annotated[
        float | None, typer.Option(help="The score from which a summary counts as consistent, before.")
    ] = None,
    new_threshold: Annotated[float | None, typer.Option(help="The same after; by default that before.")] = None,
    to: Annotated[
        list[Path] | None, typer.Option(help="Where to write: .md for a pull request, .xml for JUnit; may be repeated.")
    ] = None,
    resamples: Annotated[
        int | None, typer.Option(min=1, help="Of the documents; by default as many as `meta`.")
    ] = None,
    device: DeviceOption = None,
) -> None:
    """Say whether new scores are worse than those before, on the same items: status 1 where they are, or where some are missing."""
    writers = []
    for path in to or ():
        if path.suffix.lower() not in _WRITERS:
            raise TouchstoneError(f"{path} ends in neither .md nor .xml. Name a file that does.")
        writers.append((path, _WRITERS[path.suffix.lower()]))
    limits = [Limit.parse(text) for text in fail_on or ()]
    if labels:
        if data or base_threshold is not None or new_threshold is not None or resamples:
            raise TouchstoneError(
                "--labels compares shares of consistent summaries: --data, thresholds and --resamples have no part in it."
            )
        comparisons, plan = _compare_rates([base, new], labels)
    else:
        comparisons, plan = _compare_scores(
            _open_sides([base, new], data or [], limits, device), base_threshold, new_threshold, resamples
        )
    changes = [change for comparison in comparisons for change in comparison.changes]
    absent = {limit.measure for limit in limits} - {change.measure for change in changes}
    if absent:
        raise TouchstoneError(
            f"--fail-on {', '.join(sorted(absent))}: not compared here, so that no drop of it would be seen. Compared are "
            f"{', '.join(dict.fromkeys(change.measure for change in changes))}."
        )
    failed = regressions(changes, limits)
    notes = ruled_out_sentences(changes, limits)
    for path, write in writers:
        write_whole(path, write(comparisons, failed, [*plan, *notes]))
    typer.echo(format_comparisons(comparisons, failed))
    typer.echo(f"\n{verdict_sentence(comparisons, failed)}")
    for sentence in notes:
        typer.echo(sentence)
    if failed or any(comparison.lost for comparison in comparisons):
        raise typer.Exit(1)


_Compared = tuple[Sequence[MetricComparison], Sequence[str]]
"""Comparisons, and the sentences on the items before they were made."""


def _compare_rates(sides: Sequence[str], labels: Sequence[Path]) -> _Compared:
    for side in sides:
        if not Path(side).is_file():
            raise TouchstoneError(f"{side} is no file. With --labels each side is a file that `score -o` wrote.")
    if len(labels) > len(sides):
        raise TouchstoneError(f"{len(labels)} files of labels for two sides. Name one for each side, or one for both.")
    before, after = (read_results(Path(side)) for side in sides)
    files = [read_pool_labels(path) for path in labels]
    comparison, plan = compare_rates(
        before, after, split_labels(before, after, *files) if len(files) == 1 else (files[0], files[1])
    )
    for sentence in plan:
        print_status(sentence)
    return [comparison], plan


def _compare_scores(
    opened: _Sides, base_threshold: float | None, new_threshold: float | None, resamples: int | None
) -> _Compared:
    matched, cases = matched_sides(*opened.scores), opened.cases
    numbers = (base_threshold, base_threshold if new_threshold is None else new_threshold)
    thresholds = [own.value if own else number for own, number in zip(opened.thresholds, numbers, strict=True)]

    before, after = opened.scores
    alone = sorted(before.keys() ^ after.keys())
    if alone and len(matched) < max(len(before), len(after)):
        print_status(f"Only one side has {', '.join(alone)}: not compared.")
    if thresholds[0] == thresholds[1]:
        for sentence in shared_signatures(list(matched.values())):
            print_status(f"{sentence} Their scores are the same.")

    resampled = draw_resamples(cases, resamples or affordable_resamples(cases))
    comparisons = compare_sides(cases, graded_columns(cases, matched, thresholds), resampled)
    if not any(comparison.changes for comparison in comparisons):
        raise TouchstoneError(
            "Nothing can be compared: labels of one kind only, or two metrics on two scales without labels. Name data with "
            "consistent and inconsistent summaries with --data."
        )
    return comparisons, opened.plan


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Scores of each side, the items with their labels where there are any, and the threshold that a side is.

    `plan` says which drops these items can show, where there are labels.
    """

    scores: tuple[dict[str, MetricScores], dict[str, MetricScores]]
    cases: Cases
    thresholds: tuple[OwnThreshold | None, OwnThreshold | None] = (None, None)
    plan: Sequence[str] = ()


def _require_files(sides: Sequence[str]) -> None:
    for side in sides:  # the name of a metric or threshold has no such ending
        if Path(side).suffix in (".jsonl", ".json", ".csv", ".parquet") and not Path(side).exists():
            raise TouchstoneError(f"There is no file {side}. Check the path.")


def _open_sides(sides: Sequence[str], data: Sequence[str], limits: Sequence[Limit], device: str | None) -> _Sides:
    _require_files(sides)
    runs = [Path(side) for side in sides if Path(side).is_file() and is_stress_run(Path(side))]
    if runs:
        if len(runs) < len(sides) or data:
            raise TouchstoneError(
                f"{runs[0]} is a stress run, whose variants are its labels: compare it with another run, without --data."
            )
        old, new = map(read_stress_run, runs)
        cases, scores, others = shared_texts(old, new)
        if old.plan.battery != new.plan.battery:
            print_status(f"The runs are of different batteries: {old.plan.battery_label} and {new.plan.battery_label}.")
        if others:
            print_status(f"{others} texts are in one run only: not compared.")
        return _Sides(scores, cases)
    thresholds = {}  # the thresholds of the database are needed where a side is neither a file nor a metric
    if not all(Path(side).is_file() or side.partition("[")[0] in METRICS.names() for side in sides):
        with closing(Store.open(Settings.read().database_url)) as store:
            thresholds = kept_thresholds(store)
    before, after = (GivenSide.parse(side, thresholds) for side in sides)
    metrics = list(dict.fromkeys(side.metric for side in (before, after) if side.metric))
    if metrics and not data:
        raise TouchstoneError(f"{metrics[0].spec} is to be scored: name the data with --data.")
    if not data:
        scores = (before.scores({}), after.scores({}))
        return _Sides(scores, unlabelled_cases([*scores[0].values(), *scores[1].values()]))
    settings = Settings.read().on(device)
    with closing(Store.open(settings.database_url)) as store:
        opened = open_audit_data(store, data, None, 0)
        cases = opened.cases_of([])
        require_agreeing_labels(cases)
        plan = plan_sentences(cases, limits or DEFAULT_LIMITS)
        for sentence in plan:
            print_status(sentence)
        scored: dict[str, MetricScores] = {}
        if metrics:
            with closing(Engine.open(settings)) as engine:
                outcomes = score_texts(engine, metrics, opened.texts)
            scored = {metric.spec: side_of_outcomes(metric.spec, outcomes) for metric in metrics}
    return _Sides((before.scores(scored), after.scores(scored)), cases, (before.threshold, after.threshold), plan)
