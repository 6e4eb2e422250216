"""The files of the project as the tests of its rules read them: each is read and parsed once a session."""

from __future__ import annotations

import ast
import io
import tokenize
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("annotations", "core", "pages", "tests")
ENTRIES = ("app.py", "cli.py", "touchstone.py")
FILES = [
    *(path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))),
    *(ROOT / entry for entry in ENTRIES),
]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


TESTS = [path for path in FILES if name_of(path).startswith("tests/")]
SHIPPED = [path for path in FILES if path not in TESTS]


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of the file, the module first."""
    return tuple(ast.walk(ast.parse(text(path))))


def module(path: Path) -> ast.Module:
    first = nodes(path)[0]
    assert isinstance(first, ast.Module)
    return first


@cache
def comments(path: Path) -> tuple[str, ...]:
    tokens = tokenize.generate_tokens(io.StringIO(text(path)).readline)
    return tuple(token.string for token in tokens if token.type == tokenize.COMMENT)


def listed(offenders: list[str]) -> str:
    """All of them, one a line: pytest itself would show the first only."""
    return "\n".join(["", *offenders])
