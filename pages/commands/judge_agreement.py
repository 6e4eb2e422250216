"""`cli.py judge-agreement`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from core.errors import TouchstoneError
from core.explanations.cases import read_judgements
from core.explanations.judge_agreement import GradePair, agreement_record, agreement_table, agreement_with_people
from core.stats.bootstrap import RESAMPLES


def command(
    files: Annotated[list[Path], typer.Argument(help="What `judge` wrote of explanations that people graded, too.")],
    resamples: Annotated[int, typer.Option(min=1, help="Of the documents, for the intervals.")] = RESAMPLES,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list.")] = False,
) -> None:
    """Report how far judges of explanations agree with people: correlation, balanced accuracy and kappa, with intervals."""
    found: dict[str, list[GradePair]] = {}
    for file in files:
        for signature, compared in read_judgements(file).items():
            found.setdefault(signature, []).extend(compared)
    if not found:
        raise TouchstoneError("No person graded any of these explanations. Judge some that have a grade under “human”.")
    figures = {signature: agreement_with_people(compared, resamples) for signature, compared in found.items()}
    if as_json:
        report = [agreement_record(signature, found[signature], of_judge) for signature, of_judge in figures.items()]
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
        return
    typer.echo(
        "\n\n".join(agreement_table(signature, found[signature], of_judge) for signature, of_judge in figures.items())
    )
