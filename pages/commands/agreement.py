"""`cli.py agreement`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from core.cases.measures import draw_resamples
from core.errors import TouchstoneError, UnknownNameError
from core.stats.bootstrap import RESAMPLES
from core.studies.annotator_agreement import agreement_record, annotator_agreements, format_agreements
from pages.commands.shared.inputs import read_samples
from pages.commands.shared.options import DatasetsOption, JsonOption, ResamplesOption


def command(
    dataset: DatasetsOption,
    aspect: Annotated[str | None, typer.Option(help="Only this aspect of those that were labelled.")] = None,
    resamples: ResamplesOption = RESAMPLES,
    as_json: JsonOption = False,
) -> None:
    """Report how far the annotators of imported data agree: alpha, AC1 and pairwise kappa by aspect, with intervals."""
    cases = read_samples(dataset)
    found = list(annotator_agreements(cases, draw_resamples(cases, resamples)))
    if not found:
        raise TouchstoneError(
            f"No two annotators labelled the same text in {', '.join(dataset)}. Import data with the labels of each annotator."
        )
    aspects = dict.fromkeys(one.aspect for one in found)
    if aspect and aspect not in aspects:
        raise UnknownNameError("aspect that several annotators labelled", aspect, aspects)
    shown = [one for one in found if aspect in (None, one.aspect)]
    if as_json:
        typer.echo(json.dumps([agreement_record(one) for one in shown], ensure_ascii=False, indent=1))
        return
    typer.echo(format_agreements(shown))
