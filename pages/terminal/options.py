"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.settings import Device

Json = Annotated[bool, typer.Option("--json", help="One JSON list instead of a table.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="The table of the README.")]
OnDevice = Annotated[Device | None, typer.Option(help="Where models run; TOUCHSTONE_DEVICE by default.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same variants.")]
PairsFile = Annotated[Path | None, typer.Argument(help="JSONL or CSV with id, document, summary.")]
FromDataset = Annotated[
    str | None,
    typer.Option(help="Instead of a file: the summaries of an imported dataset that are not labelled inconsistent."),
]
Most = Annotated[
    int | None, typer.Option(min=1, help="So many summaries of the dataset, drawn by the seed; by default all.")
]
_KIND = "A perturbation, name or name[setting=value,…]; may be repeated."
Kinds = Annotated[list[str], typer.Option(help=_KIND)]
KindsOrAll = Annotated[list[str] | None, typer.Option(help=f"{_KIND} By default all rules.")]
Datasets = Annotated[
    list[str], typer.Option("--dataset", help="One of those that `datasets` lists; several are put together.")
]
Resamples = Annotated[int, typer.Option(min=1, help="Of the documents, for the intervals.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="Where to write; .csv for a table, else JSONL.")]
AskedModel = Annotated[str, typer.Option(help="Who is asked; by default the model of the endpoint.")]
AskedEndpoint = Annotated[str, typer.Option(help="Its name in TOUCHSTONE_ENDPOINTS; by default the default one.")]
Temperature = Annotated[float, typer.Option(min=0)]
Draw = Annotated[int, typer.Option(min=0, help="Another number is another draw.")]
