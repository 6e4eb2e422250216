"""`cli.py migrate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotations.store.database import parse_url
from annotations.store.migration import migrate
from core.settings import Settings

EXAMPLE = "python cli.py migrate --copy before.db"


def command(
    copy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A new file for the database as it was; beside it, with its version, by default."
        ),
    ] = None,
) -> None:
    """Bring the database of an older Touchstone up to this one, after a copy; the app does so too when it starts.

    PostgreSQL is not copied: run pg_dump first. All of it or nothing is changed, and no label, pair or score is lost.
    """
    url = Settings.read().database_url
    migrated = migrate(url, copy)
    if migrated is None:
        place = parse_url(url).render_as_string(hide_password=True)
        typer.echo(f"Nothing to do: {place} is at the version of this Touchstone, or there is none yet.")
        return
    before, after, copied = migrated
    typer.echo(f"The database was brought from version {before} to {after}.")
    if copied:
        typer.echo(
            f"As it was, it is in {copied}: to go back, put that file in its place and install the older Touchstone."
        )
