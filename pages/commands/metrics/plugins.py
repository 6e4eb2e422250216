"""`cli.py plugins`."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from core.data import DATASETS
from core.edits import PERTURBATIONS
from core.evaluation import STUDIES
from core.scoring import METRICS, plugin_reports
from pages.commands.shared.options import JsonOption

EXAMPLE = "python cli.py plugins --plugin my_metric.py"
_KEYS = {"error": "problem"}
"""Keys of the JSON that are not the names of fields."""


def command(as_json: JsonOption = False) -> None:
    """List the plug-ins: files of --plugin and TOUCHSTONE_PLUGINS, and installed packages; what each adds, and why one does not load."""
    for registry in (METRICS, PERTURBATIONS, DATASETS, STUDIES):
        registry.names()
    reports = plugin_reports()
    if as_json:
        records = [{_KEYS.get(field, field): value for field, value in asdict(report).items()} for report in reports]
        typer.echo(json.dumps(records, ensure_ascii=False, indent=1))
    elif not reports:
        typer.echo(
            "There are no plug-ins. Name a file with --plugin or TOUCHSTONE_PLUGINS, or install a package that has some."
        )
    for report in [] if as_json else reports:
        memory = f" ({report.memory / 2**20:.0f} MB)" if report.memory else ""
        typer.echo(f"{report.group}  {report.source}{f'  {report.version}' if report.version else ''}")
        typer.echo(f"  adds {', '.join(report.names)}{memory}" if report.names else "  adds nothing")
        for sentence in [report.error, *report.remarks]:
            if sentence:
                typer.echo(f"  ! {sentence}")
    raise typer.Exit(any(report.error for report in reports))
