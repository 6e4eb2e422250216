"""`cli.py system-strength`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.errors import UnknownNameError
from core.runs.run import run_from_lines
from core.runs.shifts import score_shifts
from core.studies.rating_correlation import mean_ratings
from core.studies.system_strength import format_strengths, judged_systems, phrase_strengths, systems_of_summaries
from pages.commands.shared.inputs import read_lines, read_samples
from pages.commands.shared.options import DatasetsOption


def command(
    run: Annotated[Path, typer.Argument(help="A run of `stress --dataset NAME --with-inconsistent` with phrases.")],
    dataset: DatasetsOption,
    rated: Annotated[
        str, typer.Option(help="Order the systems by this aspect that people rated; by default by the labels.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")] = False,
) -> None:
    """Say how many generations of summarizers the gain of a gaming phrase is worth, from the least to the most consistent system."""
    read = run_from_lines(line for line in read_lines(run) if line)
    cases = read_samples(dataset)
    if rated and rated not in (aspects := mean_ratings(cases)):
        raise UnknownNameError("rated aspect", rated, aspects)
    systems = judged_systems(cases, rated)
    found = list(phrase_strengths(read, score_shifts(read), systems, systems_of_summaries(cases)))
    if as_json:
        record = {"systems": [asdict(one) for one in systems], "phrases": [asdict(one) for one in found]}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=1))
    else:
        typer.echo(format_strengths(systems, found))
