"""A command that has to succeed, and the lines that it wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from cli import app


def run(*arguments: str | Path, status: int = 0) -> Result:
    """The command, which ends with this status: 1 where something that it asked for failed."""
    done = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == status, done.output
    return done


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
