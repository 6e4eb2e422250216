"""`cli.py shared-errors`."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from core.cases.cases import select_metrics
from core.stats.statistic import Values
from core.studies.shared_errors import (
    EXPLAINED_NOTE,
    caught_pairs,
    compare_errors,
    explained_errors,
    format_coverage,
    format_shared_errors,
)
from pages.commands.shared.inputs import read_samples, read_scored_samples
from pages.commands.shared.options import DatasetsOption, JsonOption


class Compared(StrEnum):
    """Whose errors are compared."""

    METRICS = "metrics"
    EXPLAINERS = "explainers"


def command(
    dataset: DatasetsOption,
    of: Annotated[
        Compared, typer.Option(help="metrics: on minimal pairs. explainers: on errors, by the grades of explanations.")
    ] = Compared.METRICS,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which metrics miss the same minimal pairs, or explainers the same errors, and the fewest that catch what any catches."""
    caught = explained_errors(read_samples(dataset)) if of is Compared.EXPLAINERS else _caught_pairs(dataset, metric)
    coverage, pairs = compare_errors(caught)
    if as_json:
        record = {"coverage": asdict(coverage), of.value: [asdict(one) for one in pairs]}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=1))
    elif of is Compared.EXPLAINERS:
        typer.echo(format_coverage(coverage, "explainers", "errors"))
        typer.echo(f"{format_shared_errors(pairs, 'explainer')}\n\n{EXPLAINED_NOTE}")
    else:
        typer.echo(format_coverage(coverage))
        typer.echo(format_shared_errors(pairs))


def _caught_pairs(dataset: list[str], metric: list[str] | None) -> dict[str, Values]:
    found = read_scored_samples(dataset)
    found = select_metrics(found, metric) if metric else found
    return caught_pairs(found, found.columns)
