"""`cli.py score`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from core.dataset import Refusal
from core.datasets.pairs import Pairs
from core.engine import Engine
from core.llm.addressee import SOURCE
from core.llm.words import told_spent
from core.metric import METRICS
from core.report import as_record
from core.settings import Settings
from core.types import Example, Failure, Outcome
from pages.terminal.fetching import fetch
from pages.terminal.files import begun, examples_of, keep_apart, opened
from pages.terminal.options import OnDevice
from pages.terminal.saying import followed, say, say_estimate


def command(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL, one object per pair and metric.")],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    device: OnDevice = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="Print questions asked, forward passes, tokens, as JSON.")
    ] = False,
    retrieve: Annotated[
        str | None, typer.Option(help="k=3,w=1: put retrieval with these settings around every metric named.")
    ] = None,
) -> None:
    """Score every pair of a file with every metric named. Broken lines are named and leave exit status 2."""
    chosen = [METRICS.parse(spec if retrieve is None else f"retrieve[{retrieve},metric={spec}]") for spec in metric]
    settings = Settings.read()
    keep_apart(pairs, output)
    refusals: list[Refusal] = []
    examples = begun(examples_of(pairs, refusals))
    started = time.perf_counter()
    with closing(Engine.open(settings.model_copy(update={"device": device or settings.device}))) as engine:
        fetch(engine.pool, chosen)
        if any(checkpoint.source == SOURCE for one in chosen for checkpoint in one.checkpoints()):
            read = (item.example for item in Pairs().read(pairs) if not isinstance(item, Refusal))
            say_estimate(engine, engine.talks(chosen, read))
        failures = _write(output, engine.run(chosen, examples))
    if failures:
        say(f"Scores that failed: {failures}. The field `error` in {output} says why.")
    spent = engine.spent()
    if spent:
        say(f"Spent: {told_spent(spent)}.")
    if stats:
        paid = {"endpoints": {name: asdict(one) for name, one in spent.items()}} if spent else {}
        seconds = round(time.perf_counter() - started, 3)
        typer.echo(json.dumps({**asdict(engine.counts()), "seconds": seconds, **paid}))
    if refusals:
        raise typer.Exit(2)


def _write(output: Path, outcomes: Iterable[tuple[Example, Outcome]]) -> int:
    """Write a line for each outcome as it comes; the number of failures among them."""
    failures = 0
    with opened(output) as file:
        for example, outcome in followed(outcomes, "scores"):
            file.write(json.dumps(as_record(example, outcome), ensure_ascii=False, allow_nan=False) + "\n")
            failures += isinstance(outcome, Failure)
    return failures
