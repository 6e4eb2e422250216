"""`cli.py sensitivity`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.errors import TouchstoneError
from core.runs.run import run_from_lines
from core.runs.shifts import STRESS_RESAMPLES, score_shifts
from core.studies.sensitivity import (
    ScoredEdit,
    edits_of_cases,
    edits_of_run,
    format_sensitivities,
    metric_sensitivities,
)
from pages.commands.shared.inputs import read_lines, read_scored_samples
from pages.commands.shared.options import JsonOption, ResamplesOption


def command(
    run: Annotated[
        Path | None, typer.Argument(help="A run that `stress` wrote: its harmless edits, and its broken summaries.")
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            help="The minimal pairs and harmless edits of a dataset, alone or with those of a run; may be repeated."
        ),
    ] = None,
    resamples: ResamplesOption = STRESS_RESAMPLES,
    as_json: JsonOption = False,
) -> None:
    """Compare how much each metric rewards a correction with how much harmless edits move it, overall and by domain."""
    if run is None and not dataset:
        raise TouchstoneError("Name a run that `stress` wrote, a dataset with --dataset, or both.")
    edits: list[ScoredEdit] = list(edits_of_cases(read_scored_samples(dataset))) if dataset else []
    if run:
        read = run_from_lines(line for line in read_lines(run) if line)
        edits += edits_of_run(read, score_shifts(read))
    found = metric_sensitivities(edits, resamples=resamples)
    if as_json:
        typer.echo(json.dumps([asdict(one) | {"remark": one.remark} for one in found], ensure_ascii=False, indent=1))
    else:
        typer.echo(format_sensitivities(found))
