"""`cli.py restore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotations.store.backup import restore
from core.settings import Settings
from pages.commands.shared.messages import format_row_counts

EXAMPLE = "python cli.py restore touchstone.jsonl.gz"


def command(
    file: Annotated[Path, typer.Argument(help="What `backup` wrote, by this version or an older one.")],
    replace: Annotated[bool, typer.Option("--replace", help="Lose what is in the database now.")] = False,
) -> None:
    """Put a backup into the database that TOUCHSTONE_DATABASE_URL names, SQLite or PostgreSQL; stop the server first."""
    typer.echo(f"Restored {file}: {format_row_counts(restore(file, Settings.read().database_url, replace))}.")
