"""`cli.py endpoints`."""

from __future__ import annotations

from dataclasses import replace

import typer

from core.llm.endpoint import Endpoint, endpoints, missing_endpoint
from core.llm.ledger import Ledger, Spent
from core.llm.words import bill, limits
from core.settings import Settings
from core.trouble import Trouble, attempt


def command() -> None:
    """List the endpoints: address, model, limits, prices, what was spent, and the models that they say they serve."""
    # imported when asked for: openai takes a second to import
    from core.llm.client import client

    found = endpoints()
    spent = Ledger(Settings.read().cache_dir).spent()
    for one in found:
        if not isinstance(one, Endpoint):
            typer.echo(one)
            continue
        served = attempt(client(replace(one, retries=0, patience_s=min(one.patience_s, 10.0))).models)
        typer.echo(f"{one.title:12} {one.base_url} · model {one.model or 'not set'} · {limits(one)}")
        typer.echo(f"{'':12} spent so far: {bill(spent.get(one.name, Spent()))}")
        typer.echo(f"{'':12} {served.message if isinstance(served, Trouble) else 'serves ' + ', '.join(served)}")
    if not found:
        typer.echo(missing_endpoint())
