"""`python -m tests.e2e.prepared`: a process that has imported all that a server imports, and forks servers on demand.

Each line of its input is an order in JSON; the process id of the server is the answer. It ends with its input.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module, reload
from pathlib import Path
from typing import Any

import huggingface_hub.constants
from streamlit.web import cli

import core.models.adapters
import core.scoring.metrics
from pages.server import startup

VIEWS = Path(startup.__file__).parents[1] / "views"
ADAPTERS = ("bertscore", "sentence_embedding", "sequence_classifier", "token_count", "word_support")
LATER = (
    "streamlit.web.server.app_discovery",
    "streamlit.web.server.starlette.starlette_server",
    *(f"core.models.adapters.{name}" for name in ADAPTERS),
)
"""Modules that a server imports in functions, some of them once a model is loaded."""


def import_everything() -> None:
    for part in (startup.PAGES, startup.METRICS, *sorted(view.stem for view in VIEWS.glob("*.py"))):
        startup._import(part)  # in this thread: a thread would not live on in a fork
    for module in LATER:
        import_module(module)


def add_plugins(folder: Path) -> None:
    """Put the metrics and adapters of a folder beside our own; the registry of metrics was filled before."""
    for package, plugins in ((core.scoring.metrics, folder / "metrics"), (core.models.adapters, folder / "adapters")):
        package.__path__.append(str(plugins))
    for module in (folder / "metrics").glob("*.py"):
        import_module(f"core.scoring.metrics.{module.stem}")


def read_environment() -> None:
    """Read again the variables that are read by Python and by the library of the hub while they are imported."""
    sys.path[:0] = [folder for folder in os.environ["PYTHONPATH"].split(os.pathsep) if folder not in sys.path]
    reload(huggingface_hub.constants)


def become_server(order: dict[str, Any]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.environ.clear()
    os.environ.update(order["environment"])
    read_environment()
    if order["plugins"]:
        add_plugins(Path(order["plugins"]))
    sys.argv = ["streamlit", *order["words"]]
    cli.main()


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # servers that have ended are forgotten at once
    import_everything()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            become_server(json.loads(line))
            break
        print(pid, flush=True)  # noqa: T201
