"""`cli.py explanation-report`."""

from __future__ import annotations

import typer

from core.errors import TouchstoneError
from core.meta.explanation_scores import explainer_scores, format_explainers
from core.meta.measures import draw_resamples
from core.stats.bootstrap import RESAMPLES
from pages.commands.shared.inputs import DatasetsOption, ResamplesOption, read_samples


def command(dataset: DatasetsOption, resamples: ResamplesOption = RESAMPLES) -> None:
    """Report how well models find and explain errors, from graded explanations: DA, DS, ES and JS."""
    found = read_samples(dataset)
    explainers = list(explainer_scores(found, draw_resamples(found, resamples)))
    if not explainers:
        raise TouchstoneError(
            f"No explanation is graded in {', '.join(dataset)}. Import or label some, then ask again."
        )
    typer.echo(format_explainers(explainers))
