"""`cli.py threshold`: no study but an action, as it scores texts and keeps the threshold that it chose."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from annotations.store.store import Store
from core.base import write_whole
from core.errors import TouchstoneError
from core.evaluation import (
    fit_threshold,
    fixed_threshold_sentences,
    format_threshold,
    threshold_json,
)
from core.results import affordable_resamples, draw_resamples
from core.scoring import METRICS, Engine
from core.settings import Settings
from pages.commands.shared.options import DeviceOption
from pages.commands.shared.text_scoring import open_score_store, score_labelled
from pages.sources.audit_data import open_audit_data
from pages.sources.thresholds import keep_threshold, kept_thresholds, require_free_name

EXAMPLE = "python cli.py threshold rouge2 --data labelled.jsonl --name own"


def command(
    metric: Annotated[
        str | None, typer.Argument(help="name or name[setting=value,…]; without one the saved thresholds are listed.")
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(help="Labelled data: datasets, campaigns, own labels, bundled, or a file of pairs."),
    ] = None,
    name: Annotated[
        str, typer.Option(help="Save it under this name, for `score`, `audit`, `compare` and the Audit page.")
    ] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write it to a file, JSON, for another machine.")
    ] = None,
    at: Annotated[
        float | None,
        typer.Option(
            help="Instead of a choice the figures of this threshold, with plain accuracy: 0.5, as papers take it."
        ),
    ] = None,
    device: DeviceOption = None,
) -> None:
    """Choose a metric's threshold on labelled data, check it on documents that it was not chosen on, and keep it by name or in a file."""
    if metric is None:
        with closing(Store.open(Settings.read().database_url)) as store:
            saved = kept_thresholds(store)
        if not saved:
            raise TouchstoneError("No threshold is saved. Save one: cli.py threshold METRIC --data DATASET --name NAME")
        typer.echo("\n\n".join(f"{name}\n{format_threshold(threshold)}" for name, threshold in saved.items()))
        return
    if at is not None and (name or output):
        raise TouchstoneError("--at gives the figures of a threshold and saves none. Leave out --name and -o.")
    if not data or not (name or output or at is not None):
        raise TouchstoneError(
            "Name the data, and the threshold or its file: threshold METRIC --data DATASET --name NAME"
        )
    parsed, settings = METRICS.parse(metric), Settings.read().on(device)
    if parsed.card.direction == "neutral":
        raise TouchstoneError(f"{parsed.spec} has no better side, so that it has no threshold.")
    with (
        closing(open_score_store(settings)) as store,
        closing(Engine.open(settings)) as engine,
    ):
        require_free_name(store, name)  # before hours of scoring
        audit_data = open_audit_data(store, data, None, 0)
        cases = score_labelled(engine, audit_data, [parsed])
        resamples = draw_resamples(cases, affordable_resamples(cases))
        if at is not None:
            typer.echo(fixed_threshold_sentences(at, cases, resamples))
            return
        threshold = fit_threshold(name or (output.name if output else ""), cases, audit_data.facts, resamples)
        if name:
            keep_threshold(store, threshold)
    if output:
        write_whole(output, threshold_json(threshold))
    typer.echo(format_threshold(threshold))
