"""Imports of a server in the background, in the order in which its first visitor needs them.

One thread imports and pages wait for it: two that import libraries with import cycles at the same time get half-made modules.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from pathlib import Path

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
        from core.metric import METRICS as metrics
        from core.text import sentences

        with _absent("scipy", "sklearn"):  # NLTK imports them for what nobody needs here: 120 MB and two seconds
            import_module("nltk")
        sentences("The first sentence loads NLTK. It takes two seconds.")
        metrics.names()
    else:
        file = _MAIN if part == PAGES else _VIEWS / f"{part}.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                import_module(node.module)


class _Absent(MetaPathFinder):
    """Finds some packages missing in the thread that makes it; the others import them meanwhile as ever."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages = packages
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:  # noqa: ARG002  # as the import system calls it
        if name in self._packages and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def _absent(*packages: str) -> Iterator[None]:
    """Import as if some packages were not installed."""
    finder = _Absent(packages)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
