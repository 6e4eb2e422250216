"""`cli.py endpoints`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from core.errors import Problem, attempt
from core.models.llm.endpoint_setup import check_endpoint
from core.models.llm.endpoints.capabilities import capability_store, format_capabilities
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.endpoints.endpoints import endpoint_problem, list_endpoints
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.spend import Spend, format_limits, format_spend
from core.settings import Settings

GROUP = "Metrics"
EXAMPLE = "python cli.py endpoints --probe"


def command(
    probe: Annotated[
        bool, typer.Option("--probe", help="Ask each model three short questions, and keep what its server takes.")
    ] = False,
) -> None:
    """List the endpoints: address, model, limits, prices, what was spent, what they take, and the models that they serve."""
    # imported when asked for: openai takes a second to import
    from core.models.llm.client.client import client_for

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
        for finding in check_endpoint(one) if probe and one.model else ():
            typer.echo(f"{'':12} {'✓' if finding.works else '✗'} {finding.what}: {finding.message}")
        if known := capability_store().get(one, one.model):
            typer.echo(f"{'':12} known of {one.model}: {format_capabilities(known)}")
    if not found:
        typer.echo(endpoint_problem())
