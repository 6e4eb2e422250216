"""`cli.py doctor`."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import Annotated

import typer

from core.assessment.catalog.metric_setup import missing_steps, setup_state, setup_steps
from core.models.pool import ModelPool
from core.scoring.metric import METRICS
from core.settings import Settings
from pages.commands.shared.messages import download_models
from pages.commands.shared.options import JsonOption

GROUP = "Metrics"
EXAMPLE = "python cli.py doctor questeval --download"


def command(
    metric: Annotated[
        list[str] | None, typer.Argument(help="name or name[setting=value,…]; all metrics by default.")
    ] = None,
    fetch: Annotated[bool, typer.Option("--download", help="Download what is missing and on the hub.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List what metrics need before their first score, and the command that gets each thing. What is missing leaves exit status 1."""
    settings = Settings.read()
    chosen = [METRICS.parse(spec) for spec in metric] if metric else [plugin() for plugin in METRICS]
    with closing(ModelPool(settings.device, settings.memory_budget, settings.cache_dir)) as pool:
        if fetch:
            download_models(pool, chosen)
        found = {one: setup_steps(one, pool) for one in chosen}
    if as_json:
        records = [
            {
                "metric": one.spec,
                "state": setup_state(one.card, [step for step in steps if not step.done and step.need != "memory"]),
                "licence": one.card.licence,
                "needs": [{key: value for key, value in asdict(step).items() if key != "download"} for step in steps],
            }
            for one, steps in found.items()
        ]
        typer.echo(json.dumps(records, ensure_ascii=False, indent=1))
    else:
        for one, steps in found.items():
            typer.echo(f"{one.spec}: {setup_state(one.card, missing_steps(one))}")
            for step in steps:
                if metric or not step.done:
                    typer.echo(
                        f"  {'here   ' if step.done else 'missing'} {step.need:9} {step.name}  {step.message}".rstrip()
                    )
            for line in dict.fromkeys(step.command for step in steps if step.command):
                typer.echo(f"  run: {line}")
            if downloads := [step for step in steps if step.download]:
                typer.echo(f"  run: cli.py doctor {one.spec} --download  ({len(downloads)} from the hub)")
            if metric and one.card.licence:
                typer.echo(f"  licence: {one.card.licence}")
    if any(not step.done for steps in found.values() for step in steps):
        raise typer.Exit(1)
