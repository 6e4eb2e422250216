"""`cli.py meta`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from core.meta.cases import select_metrics
from core.meta.measures import MEASURES, PAPER_MEASURES, SLICE_FIELDS, draw_resamples, metric_rows, slice_cases
from core.meta.rating_correlation import format_correlations, metric_correlations
from core.meta.reference_scores import compare_with_released, format_comparisons
from core.meta.table_formats import format_rows, row_record
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
    full: Annotated[bool, typer.Option("--full", help="Also the figures that papers leave out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object; shares in 0..1.")] = False,
) -> None:
    """Say which metric can be trusted with which errors: consistency, ties and AUC with intervals, from kept scores."""
    found = read_scored_samples(dataset)
    found = select_metrics(found, metric) if metric else found
    if rated:
        typer.echo(format_correlations(list(metric_correlations(found, rated, draw_resamples(found, resamples)))))
        return
    lines = list(metric_rows(found, slice_cases(found, by), draw_resamples(found, resamples), _measures(full)))
    if as_json:
        report = {"dataset": " + ".join(dataset), "rows": [row_record(line) for line in lines]}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
        return
    typer.echo(format_rows(lines))
    if twins := compare_with_released(found):
        typer.echo(f"\n{format_comparisons(twins)}")


def _measures(full: bool) -> tuple[str, ...]:
    return tuple(MEASURES) if full else PAPER_MEASURES
