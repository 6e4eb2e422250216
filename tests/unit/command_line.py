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
    """The rows of `meta --by error_type --json` for a dataset, by metric and slice."""
    report = json.loads(done("meta", "--dataset", dataset, "--by", "error_type", "--json", *more))
    assert report["dataset"] == dataset
    return {(row["metric"], row["slice"]): row for row in report["rows"]}
