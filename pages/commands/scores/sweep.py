"""`cli.py sweep`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.evaluation import Readings, StudyData, report_json, report_text, window_run
from core.results import append_records, continue_run, missing_conversations, open_run_file, run_from_lines
from core.scoring import METRICS, Engine
from core.settings import Settings
from pages.commands.shared.inputs import read_lines
from pages.commands.shared.messages import download_models, print_estimate, print_status, show_run_progress
from pages.commands.shared.options import DeviceOption, JsonOption

EXAMPLE = "python cli.py sweep run.jsonl -o windows.jsonl"


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
    report = Readings(view="windows").run(StudyData(run=sweep, run_name=str(output)))
    typer.echo(report_json(report) if as_json else report_text(report))
    for problem in report.problems:
        print_status(problem)
