"""`cli.py density`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from core.engine.engine import Engine
from core.metric import METRICS
from core.runs.run import run_from_lines
from core.settings import Settings
from core.stats.text_tables import align_columns, format_unsigned
from core.studies.density import BINS, DensityBin, original_summaries, quantile_bins, score_sentences, variant_summaries
from pages.commands.shared.inputs import read_lines
from pages.commands.shared.messages import download_models, print_status
from pages.commands.shared.options import DeviceOption, JsonOption


def command(
    run: Annotated[Path, typer.Argument(help="A run that `stress` wrote.")],
    texts: Annotated[
        Literal["original", "preserving", "breaking", "gaming"],
        typer.Option(help="The summaries as they were, or the variants of one intent."),
    ] = "original",
    bins: Annotated[int, typer.Option(min=1, max=20, help="Bins of as many sentences each.")] = BINS,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how the metrics of a run score sentences by their information density (2511.07689)."""
    settings = Settings.read()
    read = run_from_lines(line for line in read_lines(run) if line)
    chosen = original_summaries(read) if texts == "original" else variant_summaries(read, texts)
    metrics = [METRICS.parse(spec) for spec in read.plan.metrics]
    with closing(Engine.open(settings.on(device))) as engine:
        download_models(engine.pool, metrics)
        scored = list(score_sentences(engine, metrics, chosen))
    found = {
        metric.spec: quantile_bins([one for one in scored if one.metric == metric.spec], bins, read.plan.seed)
        for metric in metrics
    }
    if as_json:
        record = {metric: [asdict(one) for one in made] for metric, made in found.items()}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=1))
    else:
        typer.echo(_format(found))
    for (metric, reason), count in Counter((one.metric, one.error) for one in scored if one.error).items():
        print_status(f"{metric}: {count} of {len(chosen)} texts: {reason}")


def _format(found: Mapping[str, Sequence[DensityBin]]) -> str:
    lines = [
        (metric, f"{one.low:.3f} to {one.high:.3f}", format_unsigned(one.score), str(one.score.n), str(one.documents))
        for metric, made in found.items()
        for one in made
    ]
    return align_columns([("metric", "density", "mean score", "sentences", "documents"), *lines])
