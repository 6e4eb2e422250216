"""`cli.py explanations`."""

from __future__ import annotations

import typer

from core.errors import TouchstoneError
from core.meta.explained import explained
from core.meta.explained import table as explained_table
from core.meta.figures import draws
from core.stats.resampling import RESAMPLES
from pages.terminal.evaluated import samples_of
from pages.terminal.options import Datasets, Resamples


def command(dataset: Datasets, resamples: Resamples = RESAMPLES) -> None:
    """Say how well models find and explain errors, from graded explanations: DA, DS, ES and JS."""
    found = samples_of(dataset)
    told = list(explained(found, draws(found, resamples)))
    if not told:
        raise TouchstoneError(
            f"No explanation is graded in {', '.join(dataset)}. Import or label some, then ask again."
        )
    typer.echo(explained_table(told))
