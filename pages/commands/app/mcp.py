"""`cli.py mcp`."""

from __future__ import annotations

from contextlib import ExitStack, closing
from importlib.util import find_spec
from typing import Annotated

import typer

from annotations.store.store import Store
from core.base import limit_folders
from core.errors import BadSettingError, TouchstoneError
from core.settings import Settings, secret
from pages.commands.shared.messages import print_status

EXAMPLE = "python cli.py mcp"


def command(
    token_from: Annotated[
        str,
        typer.Option(
            help="Of a shared server, over standard input: the variable, of the environment or .env, with the token of an account."
        ),
    ] = "",
    http: Annotated[
        bool,
        typer.Option("--http", help="Answer over HTTP at /mcp, where each call of a shared server sends its token."),
    ] = False,
    host: Annotated[
        str, typer.Option(help="With --http: the address to listen at; others than this machine for a shared server.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --http.")] = 8801,
) -> None:
    """Serve agents by the Model Context Protocol: score, perturb, explain, study and import as tools, the documents as resources.

    Over standard input and output, as an agent starts it; or over HTTP.
    """
    if find_spec("mcp") is None:
        raise TouchstoneError("The package mcp is not installed. Run: python -m pip install mcp==2.3.0")
    import uvicorn

    from pages.commands.shared.agent_tools import AgentTools, agent_app, agent_server

    settings = Settings.read()
    token = secret(token_from).get_secret_value() if token_from else ""
    if token_from and not token:
        raise BadSettingError(
            f"--token-from names {token_from}, which is not set. Set it in the environment or in .env."
        )
    if settings.shared and not http and not token:
        raise BadSettingError("This server is shared: put the token of an account into a variable: --token-from NAME.")
    if not settings.shared and http and host not in ("127.0.0.1", "::1", "localhost"):
        raise BadSettingError(f"Others can reach {host}, and nobody signs in here. Set TOUCHSTONE_SHARED=1.")
    limit_folders(settings.guest_folders)
    with ExitStack() as stack:
        store = stack.enter_context(closing(Store.open(settings.database_url))) if settings.shared else None
        tools = AgentTools(store, "" if http else token)
        if not http:
            tools.access(token)
            agent_server(tools).run("stdio")
            return
        print_status(f"http://{host}:{port}/mcp answers agents.")
        uvicorn.run(agent_app(tools, host), host=host, port=port, log_level="warning")
