"""`cli.py score`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.dataset import Refusal
from core.datasets.pairs import Pairs
from core.llm.spend import format_spend_by_endpoint
from core.metric import METRICS
from core.outcome_record import outcome_record
from core.settings import Settings
from core.types import Example, Failure, Outcome, asks_endpoint
from pages.commands.shared.inputs import (
    BatchOption,
    DeviceOption,
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
    print_status,
    with_progress,
)


def command(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per pair and metric.")],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    device: DeviceOption = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="Print questions asked, forward passes, tokens, as JSON.")
    ] = False,
    retrieve: Annotated[
        str | None, typer.Option(help="k=3,w=1: put retrieval with these settings around every metric named.")
    ] = None,
    batch: BatchOption = False,
) -> None:
    """Score every pair of a file with every metric named. Broken lines are named and leave exit status 2, scores that failed 1."""
    chosen = [METRICS.parse(spec if retrieve is None else f"retrieve[{retrieve},metric={spec}]") for spec in metric]
    settings = Settings.read()
    refuse_overwriting_input(pairs, output)
    refusals: list[Refusal] = []
    examples = start_reading(read_examples(pairs, refusals))
    started = time.perf_counter()
    with open_engine(settings.model_copy(update={"device": device or settings.device}), batch) as engine:
        download_models(engine.pool, chosen)
        if any(asks_endpoint(one.checkpoints()) for one in chosen):
            read = (item.example for item in Pairs().read(pairs) if not isinstance(item, Refusal))
            print_estimate(engine, engine.conversations(chosen, read))
        failures = _write_outcomes(output, engine.run(chosen, examples))
    if failures:
        print_status(f"Scores that failed: {failures}. The field `error` in {output} says why.")
    spent = engine.spent()
    if spent:
        print_status(f"Spent: {format_spend_by_endpoint(spent)}.")
    if stats:
        usage = {"endpoints": {name: asdict(one) for name, one in spent.items()}} if spent else {}
        seconds = round(time.perf_counter() - started, 3)
        typer.echo(json.dumps({**asdict(engine.counts()), "seconds": seconds, **usage}))
    exit_with_failures(refusals, failures)


def _write_outcomes(output: Path, outcomes: Iterable[tuple[Example, Outcome]]) -> int:
    """Write a line for each outcome as it comes; the number of failures among them."""
    failures = 0
    with open_output(output) as file:
        for example, outcome in with_progress(outcomes, "scores"):
            file.write(json.dumps(outcome_record(example, outcome), ensure_ascii=False, allow_nan=False) + "\n")
            failures += isinstance(outcome, Failure)
    return failures
