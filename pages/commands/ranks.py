"""`cli.py ranks`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from core.cases.cases import select_metrics
from core.cases.measures import SLICE_FIELDS, draw_resamples, slice_cases
from core.stats.bootstrap import RESAMPLES
from core.studies.ranks import RANKED_MEASURES, format_ranks, metric_ranks
from pages.commands.shared.inputs import read_scored_samples
from pages.commands.shared.options import DatasetsOption, JsonOption, ResamplesOption


def command(
    dataset: DatasetsOption,
    by: Annotated[str, typer.Option(help=f"Slices besides Overall: {', '.join(SLICE_FIELDS)}.")] = "dataset",
    measure: Annotated[str, typer.Option(help=f"{', '.join(RANKED_MEASURES)}.")] = "auc",
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    resamples: ResamplesOption = RESAMPLES,
    as_json: JsonOption = False,
) -> None:
    """Rank the metrics in each dataset or slice, with the interval of each rank over resamples of documents."""
    found = read_scored_samples(dataset)
    found = select_metrics(found, metric) if metric else found
    ranks = list(metric_ranks(found, slice_cases(found, by), draw_resamples(found, resamples), measure))
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in ranks], ensure_ascii=False, indent=1))
    else:
        typer.echo(format_ranks(ranks, measure))
