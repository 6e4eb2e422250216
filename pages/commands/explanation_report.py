"""`cli.py explanation-report`."""

from __future__ import annotations

import typer

from core.cases.measures import draw_resamples
from core.errors import TouchstoneError
from core.explanations.explainer_scores import explainer_scores, format_explainers, judged_explanations, scores_by_judge
from core.explanations.judge_agreement import agreement_among_judges, panel_agreement_table
from core.stats.bootstrap import RESAMPLES
from pages.commands.shared.inputs import read_samples
from pages.commands.shared.options import DatasetsOption, ResamplesOption


def command(dataset: DatasetsOption, resamples: ResamplesOption = RESAMPLES) -> None:
    """Report how well models find and explain errors, from graded explanations: DA, DS, ES and JS; by judge, too, where there are several."""
    found = read_samples(dataset)
    draws = draw_resamples(found, resamples)
    explainers = list(explainer_scores(found, draws))
    if not explainers:
        raise TouchstoneError(
            f"No explanation is graded in {', '.join(dataset)}. Import or label some, then ask again."
        )
    by_judge = list(scores_by_judge(found, draws))
    judged = judged_explanations(found)
    among = agreement_among_judges(judged, resamples)
    tables = [format_explainers(explainers), *([format_explainers(by_judge)] if by_judge else [])]
    typer.echo("\n\n".join([*tables, *([panel_agreement_table(judged, among)] if among else [])]))
