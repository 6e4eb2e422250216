"""`cli.py blocks`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.results import Folder, Refusals, write_blocks
from pages.commands.shared.messages import print_status

EXAMPLE = "python cli.py blocks pairs.jsonl blocks/"


def command(
    pairs: Annotated[
        str,
        typer.Argument(help="JSONL, CSV or parquet with id, document, summary; a folder of them, or a URL of either."),
    ],
    out: Annotated[str, typer.Argument(help="A new folder, or its URL.")],
    spill: Annotated[
        Path | None,
        typer.Option(help="A folder with room for all the texts while they are grouped; by default the system's."),
    ] = None,
) -> None:
    """Cut millions of pairs into blocks of whole documents, which `score BLOCKS --to RESULTS` takes one by one."""
    refusals = Refusals()
    manifest = write_blocks(pairs, Folder.at(out), refusals, spill)
    for refusal in refusals.first:
        print_status(f"{refusal.file}, line {refusal.line}: {refusal.error}")
    if refusals.number > len(refusals.first):
        print_status(f"… and {refusals.number - len(refusals.first):,} more that cannot be read.")
    typer.echo(json.dumps(asdict(manifest), ensure_ascii=False, indent=1))
    if refusals.number:
        raise typer.Exit(2)
