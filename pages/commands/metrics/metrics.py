"""`cli.py metrics`."""

from __future__ import annotations

import json

import typer

from core.assessment import format_direction, format_range, list_metrics, metrics_markdown
from core.models import ModelPool
from core.settings import Settings
from pages.commands.shared.options import JsonOption, MarkdownOption

EXAMPLE = "python cli.py metrics --markdown"


def command(as_json: JsonOption = False, markdown: MarkdownOption = False) -> None:
    """List the metrics: family, range, direction, and whether they are ready to run."""
    settings = Settings.read()
    pool = ModelPool.open(settings)
    listed = list_metrics(pool)
    if as_json:
        typer.echo(json.dumps([row.record() for row in listed], ensure_ascii=False, indent=1))
        return
    if markdown:
        typer.echo(metrics_markdown(listed))
        return
    for line in listed:
        reach = format_range(line.card.low, line.card.high)
        typer.echo(
            f"{line.name:20} {line.card.family:12} {reach:9} {format_direction(line.card.direction):25} {line.state}"
        )
