"""`cli.py verify`."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from core.assessment.papers.published_scores import PUBLISHED, compare_published
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DeviceOption

GROUP = "Metrics"
EXAMPLE = "python cli.py verify rouge2"


def command(
    metric: Annotated[list[str] | None, typer.Argument(help="Names; all with published scores by default.")] = None,
    device: DeviceOption = None,
) -> None:
    """Compare our scores with those that authors print, on the weights at hand. A difference beyond the tolerance leaves exit status 1."""
    chosen = {METRICS.get(name).name for name in metric or []}
    published = [one for one in PUBLISHED if not chosen or one.metric in chosen]
    for name in sorted(chosen - {one.metric for one in PUBLISHED}):
        print_status(f"{name}: its authors print no score for an example that Touchstone knows of.")
    settings = Settings.read()
    with closing(Engine.open(settings.on(device))) as engine:
        found = []
        for one in compare_published(engine, published):
            head = f"{one.published.spec:28} published {one.published.value:9.5f}"
            if one.ours is None:
                comparison = f"{head}  {one.problem}"
            else:
                verdict = "agrees" if one.agrees else "DIFFERS"
                comparison = (
                    f"{head}  ours {one.ours:9.5f}  difference {one.difference:+.5f}  tolerance {one.published.tolerance:g}  "
                    f"{verdict}  ({one.published.source})"
                )
            typer.echo(comparison)
            found.append(one)
    scored = [one for one in found if one.ours is not None]
    apart = [one for one in scored if not one.agrees]
    print_status(f"{len(scored)} of {len(found)} compared, {len(apart)} beyond the tolerance.")
    if apart:
        raise typer.Exit(1)
