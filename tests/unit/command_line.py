"""The command line as a test runs it, in this process."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner, Result

from cli import app


def run(*arguments: object) -> Result:
    """What a command did, whether it succeeded or not."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def done(*arguments: object) -> str:
    """What a command printed that has to succeed."""
    result = run(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def rows_of(dataset: str, *more: object) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of `study measures --by error_type --json` for a dataset, by metric and slice; a figure by its name is its value."""
    report = json.loads(done("study", "measures", "--dataset", dataset, "--by", "error_type", "--json", *more))
    assert report["data"]["datasets"] == [dataset]
    return {(row["metric"], row["slice"]): flat_row(row) for row in report["tables"]["measures"]}


def flat_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose figures are their values, with `<name>_low` and `<name>_high` beside them, and whole under "figures"."""
    figures = {name: cell for name, cell in row.items() if isinstance(cell, dict)}
    bounds = {f"{name}_{bound}": cell[bound] for name, cell in figures.items() for bound in ("low", "high")}
    return {**row, **{name: cell["value"] for name, cell in figures.items()}, **bounds, "figures": figures}
