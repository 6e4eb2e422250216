"""`cli.py infer-mapping`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.data.datasets.formats.column_inference import infer_column_map
from core.data.datasets.generic import Generic, preview_rows
from pages.commands.shared.inputs import open_output, refuse_overwriting_input
from pages.commands.shared.messages import print_status

GROUP = "Data"
EXAMPLE = "python cli.py infer-mapping own.csv -o mapping.json"


def command(
    source: Annotated[Path, typer.Argument(help="A table: JSONL, JSON, CSV, parquet or xlsx.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where to write the mapping.")] = None,
) -> None:
    """Infer what the columns of any table hold: a mapping to correct by hand and to import with."""
    mapping = infer_column_map(preview_rows(source)).to_json()
    for line in Generic().describe(source):
        print_status(f"  {line}")
    if output is None:
        typer.echo(mapping, nl=False)
        return
    refuse_overwriting_input(source, output)
    with open_output(output) as file:
        file.write(mapping)
    print_status(f"Check it, then: cli.py import 'generic[mapping={output}]' {source}")
