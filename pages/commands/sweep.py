"""`cli.py sweep`."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.engine.engine import Engine
from core.metric import METRICS
from core.runs.cost import missing_conversations
from core.runs.run import append_records, open_run_file, run_from_lines
from core.runs.runner import continue_run
from core.runs.shifts import score_shifts
from core.settings import Settings
from core.stats.text_tables import align_columns, format_signed, format_unsigned
from core.studies.run_report import failure_sentences
from core.studies.window_sweep import WindowEffect, window_effects, window_families, window_run
from pages.commands.shared.inputs import read_lines
from pages.commands.shared.messages import download_models, print_estimate, print_status, show_run_progress
from pages.commands.shared.options import DeviceOption, JsonOption


def command(
    run: Annotated[Path, typer.Argument(help="A run that `stress` wrote.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The sweep, a run of its own; one that was interrupted is continued.")
    ],
    metric: Annotated[
        list[str] | None, typer.Option(help="name or name[setting=value,…]; the metrics of the run by default.")
    ] = None,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score the texts of a run again, each sentence against retrieved passages with 0 to 4 sentences around them."""
    settings = Settings.read()
    read = run_from_lines(line for line in read_lines(run) if line)
    metrics = [METRICS.parse(spec) for spec in metric or read.plan.metrics]
    planned = window_run(read, metrics, f"{read.plan.name}, windows")
    with closing(Engine.open(settings.on(device))) as engine:
        sweep = open_run_file(output, planned)
        download_models(engine.pool, [METRICS.parse(spec) for spec in sweep.plan.metrics])
        print_estimate(engine, missing_conversations(engine, sweep))
        show_run_progress(sweep, append_records(output, continue_run(engine, sweep)))
    found = score_shifts(sweep, None)
    effects = {
        family: window_effects(sweep, specs, found) for family, specs in window_families(sweep.plan.metrics).items()
    }
    if as_json:
        record = {family: [asdict(one) for one in points] for family, points in effects.items()}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=1))
    else:
        typer.echo(_format(effects))
    for sentence in failure_sentences(sweep):
        print_status(sentence)


def _format(effects: dict[str, list[WindowEffect]]) -> str:
    heads = ("metric", "w", "variants", "original", "variant", "shift", "n")
    lines = [
        (
            family,
            str(one.w),
            one.intent,
            format_unsigned(one.original),
            format_unsigned(one.variant),
            format_signed(one.shift),
            str(one.shift.n),
        )
        for family, points in effects.items()
        for one in points
    ]
    return align_columns([heads, *lines])
