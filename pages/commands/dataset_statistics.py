"""`cli.py dataset-statistics`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from core.studies.dataset_statistics import dataset_statistics, format_statistics
from pages.commands.shared.inputs import read_dataset_items


def command(
    dataset: Annotated[list[str], typer.Option(help="One of those that `datasets` lists; may be repeated.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list instead of a table.")] = False,
) -> None:
    """Count documents and summaries of datasets, with their mean sentences and tokens, overall and by domain."""
    found = [row for name in dataset for row in dataset_statistics(name, read_dataset_items(name))]
    typer.echo(
        json.dumps([asdict(row) for row in found], ensure_ascii=False, indent=1)
        if as_json
        else format_statistics(found)
    )
