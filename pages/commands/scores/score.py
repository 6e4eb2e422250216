"""`cli.py score`."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.data import Refusal
from core.errors import TouchstoneError
from core.evaluation import OwnThreshold
from core.model_reference import asks_endpoint
from core.results import Folder, ScoringJob, Shard, plan_sentences
from core.scoring import METRICS, JsonRecord, json_line, outcome_record
from core.settings import Settings
from core.stats import align_columns
from core.text import find_mark
from core.types import Failure, Result
from pages.commands.shared.block_scoring import BlockPlan, Workers, plan_blocks, progress_record, score_blocks
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

_MARK_OF_1 = "The mark is 1 of 100"  # begins the note of a judge's mark that may be from 0 to 1

EXAMPLE = "python cli.py score pairs.jsonl --metric rouge2 --metric bleu -o scores.jsonl"

_PRINTED = ("id", "metric", "score", "consistent", "error")


def command(
    pairs: Annotated[
        str,
        typer.Argument(help="JSONL or CSV with id, document, summary; or a folder of blocks, or its URL with --to."),
    ],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="JSONL, one object per pair and metric; without it a table of scores is printed."
        ),
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
        int | None,
        typer.Option(min=1, help="Of blocks: so many worker processes, spread over the GPUs (with --cluster: actors)."),
    ] = None,
    cluster: Annotated[str, typer.Option(help="Of blocks: a Ray cluster, auto or ray://HOST:PORT.")] = "",
    executor: Annotated[
        str,
        typer.Option(
            metavar="FORM=URL",
            help="Of blocks: a server that computes the networks of the metrics, as vllm-score=http://localhost:8000; forms: "
            "vllm-score, vllm-rerank, tei-rerank, tei-predict. A share of the pairs is scored here too.",
        ),
    ] = "",
    gpus_per_worker: Annotated[float, typer.Option(min=0, help="Of a Ray cluster, as 0.5.")] = 0.0,
    plan: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Of blocks: score so many, drawn by --seed, and say how long the whole run takes and what it costs, with "
            "intervals; prices of endpoints are not in it. Without --plan it goes on with the others.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of a plan: the same seed draws the same blocks.")] = 0,
    fleet: Annotated[
        int | None,
        typer.Option(
            min=1, help="Of a plan: workers of the whole run, of the same kind; by default those of the sample."
        ),
    ] = None,
    all_pairs: Annotated[
        int | None,
        typer.Option(
            "--pairs", min=1, help="Of a plan: pairs of the whole run; by default those of the blocks that are left."
        ),
    ] = None,
    hourly: Annotated[
        float, typer.Option(min=0, help="Of a plan: price of a worker for an hour, in any currency.")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
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
    _check_places(pairs, output, to, executor)
    thresholds = list[OwnThreshold]()
    if threshold:
        from pages.sources.thresholds import open_thresholds  # few scores are compared with one

        thresholds = open_thresholds(Settings.read().database_url, threshold)
    if plan and not to:
        raise TouchstoneError("A plan is of blocks: name their folder, and a folder for the results with --to.")
    if not to:
        _score_file(Path(pairs), output, specs, thresholds, device, batch=batch, stats=stats)
        return
    if thresholds:
        raise TouchstoneError("--threshold decides on the scores of a file: leave out --to, and name a file with -o.")
    job = ScoringJob(Folder.at(pairs).url, Folder.at(to).url, tuple(specs), device or "", executor)
    if plan:
        run = plan_blocks(job, BlockPlan(plan, seed, workers or 1, fleet, all_pairs, hourly))
        typer.echo(json.dumps(run.record(), indent=1) if as_json else "\n".join(plan_sentences(run)))
        print_status("Intervals are over blocks: they hold for workers like these, as busy as now.")
        return
    progress = score_blocks(job, Workers(workers, cluster, gpus_per_worker, Shard.parse(shard)))
    if stats:
        typer.echo(json.dumps(progress_record(progress)))
    if progress.faults:
        print_status(f"Blocks that were not scored: {len(progress.faults)}. The same command tries them again.")
    exit_with_failures([], len(progress.faults))


def _check_places(pairs: str, output: Path | None, to: str | None, executor: str | None) -> None:
    """Raise TouchstoneError where input, output and options do not go together."""
    if output and to:
        raise TouchstoneError(
            "Name a file for the scores with -o, or a folder for the results of blocks with --to: not both."
        )
    if executor and not to:
        raise TouchstoneError("--executor is of blocks: name their folder, and a folder for the results with --to.")
    if not to and not output and Path(pairs).is_dir():
        raise TouchstoneError(f"{pairs} is a folder. Blocks are scored into another: name that one with --to.")
    if output:
        refuse_overwriting_input(Path(pairs), output)


def _score_file(
    pairs: Path,
    output: Path | None,
    specs: Sequence[str],
    thresholds: Sequence[OwnThreshold],
    device: str | None,
    *,
    batch: bool,
    stats: bool,
) -> None:
    """Write a line for each pair and metric as it comes, with the decisions of thresholds; without a file print them at the end."""
    settings, metrics = Settings.read().on(device), [METRICS.parse(spec) for spec in specs]
    started, refusals = time.perf_counter(), list[Refusal]()
    failed, unverified, marks_of_1 = 0, Counter[tuple[str, str]](), Counter[str]()
    examples = start_reading(read_examples(pairs, refusals))
    with open_engine(settings, batch) as engine:
        download_models(engine.pool, metrics)
        if any(asks_endpoint(metric.checkpoints()) for metric in metrics):
            readable = (item.example for item in items_or_refusals(pairs) if not isinstance(item, Refusal))
            print_estimate(engine, engine.conversations(metrics, readable))
        with _open_scores(output) as write:
            for example, outcome in with_progress(engine.run(metrics, examples), "scores"):
                record = outcome_record(example, outcome)
                for threshold in thresholds:
                    record = threshold.decide(record)
                write(record)
                failed += isinstance(outcome, Failure)
                if isinstance(outcome, Result) and (mark := find_mark(outcome.seen.notes)):
                    unverified[outcome.metric, mark] += 1
                if isinstance(outcome, Result) and any(note.startswith(_MARK_OF_1) for note in outcome.seen.notes):
                    marks_of_1[outcome.metric] += 1
    counts, spent = engine.counts(), engine.spent()
    seconds = round(time.perf_counter() - started, 3)
    for (spec, mark), count in unverified.items():
        print_status(f"{spec}: {count} scores are {mark}.")
    for spec, count in marks_of_1.items():
        print_status(
            f"{spec}: {count} marks are 1 of 100, and on a scale of 0 to 1 would be the best. Look at what the model answers, or set scale=5."
        )
    if failed:
        print_status(f"Scores that failed: {failed}. The field `error`{f' in {output}' if output else ''} says why.")
    print_spent(spent)
    if stats:
        usage = {"endpoints": {name: asdict(spend) for name, spend in spent.items()}} if spent else {}
        typer.echo(json.dumps({**asdict(counts), "seconds": seconds, **usage}))
    exit_with_failures(refusals, failed)


@contextmanager
def _open_scores(output: Path | None) -> Iterator[Callable[[JsonRecord], object]]:
    """Take records into the file, one by one; without one they are printed at the end."""
    if output:
        with open_output(output) as file:
            yield lambda record: file.write(json_line(record))
        return
    printed: list[JsonRecord] = []
    yield lambda record: printed.append({name: record.get(name) for name in _PRINTED})
    if printed:
        typer.echo(_format_scores(printed))


def _format_scores(records: Sequence[JsonRecord]) -> str:
    """Scores in aligned columns, those in which no record has anything left out; a control character of a text is a space."""
    columns = [name for name in _PRINTED if any(record[name] is not None for record in records)]
    lines = [[_cell(record[name]) for name in columns] for record in records]
    return align_columns([columns, *lines])


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4f}" if isinstance(value, float) else " ".join(str(value).split())
