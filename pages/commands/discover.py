"""`cli.py discover`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.errors import TouchstoneError, UnscorableError
from core.runs.run import run_from_lines
from core.stats.text_tables import align_columns
from core.studies.discovery import BigramDiscovery, discover_in_run, discover_over_metrics
from pages.commands.shared.inputs import read_lines
from pages.commands.shared.messages import print_status

_TOGETHER = "all metrics"


def command(
    run: Annotated[Path, typer.Argument(help="A run that `stress` wrote.")],
    most: Annotated[int, typer.Option(min=1, help="So many phrases for each metric.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Find the two words in a row that mark the best-scored fifth of the summaries, by each metric and by all together."""
    read = run_from_lines(line for line in read_lines(run) if line)
    found: dict[str, BigramDiscovery] = {}
    for metric in read.plan.metrics:
        try:
            found[metric] = discover_in_run(read, metric, most)
        except UnscorableError as reason:
            print_status(f"{metric}: {reason}")
    if not found:
        raise TouchstoneError(f"No metric of {run} has a best fifth of summaries. Run `stress` on more of them.")
    found[_TOGETHER] = discover_over_metrics(read, most)
    typer.echo(
        json.dumps({metric: asdict(one) for metric, one in found.items()}, indent=1) if as_json else _format(found)
    )


def _format(found: Mapping[str, BigramDiscovery]) -> str:
    lines = [
        (metric, one.text, f"{one.lead:+.4f}", f"{one.best} of {of.best}", f"{one.others} of {of.scored - of.best}")
        for metric, of in found.items()
        for one in of.bigrams
    ]
    return align_columns([("metric", "phrase", "lead", "in the best fifth", "in the others"), *lines])
