"""`cli.py sweep`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from core.evaluation.reports.record import report_json
from core.evaluation.reports.text import report_text
from core.evaluation.studies.readings import Readings
from core.evaluation.studies.window_sweep import window_run
from core.evaluation.study import StudyData
from core.results.runs.cost import missing_conversations
from core.results.runs.run import append_records, open_run_file, run_from_lines
from core.results.runs.runner import continue_run
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from pages.commands.shared.inputs import read_lines
from pages.commands.shared.messages import download_models, print_estimate, print_status, show_run_progress
from pages.commands.shared.options import DeviceOption, JsonOption

GROUP = "Scores and perturbations"
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
