"""`cli.py meta`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from core.meta.cases import Cases, select_metrics
from core.meta.measures import (
    MEASURES,
    PAPER_MEASURES,
    SLICE_FIELDS,
    MetricRow,
    draw_resamples,
    metric_rows,
    slice_cases,
)
from core.meta.rating_correlation import COEFFICIENTS, PAPER_COEFFICIENTS, metric_correlations
from core.meta.reference_scores import compare_with_released, format_comparisons
from core.meta.table_formats import format_rows, format_tests, tables_record
from core.stats.bootstrap import RESAMPLES
from pages.commands.shared.inputs import DatasetsOption, ResamplesOption, read_scored_samples


def command(
    dataset: DatasetsOption,
    by: Annotated[str | None, typer.Option(help=f"Slices besides Overall: {', '.join(SLICE_FIELDS)}.")] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    rated: Annotated[str | None, typer.Option(help="Correlate with what people rated, instead: the aspect.")] = None,
    resamples: ResamplesOption = RESAMPLES,
    full: Annotated[
        bool, typer.Option("--full", help="Also the figures that papers leave out, and the p of every test.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object; shares in 0..1.")] = False,
) -> None:
    """Say which metric can be trusted with which errors: consistency, ties and AUC with intervals, from kept scores."""
    found = read_scored_samples(dataset)
    found = select_metrics(found, metric) if metric else found
    rows = _rows(found, by, rated, resamples, full)
    if as_json:
        report = tables_record(found, rows, dataset=" + ".join(dataset), by=by, rated=rated, resamples=resamples)
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
        return
    typer.echo(format_rows(rows))
    tests = format_tests(rows) if full else ""
    comparisons = [] if rated else compare_with_released(found)
    for text in (tests, format_comparisons(comparisons) if comparisons else ""):
        if text:
            typer.echo(f"\n{text}")


def _rows(found: Cases, by: str | None, rated: str | None, resamples: int, full: bool) -> list[MetricRow]:
    parts, drawn = slice_cases(found, by), draw_resamples(found, resamples)
    if rated:
        names = tuple(COEFFICIENTS) if full else PAPER_COEFFICIENTS
        return list(metric_correlations(found, rated, drawn, parts, names))
    return list(metric_rows(found, parts, drawn, tuple(MEASURES) if full else PAPER_MEASURES))
