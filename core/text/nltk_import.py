"""NLTK imported without SciPy and scikit-learn, which take 170 MB and a second for what nothing here uses."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder


def import_nltk() -> None:
    """Import NLTK, called before any name is taken from it. Threads that come at once wait for the first of them."""
    with _absent("scipy", "sklearn"):
        import_module("nltk")


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
