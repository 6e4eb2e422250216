"""`cli.py score-dataset`."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from typing import Annotated

import typer

from annotations.exchange.samples import load_texts
from annotations.store.score_writes import SavedScores, format_saved_scores
from core.errors import TouchstoneError
from core.scoring import METRICS, Engine
from core.settings import Settings
from core.types import PRECOMPUTED, Failure
from pages.commands.shared.messages import download_models, print_status, with_progress
from pages.commands.shared.options import DeviceOption
from pages.commands.shared.text_scoring import open_score_store

EXAMPLE = "python cli.py score-dataset bump-task1 --metric rouge2"


def command(
    dataset: Annotated[str, typer.Argument(help="One of those that `datasets` lists.")],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    device: DeviceOption = None,
) -> None:
    """Score every text of a dataset and keep the scores in the database, beside the released ones."""
    if dataset == PRECOMPUTED:
        raise TouchstoneError(
            f"{dataset} is not in the database, which keeps scores. Import the examples first: cli.py import bundled"
        )
    metrics, settings = [METRICS.parse(spec) for spec in metric], Settings.read()
    with (
        closing(open_score_store(settings)) as store,
        closing(Engine.open(settings.on(device))) as engine,
    ):
        download_models(engine.pool, metrics)
        saved, failures = SavedScores(), 0
        results = with_progress(engine.run(metrics, load_texts(store, dataset)), "scores")
        while outcomes := [outcome for _, outcome in islice(results, 500)]:
            saved += store.save_outcomes(outcomes)
            failures += sum(isinstance(outcome, Failure) for outcome in outcomes)
    print_status(f"  {format_saved_scores(saved)}; {failures} of them failures with a reason")
