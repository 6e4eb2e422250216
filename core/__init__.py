"""The bench without a face: texts, edits, metrics, models and the engine that joins them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def open_face(file: str, package: str) -> Callable[[str], object]:
    """The `__getattr__` of a wing: loads a name that its `__init__.py` imports `if TYPE_CHECKING`, once it is asked for.

    So the names are listed once, mypy and readers see plain imports, and whoever takes one name loads one module (PEP 562).
    """
    modules = {
        alias.name: node.module
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"{package} gives others no {name!r}. What it gives is listed in its __init__.py.")
        value: object = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
