"""`cli.py score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from core.errors import TouchstoneError
from core.results.bulk.blocks import Shard
from core.results.bulk.folder import Folder
from core.results.bulk.scorer import ScoringJob
from core.scoring.metric import METRICS
from core.settings import Settings
from pages.commands.shared.block_scoring import Workers, progress_record, score_blocks
from pages.commands.shared.file_scoring import score_file
from pages.commands.shared.messages import exit_with_failures, print_spent, print_status
from pages.commands.shared.options import BatchOption, DeviceOption
from pages.sources.thresholds import open_thresholds

GROUP = "Scores and perturbations"
EXAMPLE = "python cli.py score pairs.jsonl --metric rouge2 --metric bleu -o scores.jsonl"


def command(
    pairs: Annotated[
        str,
        typer.Argument(help="JSONL or CSV with id, document, summary; or a folder of blocks, or its URL with --to."),
    ],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="JSONL, one object per pair and metric.")
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="A folder of results, or its URL: scores the blocks that `blocks` made.")
    ] = None,
    device: DeviceOption = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="Print questions asked, forward passes, tokens, as JSON.")
    ] = False,
    retrieve: Annotated[
        str | None, typer.Option(help="k=3,w=1: put retrieval with these settings around every metric named.")
    ] = None,
    batch: BatchOption = False,
    shard: Annotated[
        str, typer.Option(help="Of blocks: K/N, part K of N counted from 0, as for a job of a Slurm array.")
    ] = "0/1",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Of blocks: so many worker processes (with --cluster: actors).")
    ] = None,
    cluster: Annotated[str, typer.Option(help="Of blocks: a Ray cluster, auto or ray://HOST:PORT.")] = "",
    gpus_per_worker: Annotated[float, typer.Option(min=0, help="Of a Ray cluster, as 0.5.")] = 0.0,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="A saved threshold, by its name or file: each score of its metric also says whether it is consistent."
        ),
    ] = None,
) -> None:
    """Score every pair of a file with every metric named. Broken lines are named and leave exit status 2, scores that failed 1.

    With --to RESULTS the pairs are a folder of blocks: each block becomes one file of results for each metric, and those
    that are there already are passed over. Scores that failed are rows; status 1 means that blocks were not scored.
    """
    specs = [spec if retrieve is None else f"retrieve[{retrieve},metric={spec}]" for spec in metric]
    if (output is None) == (to is None):
        raise TouchstoneError("Name a file for the scores with -o, or a folder for the results of blocks with --to.")
    thresholds = open_thresholds(Settings.read().database_url, threshold or [])
    if output:
        settings, metrics = Settings.read().on(device), [METRICS.parse(spec) for spec in specs]
        report = score_file(Path(pairs), output, metrics, thresholds, settings, batch)
        for (spec, mark), count in report.unverified.items():
            print_status(f"{spec}: {count} scores are {mark}.")
        if report.failed:
            print_status(f"Scores that failed: {report.failed}. The field `error` in {output} says why.")
        print_spent(report.spent)
        if stats:
            typer.echo(json.dumps(report.usage_record()))
        exit_with_failures(report.refusals, report.failed)
        return
    if thresholds:
        raise TouchstoneError("--threshold decides on the scores of a file: leave out --to, and name a file with -o.")
    job = ScoringJob(Folder.at(pairs).url, Folder.at(to or "").url, tuple(specs), device or "")
    progress = score_blocks(job, Workers(workers, cluster, gpus_per_worker, Shard.parse(shard)))
    if stats:
        typer.echo(json.dumps(progress_record(progress)))
    if progress.faults:
        print_status(f"Blocks that were not scored: {len(progress.faults)}. The same command tries them again.")
    exit_with_failures([], len(progress.faults))
