"""`cli.py surface-correlation`."""

from __future__ import annotations

import typer

from core.meta.measures import draw_resamples
from core.meta.surface_correlation import format_shares, predicted_shares, surface_against_metrics
from core.meta.table_formats import format_rows
from core.stats.bootstrap import RESAMPLES
from pages.commands.shared.inputs import DatasetsOption, ResamplesOption, read_scored_samples


def command(dataset: DatasetsOption, resamples: ResamplesOption = RESAMPLES) -> None:
    """Report how much of each metric the six shallow features explain, and how well they alone separate the labels."""
    found = read_scored_samples(dataset)
    drawn = draw_resamples(found, resamples)
    typer.echo(format_shares(list(predicted_shares(found, drawn))))
    typer.echo(f"\n{format_rows(surface_against_metrics(found, drawn))}")
