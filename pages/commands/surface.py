"""`cli.py surface`."""

from __future__ import annotations

import typer

from core.meta.figures import draws
from core.meta.learned import against_metrics, shares
from core.meta.learned import table as share_table
from core.meta.report import table as meta_table
from core.stats.resampling import RESAMPLES
from pages.terminal.evaluated import scored_samples_of
from pages.terminal.options import Datasets, Resamples


def command(dataset: Datasets, resamples: Resamples = RESAMPLES) -> None:
    """Say how much of each metric the six shallow features explain, and how well they alone tell labels apart."""
    found = scored_samples_of(dataset)
    drawn = draws(found, resamples)
    typer.echo(share_table(list(shares(found, drawn))))
    typer.echo(f"\n{meta_table(against_metrics(found, drawn))}")
