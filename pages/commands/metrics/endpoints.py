"""`cli.py endpoints`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from core.errors import Problem, attempt
from core.models import (
    Endpoint,
    Spend,
    SpendTracker,
    capability_store,
    check_endpoint,
    endpoint_problem,
    format_capabilities,
    format_limits,
    format_spend,
    issue_text,
    list_endpoints,
    read_unknown,
)
from core.settings import Settings
from pages.commands.shared.messages import print_status

EXAMPLE = "python cli.py endpoints --probe"


def command(
    probe: Annotated[
        bool, typer.Option("--probe", help="Ask each model a few short questions, and keep what its server takes.")
    ] = False,
    unknown: Annotated[
        bool,
        typer.Option(
            "--unknown", help="Write the refusals that Touchstone cannot sort as text for an issue, without keys."
        ),
    ] = False,
) -> None:
    """List the endpoints: address, model, limits, prices, what was spent, what they take, and the models that they serve."""
    if unknown:
        refusals = read_unknown(Settings.read().cache_dir)
        typer.echo("\n".join(map(issue_text, refusals)) or "No endpoint has refused a question in an unknown form.")
        if refusals:
            print_status("Keys are left out. Read it before you post it: a server may repeat parts of a question.")
        return

    # imported when asked for: openai takes a second to import
    from core.models import client_for

    endpoints = list_endpoints()
    spent = SpendTracker(Settings.read().cache_dir).total()
    for endpoint in endpoints:
        if not isinstance(endpoint, Endpoint):
            typer.echo(endpoint)
            continue
        served = attempt(client_for(replace(endpoint, retries=0, patience_s=min(endpoint.patience_s, 10.0))).models)
        typer.echo(
            f"{endpoint.title:12} {endpoint.base_url} · model {endpoint.model or 'not set'} · {format_limits(endpoint)}"
        )
        typer.echo(f"{'':12} spent so far: {format_spend(spent.get(endpoint.name, Spend()))}")
        typer.echo(f"{'':12} {served.error if isinstance(served, Problem) else 'serves ' + ', '.join(served)}")
        for finding in check_endpoint(endpoint) if probe and endpoint.model else ():
            typer.echo(f"{'':12} {'✓' if finding.works else '✗'} {finding.what}: {finding.message}")
        capabilities = capability_store().get(endpoint, endpoint.model)
        forms = capability_store().forms(endpoint, endpoint.model)
        if capabilities or forms:
            typer.echo(f"{'':12} known of {endpoint.model}: {format_capabilities(capabilities, forms)}")
    if not endpoints:
        typer.echo(endpoint_problem())
