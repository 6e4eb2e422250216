"""`cli.py draw`."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from annotations.exchange.samples import dataset_references, load_samples
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.results.drawn import SUMMARY_QUESTIONS, CampaignDrawing
from annotations.store.store import Store
from core.results import DrawRequest, draw_samples
from core.settings import Settings
from core.stats import DrawWay
from pages.commands.shared.messages import print_status

EXAMPLE = "python cli.py draw own --name Harbour --way active --points 4 --metric word-support"

_COMMAND_LINE = Member("", "the command line", Role.MANAGER)


def command(
    dataset: Annotated[str, typer.Argument(help="An imported dataset, whose summaries are the pool.")],
    name: Annotated[str, typer.Option(help="Name of the new campaign.")],
    way: Annotated[
        DrawWay,
        typer.Option(
            help="Simple random; stratified by score (Neyman allocation); or active: by the uncertainty of each summary."
        ),
    ] = "active",
    points: Annotated[float, typer.Option(help="Stop when the interval of the rate is so narrow: ± points.")] = 4.0,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Draw by this metric of those with scores; may be repeated. All by default."),
    ] = None,
    overlap: Annotated[int, typer.Option(min=1, max=20, help="People who label each summary.")] = 1,
    questions: Annotated[
        str, typer.Option(help=f"The question set: {', '.join(SUMMARY_QUESTIONS)}.")
    ] = SUMMARY_QUESTIONS[0],
    assumed_rate: Annotated[
        float, typer.Option(help="Assumed share of inconsistent summaries in percent, where few have a label.")
    ] = 10.0,
    assumed_auc: Annotated[
        float, typer.Option(help="Assumed area under the ROC curve of the metrics in percent, where few have a label.")
    ] = 75.0,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="The same seed draws the same summaries.")] = 0,
) -> None:
    """Open a campaign of summaries that are drawn from a dataset with known probabilities, and that stops by itself."""
    request = DrawRequest(way, points / 100, assumed_rate / 100, assumed_auc / 100, seed)
    with closing(Store.open(Settings.read().database_url)) as store:
        [dataset] = dataset_references(store, [dataset])
        samples = draw_samples(load_samples(store, dataset), request, metric or ())
        of = (name, way, points, dataset, samples.metrics, samples.draw, samples.items)
        campaign = ManagerActions(store, _COMMAND_LINE).draw(CampaignDrawing(*of, overlap, questions))
    typer.echo(
        f"{campaign.name} is open: {len(samples.items):,} of {samples.draw.pool.size:,} summaries wait under Annotate, in the order of "
        "their draw."
    )
    print_status(
        f"It stops by itself at ± {points:g} points, after about {samples.draw.labels:,} labels by {samples.draw.basis}. Then: python cli.py study "
        f"prevalence --dataset {dataset} --dataset 'campaign: {campaign.name}'"
    )
