"""`cli.py score-dataset`."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from annotations.store.score_writes import format_saved_scores
from core.scoring import METRICS, Engine
from core.settings import Settings
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import DeviceOption
from pages.commands.shared.text_scoring import score_dataset

EXAMPLE = "python cli.py score-dataset bump-task1 --metric rouge2"


def command(
    dataset: Annotated[str, typer.Argument(help="One of those that `datasets` lists.")],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    device: DeviceOption = None,
) -> None:
    """Score every text of a dataset and keep the scores in the database, beside the released ones."""
    metrics = [METRICS.parse(spec) for spec in metric]
    with closing(Engine.open(Settings.read().on(device))) as engine:
        saved, failures = score_dataset(engine, dataset, metrics)
    print_status(f"  {format_saved_scores(saved)}; {failures} of them failures with a reason")
