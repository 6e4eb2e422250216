"""`cli.py meta`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from core.meta.beside import beside
from core.meta.beside import table as beside_table
from core.meta.cases import of_metrics
from core.meta.correlations import correlations
from core.meta.correlations import table as correlation_table
from core.meta.figures import MEASURES, PUBLISHED, draws
from core.meta.figures import rows as rows_of
from core.meta.report import as_record as as_meta_record
from core.meta.report import table as meta_table
from core.meta.slices import FIELDS, slices
from core.stats.resampling import RESAMPLES
from pages.terminal.evaluated import scored_samples_of
from pages.terminal.options import Datasets, Resamples


def command(
    dataset: Datasets,
    by: Annotated[str | None, typer.Option(help=f"Slices besides Overall: {', '.join(FIELDS)}.")] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    rated: Annotated[str | None, typer.Option(help="Correlate with what people rated, instead: the aspect.")] = None,
    resamples: Resamples = RESAMPLES,
    full: Annotated[bool, typer.Option("--full", help="Also the figures that papers leave out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object; shares in 0..1.")] = False,
) -> None:
    """Say which metric can be trusted with which errors: consistency, ties and AUC with intervals, from kept scores."""
    found = scored_samples_of(dataset)
    found = of_metrics(found, metric) if metric else found
    if rated:
        typer.echo(correlation_table(list(correlations(found, rated, draws(found, resamples)))))
        return
    lines = list(rows_of(found, slices(found, by), draws(found, resamples), _measures(full)))
    if as_json:
        report = {"dataset": " + ".join(dataset), "rows": [as_meta_record(line) for line in lines]}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
        return
    typer.echo(meta_table(lines))
    if twins := beside(found):
        typer.echo(f"\n{beside_table(twins)}")


def _measures(full: bool) -> tuple[str, ...]:
    return tuple(MEASURES) if full else PUBLISHED
