"""The options and arguments that several commands have, and the example at the end of their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.edits import STANDARD_BATTERY, battery_names
from core.models import papers_with_prompts
from core.settings import check_devices

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON list instead of a table.")]
MarkdownOption = Annotated[bool, typer.Option("--markdown", help="The table of docs/reference/metrics.md.")]


def _check_device_option(value: str | None) -> str | None:
    try:
        return value and check_devices(value)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


DeviceOption = Annotated[
    str | None,
    typer.Option(
        metavar="DEVICES",
        callback=_check_device_option,
        help="Where models run: auto, all, cpu, cuda, mps, or several of one kind, as cuda:0,cuda:1; TOUCHSTONE_DEVICE "
        "by default.",
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="The same seed gives the same variants.")]
PublicOption = Annotated[
    bool, typer.Option("--public", help="Make a repository that everybody sees; by default it is private.")
]
ExistingOption = Annotated[
    bool, typer.Option("--existing", help="Push a new version to a repository that is there already.")
]
PairsArgument = Annotated[
    Path | None, typer.Argument(help="JSONL or CSV with id, document, summary; or a folder of blocks.")
]
ShardOption = Annotated[
    str, typer.Option(help="K/N: part K of N counted from 0, as for a job of a Slurm array; each part has its own -o.")
]
DatasetOption = Annotated[
    str | None,
    typer.Option(help="Instead of a file: the summaries of an imported dataset that are not labelled inconsistent."),
]
WithInconsistentOption = Annotated[
    bool, typer.Option("--with-inconsistent", help="Also the summaries that are labelled inconsistent.")
]
MaxSummariesOption = Annotated[
    int | None, typer.Option(min=1, help="So many summaries, drawn by the seed; by default all.")
]
KindsOption = Annotated[
    list[str] | None,
    typer.Option(
        help="A perturbation, name or name[setting=value,…]; may be repeated. By default those of the battery."
    ),
]
_BATTERY_HELP = (
    f"The perturbations by name: {', '.join(battery_names())}, or a TOML file of your own; further kinds join with +, as "
    f"{STANDARD_BATTERY}+number[most=2]."
)
BatteryOption = Annotated[str, typer.Option(help=_BATTERY_HELP)]
KindsBatteryOption = Annotated[
    str, typer.Option(help=f"{_BATTERY_HELP} By default {STANDARD_BATTERY}, where no --kind is named.")
]
DatasetsOption = Annotated[
    list[str], typer.Option("--dataset", help="One of those that `datasets` lists; several are put together.")
]
ResamplesOption = Annotated[int, typer.Option(min=1, help="Of the documents, for the intervals.")]
OutputOption = Annotated[Path, typer.Option("-o", "--output", help="Where to write; .csv for a table, else JSONL.")]
ModelOption = Annotated[
    str,
    typer.Option(
        help="The model to ask; by default the model of the endpoint. local:FOLDER or local:OWNER/NAME is a chat model "
        "that is loaded on this machine, without an endpoint."
    ),
]
EndpointOption = Annotated[str, typer.Option(help="Its name in TOUCHSTONE_ENDPOINTS; by default the default one.")]
TemperatureOption = Annotated[float, typer.Option(min=0)]
MostOption = Annotated[int | None, typer.Option(min=1, help="So many of them, drawn by the seed; by default all.")]
DrawSeedOption = Annotated[int, typer.Option("--seed", min=0, help="The same seed draws the same ones.")]
BatchOption = Annotated[
    bool,
    typer.Option(
        "--batch",
        help="Ask by the endpoint's Batch API: cheaper, within 24 hours. What is interrupted is collected by the same command.",
    ),
]
WordsOption = Annotated[
    str,
    typer.Option("--paper", help=f"Ask in the words of a paper (see paper-words): {', '.join(papers_with_prompts())}."),
]
SampleOption = Annotated[int, typer.Option(min=0, help="Another number is another draw.")]


def example_epilog(line: str) -> str:
    """The line below its heading, as the help prints it: whole, however long it is."""
    return f"\b\nExample:\n  {line}"  # a paragraph that begins so is never wrapped
