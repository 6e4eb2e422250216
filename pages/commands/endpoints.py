"""`cli.py endpoints`."""

from __future__ import annotations

from dataclasses import replace

import typer

from core.errors import Problem, attempt
from core.llm.budget import SpendTracker
from core.llm.endpoints import Endpoint, endpoint_problem, list_endpoints
from core.llm.spend import Spend, format_limits, format_spend
from core.settings import Settings


def command() -> None:
    """List the endpoints: address, model, limits, prices, what was spent, and the models that they say they serve."""
    # imported when asked for: openai takes a second to import
    from core.llm.client import client_for

    found = list_endpoints()
    spent = SpendTracker(Settings.read().cache_dir).total()
    for one in found:
        if not isinstance(one, Endpoint):
            typer.echo(one)
            continue
        served = attempt(client_for(replace(one, retries=0, patience_s=min(one.patience_s, 10.0))).models)
        typer.echo(f"{one.title:12} {one.base_url} · model {one.model or 'not set'} · {format_limits(one)}")
        typer.echo(f"{'':12} spent so far: {format_spend(spent.get(one.name, Spend()))}")
        typer.echo(f"{'':12} {served.message if isinstance(served, Problem) else 'serves ' + ', '.join(served)}")
    if not found:
        typer.echo(endpoint_problem())
