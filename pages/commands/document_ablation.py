"""`cli.py study document-ablation`."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from core.engine.engine import Engine
from core.errors import TouchstoneError
from core.metric import METRICS
from core.runs.run import Run, run_from_lines
from core.settings import Settings
from core.studies.document_ablation import (
    AblatedScore,
    closed_book_scores,
    foreign_examples,
    format_histograms,
    score_foreign,
    score_histogram,
)
from pages.commands.shared.inputs import read_lines
from pages.commands.shared.messages import download_models, print_status
from pages.commands.shared.options import DeviceOption, JsonOption


def command(
    run: Annotated[Path, typer.Argument(help="A run that `stress` wrote.")],
    without: Annotated[
        Literal["foreign", "closed-book"],
        typer.Option(
            help="foreign: beside the document of another summary. closed-book: by the control of direct-assessment, which the "
            "run has scored."
        ),
    ] = "foreign",
    bins: Annotated[int, typer.Option(min=1, max=100, help="Bins of the same width.")] = 20,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score the summaries of a run without their document, and show the histograms with and without it."""
    settings = Settings.read().on(device)
    read = run_from_lines(line for line in read_lines(run) if line)
    scored = closed_book_scores(read) if without == "closed-book" else _score_foreign(settings, read)
    if not scored:
        raise TouchstoneError(
            f"{run} has no scores of direct-assessment and closed-book. Name both metrics to `stress`."
        )
    by_metric = [[one for one in scored if one.metric == metric] for metric in read.plan.metrics]
    found = [made for of_metric in by_metric if (made := score_histogram(of_metric, bins, read.plan.seed))]
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=1))
    else:
        typer.echo(format_histograms(found))
    for (metric, reason), count in Counter((one.metric, one.error) for one in scored if one.error).items():
        print_status(f"{metric}: {count} of {len(read.sources)} summaries: {reason}")


def _score_foreign(settings: Settings, run: Run) -> list[AblatedScore]:
    with closing(Engine.open(settings)) as engine:
        download_models(engine.pool, [METRICS.parse(spec) for spec in run.plan.metrics])
        return list(score_foreign(engine, run, foreign_examples(run)))
