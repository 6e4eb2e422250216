"""`cli.py threshold`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from annotations.store import Store
from core.engine.engine import Engine
from core.errors import TouchstoneError
from core.gate.results_file import column_of, side_of_outcomes
from core.gate.threshold_file import fit_threshold, format_threshold, write_threshold
from core.meta.measures import affordable_resamples, draw_resamples
from core.metric import METRICS
from core.settings import Settings
from pages.commands.shared.audit_data import open_audit_data
from pages.commands.shared.messages import download_models, print_estimate, with_progress
from pages.commands.shared.options import DeviceOption


def command(
    metric: Annotated[str, typer.Argument(help="name or name[setting=value,…].")],
    data: Annotated[
        list[str], typer.Option(help="Labelled data: datasets, campaigns, own labels, bundled, or a file of pairs.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The threshold, JSON, for `score --threshold`.")],
    device: DeviceOption = None,
) -> None:
    """Choose a metric's threshold on labelled data, check it on documents that it was not chosen on, and keep it in a file."""
    parsed, settings = METRICS.parse(metric), Settings.read().on(device)
    if parsed.card.direction == "neutral":
        raise TouchstoneError(f"{parsed.spec} has no better side, so that it has no threshold.")
    with closing(Store.open(settings.database_url)) as store, closing(Engine.open(settings)) as engine:
        found = open_audit_data(store, data, None, 0)
        download_models(engine.pool, [parsed])
        print_estimate(engine, engine.conversations([parsed], found.texts))
        outcomes = [one for _, one in with_progress(engine.run([parsed], found.texts), "scores", len(found.texts))]
        cases = found.cases_of(outcomes)
    column = column_of(cases, side_of_outcomes(parsed.spec, outcomes))
    alone = replace(cases, columns=(column,), separate=())
    threshold = fit_threshold(output.name, alone, found.facts, draw_resamples(cases, affordable_resamples(cases)))
    write_threshold(output, threshold)
    typer.echo(format_threshold(threshold))
