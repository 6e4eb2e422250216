"""`cli.py datasets`."""

from __future__ import annotations

from contextlib import closing

import typer

from annotations.campaigns.describing import in_words
from annotations.records import OWN
from annotations.sources import campaigns, described, samples
from annotations.store import Store
from core.settings import Settings


def command() -> None:
    """List what can be evaluated: imported datasets, campaigns with labels, and what was kept and labelled here."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        for row in store.datasets():
            typer.echo(f"{row.name:30} {row.samples} samples from {', '.join(file.file for file in row.files)}")
        for name in campaigns(store):
            typer.echo(f"{name:30} {' '.join(in_words(described(store, name)))}")
        if own := samples(store, OWN):
            typer.echo(f"{OWN:30} {len(own)} samples")
