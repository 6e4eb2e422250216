"""`cli.py meta`."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from core.cases.cases import Cases, select_metrics, select_paper_metrics
from core.cases.measures import (
    MEASURES,
    PAPER_MEASURES,
    SLICE_FIELDS,
    MetricRow,
    affordable_resamples,
    draw_resamples,
    metric_rows,
    slice_cases,
)
from core.errors import TouchstoneError
from core.papers.paper_test import CORRECTION as PAPER_CORRECTION
from core.papers.paper_test import LEGEND as PAPER_LEGEND
from core.papers.paper_test import compare_best_two, format_best_two, mark_as_paper
from core.profile import Profile, profile_names, read_profile
from core.stats.bootstrap import RESAMPLES, projected_seconds
from core.studies.rating_correlation import COEFFICIENTS, PAPER_COEFFICIENTS, metric_correlations
from core.studies.reference_scores import compare_with_released, format_comparisons
from core.studies.tables import format_rows, format_tests, tables_record
from pages.commands.shared.inputs import read_scored_samples
from pages.commands.shared.messages import print_status


class SignificanceTest(StrEnum):
    """Test whose marks are printed after the figures."""

    OURS = "ours"
    PAPER = "paper"


def command(
    dataset: Annotated[
        list[str] | None, typer.Option(help="One of those that `datasets` lists; several are put together.")
    ] = None,
    results: Annotated[
        list[str] | None, typer.Option(help="Instead or besides: a folder of results that `score BLOCKS --to` wrote.")
    ] = None,
    by: Annotated[str | None, typer.Option(help=f"Slices besides Overall: {', '.join(SLICE_FIELDS)}.")] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    rated: Annotated[str | None, typer.Option(help="Correlate with what people rated, instead: the aspect.")] = None,
    resamples: Annotated[
        int | None,
        typer.Option(
            min=1, help="Of the documents, for the intervals; by default 10,000, for more than 5,000 summaries fewer."
        ),
    ] = None,
    test: Annotated[
        SignificanceTest,
        typer.Option(
            help="ours: each metric against the best, paired bootstrap by document, Holm. paper: the stars of BUMP, the best "
            "against the second best, not corrected."
        ),
    ] = SignificanceTest.OURS,
    paper: Annotated[
        str,
        typer.Option(
            help=f"The slices and the test of a paper, and its forms of metrics: {', '.join(profile_names())}."
        ),
    ] = "",
    full: Annotated[
        bool, typer.Option("--full", help="Also the figures that papers leave out, and the p of every test.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object; shares in 0..1.")] = False,
) -> None:
    """Say which metric can be trusted with which errors: consistency, ties and AUC with intervals, from kept scores."""
    profile = read_profile(paper) if paper else None
    by = by or (profile.by or None if profile else None)
    as_paper = SignificanceTest.PAPER in {test, profile.test if profile else ""}
    if as_paper and rated:
        raise TouchstoneError("--test paper is of consistency and AUC: leave out --rated, or --test.")
    found = _select(read_scored_samples(dataset or [], results or []), metric, profile)
    compute = partial(_rows, found, by, rated, full)
    number = _affordable_or_asked(found, resamples, compute)
    rows = compute(number)
    compared = list(compare_best_two(found, slice_cases(found, by), rows)) if as_paper else []
    rows = mark_as_paper(rows, compared) if as_paper else rows
    if as_json:
        names = " + ".join([*(dataset or ()), *(results or ())])
        report = tables_record(found, rows, dataset=names, by=by, rated=rated, resamples=number)
        report |= {"multiple_testing": PAPER_CORRECTION} if as_paper else {}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
        return
    typer.echo(format_rows(rows, PAPER_LEGEND if as_paper else ""))
    tests = format_best_two(compared) if as_paper else format_tests(rows) if full else ""
    comparisons = [] if rated else compare_with_released(found)
    for text in (tests, format_comparisons(comparisons) if comparisons else ""):
        if text:
            typer.echo(f"\n{text}")


def _select(found: Cases, metrics: list[str] | None, profile: Profile | None) -> Cases:
    """The metrics that are named, or else those of a paper where one is, whose notes are printed."""
    if metrics:
        return select_metrics(found, metrics)
    if profile is None:
        return found
    selected = select_paper_metrics(found, profile)
    print_status(f"{profile.paper} ({profile.mark}): {' '.join(profile.notes)}")
    return selected


def _rows(found: Cases, by: str | None, rated: str | None, full: bool, resamples: int) -> list[MetricRow]:
    parts, drawn = slice_cases(found, by), draw_resamples(found, resamples)
    if rated:
        names = tuple(COEFFICIENTS) if full else PAPER_COEFFICIENTS
        return list(metric_correlations(found, rated, drawn, parts, names))
    return list(metric_rows(found, parts, drawn, tuple(MEASURES) if full else PAPER_MEASURES))


def _affordable_or_asked(found: Cases, asked: int | None, compute: Callable[[int], object]) -> int:
    """The number of resamples: what was asked for, with the time that it will take where that is long, or what is affordable."""
    affordable, summaries = affordable_resamples(found), f"{len(found.samples):,} summaries"
    if asked is None:
        if affordable < RESAMPLES:
            print_status(
                f"{affordable:,} resamples instead of {RESAMPLES:,} for {summaries}: --resamples sets another number."
            )
        return affordable
    if asked > 2 * affordable:
        minutes = projected_seconds(asked, compute) / 60
        print_status(f"{asked:,} resamples of {summaries} will take about {minutes:.1f} minutes.")
    return asked
