"""What commands print beside their results, on stderr: messages, estimates, and the progress of scores and downloads."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import typer

from core.background import Progress
from core.dataset import ImportCounts
from core.engine.conversation import Conversation
from core.engine.engine import Engine
from core.errors import Problem, attempt
from core.llm.spend import format_estimate
from core.metric import Metric
from core.models.files import ModelStatus
from core.models.pool import ModelPool
from core.nli_check import NliCheck
from core.stress.run import Run, RunRecord
from core.types import Checkpoint, Item, T, local_checkpoints


def print_status(text: str, end: str = "\n") -> None:
    typer.echo(text, err=True, nl=end == "\n")


def with_progress(found: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The same; says at most every second how many came."""
    said, told = time.monotonic(), False
    for number, one in enumerate(found, start=1):
        yield one
        if time.monotonic() - said >= 1:
            said, told = time.monotonic(), True
            print_status(f"\r  {number:,}{'' if total is None else f' of {total:,}'} {what}", end="")
    if told:
        print_status("")


def show_run_progress(run: Run, records: Iterable[RunRecord]) -> None:
    """Say how far a run is, at most every second."""
    started, before, said = time.monotonic(), run.done, 0.0
    for _ in records:
        now = time.monotonic() - started
        if now - said >= 1:
            said = now
            print_status(f"\r  {Progress(run.done, run.total, (run.done - before) / now, running=True)}   ", end="")
    print_status(f"\r  {run.done} of {run.total} scores in {time.monotonic() - started:.0f} s")


def print_estimate(engine: Engine, talks: Iterable[Conversation[Any]]) -> None:
    """Print the most that endpoints will be asked; a run whose endpoint is not set reports that by itself."""
    found = attempt(lambda: format_estimate(engine.estimate(talks)))
    if not isinstance(found, Problem) and found:
        print_status(f"Estimate: {found}.")


def with_read_count(items: Iterable[Item], tally: ImportCounts) -> Iterator[Item]:
    """The same items; says at most every second how many came."""
    said = time.monotonic()
    for item in items:
        if time.monotonic() - said >= 1:
            said = time.monotonic()
            print_status(f"\r  {tally.samples} samples read", end="")
        yield item


def format_row_counts(counts: Mapping[str, int]) -> str:
    labels = f"{counts['label']} labels, {counts['response']} labels of campaigns"
    return f"{sum(counts.values())} rows, among them {counts['item']} texts, {labels}"


def download_models(pool: ModelPool, chosen: Iterable[Metric | NliCheck]) -> None:
    """Download what metrics and NLI checks need; what cannot be downloaded fails its own scores later, with the reason."""
    needed = local_checkpoints(model for one in chosen for model in one.checkpoints())
    for checkpoint in dict.fromkeys(needed):
        if pool.state(checkpoint).status is ModelStatus.NEEDS_DOWNLOAD:
            print_status(f"Downloading {checkpoint.source} …")
            pool.fetch(checkpoint)
            _show_download(pool, checkpoint)


def _show_download(pool: ModelPool, checkpoint: Checkpoint) -> None:
    while (state := pool.state(checkpoint)).status is ModelStatus.DOWNLOADING:
        print_status(f"\r  {100 * (state.progress or 0):3.0f} % {state.message}", end="")
        time.sleep(0.5)
    print_status(f"\r  {state.message or state.status}")
