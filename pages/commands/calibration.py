"""`cli.py calibration`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from core.cases.cases import select_metrics
from core.cases.measures import draw_resamples
from core.errors import TouchstoneError
from core.stats.bootstrap import RESAMPLES
from core.studies.calibration import (
    CROSS_FITTED_NOTE,
    DOMAIN_FIELDS,
    FORMS_NOTE,
    LOSS_NOTE,
    calibration_record,
    calibrations,
    format_calibration,
    small_data_notes,
)
from pages.commands.shared.inputs import read_scored_samples
from pages.commands.shared.options import DatasetsOption, JsonOption, ResamplesOption


def command(
    dataset: DatasetsOption,
    by: Annotated[str, typer.Option(help=f"What the domains are: {', '.join(DOMAIN_FIELDS)}.")] = "domain",
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric of those with scores; may be repeated.")
    ] = None,
    resamples: ResamplesOption = RESAMPLES,
    as_json: JsonOption = False,
) -> None:
    """Calibrate each metric by isotonic regression, domain by domain, and show how thresholds transfer between domains."""
    found = read_scored_samples(dataset)
    found = select_metrics(found, metric) if metric else found
    calibrated = list(calibrations(found, by, draw_resamples(found, resamples)))
    if not any(one.usable for one in calibrated):
        reasons = dict.fromkeys(note for one in calibrated for note in small_data_notes(one))
        raise TouchstoneError("\n".join(["No metric can be calibrated in any domain.", *reasons]))
    if as_json:
        record = calibration_record(calibrated, dataset=" + ".join(dataset), by=by, resamples=resamples)
        typer.echo(json.dumps(record, ensure_ascii=False, indent=1))
        return
    typer.echo("\n\n\n".join(map(format_calibration, calibrated)))
    typer.echo("\n" + "\n".join([FORMS_NOTE, CROSS_FITTED_NOTE, LOSS_NOTE]))
