"""`cli.py columns`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.datasets.generic import preview
from core.datasets.reading.guessing import guess
from pages.terminal.files import keep_apart, opened
from pages.terminal.saying import say


def command(
    source: Annotated[Path, typer.Argument(help="A table: JSONL, JSON, CSV, parquet or xlsx.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where to write the mapping.")] = None,
) -> None:
    """Guess what the columns of any table hold: a mapping to correct by hand and to import by."""
    mapping = guess(preview(source)).to_json()
    if output is None:
        typer.echo(mapping, nl=False)
        return
    keep_apart(source, output)
    with opened(output) as file:
        file.write(mapping)
    say(f"Look it over, then: cli.py import 'generic[mapping={output}]' {source}")
