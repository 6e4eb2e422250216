"""`cli.py kept-edits`."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import Annotated

import typer

from annotations.results.kept_edits import KEPT_NOTE, format_kept_edits, kept_edits_of
from annotations.store.store import Store
from core.settings import Settings
from pages.commands.shared.options import JsonOption

GROUP = "Data"
EXAMPLE = "python cli.py kept-edits Boats --json"


def command(
    campaign: Annotated[str, typer.Argument(help="A campaign with the question set edit-quality.")],
    as_json: JsonOption = False,
) -> None:
    """Count the edits of a campaign that none of their annotators rejects, by domain (SummExecEdit, table 1)."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        found = kept_edits_of(store, campaign)
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=1))
        return
    typer.echo(f"{format_kept_edits(found)}\n\n{KEPT_NOTE}")
