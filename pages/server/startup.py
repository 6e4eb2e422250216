"""Imports of a server in the background, in the order in which its first visitor needs them.

One thread imports and pages wait for it: two that import libraries with import cycles at the same time get half-made modules.
"""

from __future__ import annotations

import ast
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path

from core.base import parse_source

PAGES, METRICS = "pages", "metrics"
"""Parts that every page needs to begin, and that scores need; every other part is a page by the name of its file."""

_MAIN = Path(__file__).parents[1] / "main.py"
_VIEWS = _MAIN.with_name("views")
_FIRST_VIEW = "probe"  # where the bare address leads

first_page_drawn = threading.Event()
"""Set when the first run of a page has ended; what nobody waits for is loaded after it, and does not slow it down."""

_importer = ThreadPoolExecutor(1, "startup")


def begin() -> None:
    """Import what the first visitor needs; called once by the server."""
    for part in (PAGES, METRICS, _FIRST_VIEW):
        _loading(part)


def load(part: str) -> None:
    """Wait until a part is imported."""
    _loading(part).result()


def is_loaded(part: str) -> bool:
    """True once a part is imported: then nobody has to be shown that it loads."""
    return _loading(part).done()


def load_other_pages() -> None:
    """Wait until the first page of the server is drawn, and import the others one by one.

    Functions that draw tables import pandas themselves, so that a server of which nobody has seen one does without: 65 MB.
    """
    first_page_drawn.wait()
    for view in sorted(_VIEWS.glob("*.py")):
        load(view.stem)


@cache
def _loading(part: str) -> Future[None]:
    return _importer.submit(_import, part)


def _import(part: str) -> None:
    if part == METRICS:
        from core.scoring import METRICS as metrics
        from core.text import sentences

        sentences("The first sentence loads NLTK. It takes a moment.")
        metrics.names()
    else:
        file = _MAIN if part == PAGES else _VIEWS / f"{part}.py"
        for node in ast.walk(parse_source(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                module = import_module(node.module)
                for alias in node.names:
                    getattr(module, alias.name, None)  # a wing loads a name when it is asked for it
