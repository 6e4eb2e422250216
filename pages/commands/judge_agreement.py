"""`cli.py judge-agreement`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from core.errors import TouchstoneError
from core.explanations.cases import read_judged, read_judgements
from core.explanations.judge_agreement import (
    GradePair,
    agreement_among_judges,
    agreement_record,
    agreement_table,
    agreement_with_people,
    merge_judged,
    panel_agreement_record,
    panel_agreement_table,
)
from core.stats.bootstrap import RESAMPLES


def command(
    files: Annotated[list[Path], typer.Argument(help="What `judge` wrote of explanations that people graded, too.")],
    resamples: Annotated[int, typer.Option(min=1, help="Of the documents, for the intervals.")] = RESAMPLES,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list.")] = False,
) -> None:
    """Report how far judges of explanations agree with people (correlation, balanced accuracy, kappa) and with one another."""
    found: dict[str, list[GradePair]] = {}
    for file in files:
        for signature, compared in read_judgements(file).items():
            found.setdefault(signature, []).extend(compared)
    judged = merge_judged(one for file in files for one in read_judged(file))
    among = agreement_among_judges(judged, resamples)
    if not found and not among:
        raise TouchstoneError(
            "No person graded any of these explanations, and no second judge did. Judge some that have a grade under "
            "“human”, or have another model judge them, too."
        )
    figures = {signature: agreement_with_people(compared, resamples) for signature, compared in found.items()}
    if as_json:
        report = [agreement_record(signature, found[signature], of_judge) for signature, of_judge in figures.items()]
        report += [panel_agreement_record(judged, among)] if among else []
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
        return
    tables = [agreement_table(signature, found[signature], of_judge) for signature, of_judge in figures.items()]
    typer.echo("\n\n".join([*tables, *([panel_agreement_table(judged, among)] if among else [])]))
