"""`cli.py datasets`."""

from __future__ import annotations

from contextlib import closing

import typer

from annotations.exchange.samples import campaign_datasets, format_description, load_description, load_samples
from annotations.store.records import LOCAL_LABELS
from annotations.store.store import Store
from core.data import bundled_items
from core.settings import Settings
from core.types import PRECOMPUTED

EXAMPLE = "python cli.py datasets"


def command() -> None:
    """List what can be evaluated: imported datasets, campaigns with labels, and what was kept and labelled here."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        for row in store.datasets():
            typer.echo(f"{row.name:30} {row.samples} samples from {', '.join(file.file for file in row.files)}")
        for name in campaign_datasets(store):
            typer.echo(f"{name:30} {' '.join(format_description(load_description(store, name)))}")
        if own := load_samples(store, LOCAL_LABELS):
            typer.echo(f"{LOCAL_LABELS:30} {len(own)} samples")
    typer.echo(f"{PRECOMPUTED:30} {len(bundled_items())} samples, not to be scored again: import them with bundled")
