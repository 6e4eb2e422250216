"""`cli.py surface-correlation`."""

from __future__ import annotations

import typer

from core.cases.measures import draw_resamples
from core.stats.bootstrap import RESAMPLES
from core.studies.surface import (
    feature_correlations,
    format_features,
    format_shares,
    predicted_shares,
    surface_against_metrics,
)
from core.studies.tables import format_rows
from pages.commands.shared.inputs import read_scored_samples
from pages.commands.shared.options import DatasetsOption, ResamplesOption


def command(dataset: DatasetsOption, resamples: ResamplesOption = RESAMPLES) -> None:
    """Report how each metric correlates with the six shallow features, how much of it they explain, and how well they alone separate the labels."""
    found = read_scored_samples(dataset)
    drawn = draw_resamples(found, resamples)
    shares = list(predicted_shares(found, drawn))  # raises where a feature was not scored
    typer.echo(f"{format_features(list(feature_correlations(found, drawn)))}\n")
    typer.echo(format_shares(shares))
    typer.echo(f"\n{format_rows(surface_against_metrics(found, drawn))}")
