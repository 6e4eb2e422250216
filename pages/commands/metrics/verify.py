"""`cli.py verify`."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from core.assessment import PUBLISHED, compare_published
from core.scoring import METRICS, Engine
from core.settings import Settings
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DeviceOption

EXAMPLE = "python cli.py verify rouge2"


def command(
    metric: Annotated[list[str] | None, typer.Argument(help="Names; all with published scores by default.")] = None,
    device: DeviceOption = None,
) -> None:
    """Compare our scores with those that authors print, on the weights at hand. A difference beyond the tolerance leaves exit status 1."""
    names = {METRICS.get(name).name for name in metric or []}
    published = [entry for entry in PUBLISHED if not names or entry.metric in names]
    for name in sorted(names - {entry.metric for entry in PUBLISHED}):
        print_status(f"{name}: its authors print no score for an example that Touchstone knows of.")
    settings = Settings.read()
    with closing(Engine.open(settings.on(device))) as engine:
        results = []
        for result in compare_published(engine, published):
            head = f"{result.published.spec:28} published {result.published.value:9.5f}"
            if result.ours is None:
                comparison = f"{head}  {result.error}"
            else:
                verdict = "agrees" if result.agrees else "DIFFERS"
                comparison = (
                    f"{head}  ours {result.ours:9.5f}  difference {result.difference:+.5f}  tolerance {result.published.tolerance:g}  "
                    f"{verdict}  ({result.published.source})"
                )
            typer.echo(comparison)
            results.append(result)
    scored = [result for result in results if result.ours is not None]
    apart = [result for result in scored if not result.agrees]
    print_status(f"{len(scored)} of {len(results)} compared, {len(apart)} beyond the tolerance.")
    if apart:
        raise typer.Exit(1)
