"""`cli.py run`."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from core.errors import TouchstoneError, explain_missing_module

EXAMPLE = "python cli.py run --port 8502"

_APP = Path(__file__).parents[3] / "app.py"


def command(
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, envvar="STREAMLIT_SERVER_PORT", help="Where the browser finds it."),
    ] = 8501,
) -> None:
    """Open the app, until Ctrl+C. Variables named STREAMLIT_… set the server, such as its address."""
    if find_spec("streamlit") is None:
        raise TouchstoneError(explain_missing_module("streamlit"))
    # the server takes the place of this process, so that a signal to it reaches the server
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", str(_APP), "--server.port", str(port)])
