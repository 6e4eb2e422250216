"""`cli.py metrics`."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from core.listing import direction_words, list_metrics, markdown_table, range_words
from core.models.pool import ModelPool
from core.settings import Settings
from pages.terminal.options import Json, Markdown


def command(as_json: Json = False, markdown: Markdown = False) -> None:
    """List the metrics: family, range, direction, and whether they are ready to run."""
    settings = Settings.read()
    pool = ModelPool(settings.device, settings.memory_bytes, settings.cache_dir)
    listed = list_metrics(pool)
    if as_json:
        typer.echo(json.dumps([asdict(line) for line in listed], ensure_ascii=False, indent=1))
        return
    if markdown:
        typer.echo(markdown_table(listed))
        return
    for line in listed:
        reach = range_words(line.low, line.high)
        typer.echo(f"{line.name:20} {line.family:12} {reach:9} {direction_words(line.direction):25} {line.state}")
