"""`cli.py import-campaign`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from annotations.exchange.campaign_files import campaign_lines
from annotations.exchange.campaign_import import import_campaign
from annotations.store.store import Store
from core.errors import Problem, attempt
from core.settings import Settings

EXAMPLE = "python cli.py import-campaign labels.jsonl --name Boats"


def command(
    source: Annotated[Path, typer.Argument(help="JSONL or CSV that `export --campaign` wrote.")],
    name: Annotated[str, typer.Option(help="What to call it here; by default as it was.")] = "",
) -> None:
    """Put an exported campaign into the database: the same tasks, labels, decisions and figures of agreement."""
    with closing(Store.open(Settings.read().database_url)) as store:
        imported = import_campaign(store, campaign_lines(source), name)
        typer.echo(f"Imported {imported.name!r}, version {imported.version}.")
        labels = attempt(lambda: store.counts("response")["response"])
    if not isinstance(labels, Problem):
        typer.echo(f"Labels in this database: {labels}.")
