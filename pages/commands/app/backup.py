"""`cli.py backup`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotations.store.backup import backup
from core.settings import Settings
from pages.commands.shared.messages import format_row_counts

EXAMPLE = "python cli.py backup touchstone.jsonl.gz"


def command(
    file: Annotated[Path, typer.Argument(help="A new file; it holds names and codes, so keep it safe.")],
) -> None:
    """Write the whole database into a file while people go on working; SQLite or PostgreSQL, checked afterwards."""
    typer.echo(
        f"Backed up into {file}: {format_row_counts(backup(Settings.read().database_url, file))}. Checked: it is whole."
    )
