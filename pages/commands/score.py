"""`cli.py score`."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.bulk.blocks import Shard
from core.bulk.folder import Folder
from core.bulk.scorer import ScoringJob
from core.dataset import Refusal
from core.errors import TouchstoneError
from core.gate.threshold_file import OwnThreshold, read_threshold
from core.language import find_mark
from core.metric import METRICS
from core.outcome_record import json_line, outcome_record
from core.settings import Settings
from core.types import Example, Failure, Outcome, Result, asks_endpoint
from pages.commands.shared.block_scoring import Workers, progress_record, score_blocks
from pages.commands.shared.inputs import (
    items_or_refusals,
    open_output,
    read_examples,
    refuse_overwriting_input,
    start_reading,
)
from pages.commands.shared.messages import (
    download_models,
    exit_with_failures,
    open_engine,
    print_estimate,
    print_spent,
    print_status,
    with_progress,
)
from pages.commands.shared.options import BatchOption, DeviceOption


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
        list[Path] | None,
        typer.Option(help="A file of `threshold`: each score of its metric also says whether it is consistent."),
    ] = None,
) -> None:
    """Score every pair of a file with every metric named. Broken lines are named and leave exit status 2, scores that failed 1.

    With --to RESULTS the pairs are a folder of blocks: each block becomes one file of results for each metric, and those
    that are there already are passed over. Scores that failed are rows; status 1 means that blocks were not scored.
    """
    specs = [spec if retrieve is None else f"retrieve[{retrieve},metric={spec}]" for spec in metric]
    if (output is None) == (to is None):
        raise TouchstoneError("Name a file for the scores with -o, or a folder for the results of blocks with --to.")
    thresholds = [read_threshold(path) for path in threshold or ()]
    if output:
        _score_file(Path(pairs), output, specs, device, stats, batch, thresholds)
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


def _score_file(
    pairs: Path,
    output: Path,
    specs: Sequence[str],
    device: str | None,
    stats: bool,
    batch: bool,
    thresholds: Sequence[OwnThreshold],
) -> None:
    chosen = [METRICS.parse(spec) for spec in specs]
    settings = Settings.read()
    refuse_overwriting_input(pairs, output)
    refusals: list[Refusal] = []
    examples = start_reading(read_examples(pairs, refusals))
    started = time.perf_counter()
    with open_engine(settings.on(device), batch) as engine:
        download_models(engine.pool, chosen)
        if any(asks_endpoint(one.checkpoints()) for one in chosen):
            read = (item.example for item in items_or_refusals(pairs) if not isinstance(item, Refusal))
            print_estimate(engine, engine.conversations(chosen, read))
        failures, unverified = _write_outcomes(output, engine.run(chosen, examples), thresholds)
    for (metric, mark), count in unverified.items():
        print_status(f"{metric}: {count} scores are {mark}.")
    if failures:
        print_status(f"Scores that failed: {failures}. The field `error` in {output} says why.")
    spent = engine.spent()
    print_spent(spent)
    if stats:
        usage = {"endpoints": {name: asdict(one) for name, one in spent.items()}} if spent else {}
        seconds = round(time.perf_counter() - started, 3)
        typer.echo(json.dumps({**asdict(engine.counts()), "seconds": seconds, **usage}))
    exit_with_failures(refusals, failures)


def _write_outcomes(
    output: Path, outcomes: Iterable[tuple[Example, Outcome]], thresholds: Sequence[OwnThreshold]
) -> tuple[int, Counter[tuple[str, str]]]:
    """Write a line for each outcome as it comes; the number of failures among them, and of marks on languages by metric."""
    failures, unverified = 0, Counter[tuple[str, str]]()
    with open_output(output) as file:
        for example, outcome in with_progress(outcomes, "scores"):
            record = outcome_record(example, outcome)
            for threshold in thresholds:
                record = threshold.decide(record)
            file.write(json_line(record))
            failures += isinstance(outcome, Failure)
            if isinstance(outcome, Result) and (mark := find_mark(outcome.seen.notes)):
                unverified[outcome.metric, mark] += 1
    return failures, unverified
