"""`cli.py shared-errors`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from core.meta.cases import select_metrics
from core.meta.shared_errors import (
    caught_pairs,
    format_coverage,
    format_shared_errors,
    shared_errors,
    smallest_coverage,
)
from pages.commands.shared.inputs import DatasetsOption, JsonOption, read_scored_samples


def command(
    dataset: DatasetsOption,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which metrics miss the same minimal pairs, and the fewest metrics that catch what any of them catches."""
    found = read_scored_samples(dataset)
    found = select_metrics(found, metric) if metric else found
    caught = caught_pairs(found, found.columns)
    pairs, coverage = shared_errors(caught), smallest_coverage(caught)
    if as_json:
        record = {"coverage": asdict(coverage), "metrics": [asdict(one) for one in pairs]}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=1))
        return
    typer.echo(format_coverage(coverage))
    typer.echo(format_shared_errors(pairs))
