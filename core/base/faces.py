"""The face of a wing, whose names are loaded once they are taken; and parsing that threads may do at once."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import Lock

_PARSING = Lock()


def parse_source(text: str) -> ast.Module:
    """Parse the text of a module, one thread at a time. Raises SyntaxError.

    Python 3.11 counts the depth of all trees that threads make at once together, and raises SystemError where the sum is off.
    """
    with _PARSING:
        return ast.parse(text)


def parse_expression(text: str) -> ast.expr:
    """Parse the text of one expression as `parse_source` does that of a module. Raises SyntaxError."""
    with _PARSING:
        return ast.parse(text, mode="eval").body


def open_face(file: str, package: str) -> Callable[[str], object]:
    """The `__getattr__` of a wing: loads a name that its `__init__.py` imports `if TYPE_CHECKING`, once it is asked for.

    So the names are listed once, mypy and readers see plain imports, and whoever takes one name loads one module (PEP 562).
    """
    modules = {
        alias.name: node.module
        for node in ast.walk(parse_source(Path(file).read_text(encoding="utf-8")))
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
