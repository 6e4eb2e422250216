"""Messages of commands on stderr, besides their results: estimates, and the progress of scores and downloads."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import closing, contextmanager
from functools import partial
from threading import Event, Thread
from typing import Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from core.assessment import own_words_note
from core.edits import Perturbation
from core.errors import Problem, attempt
from core.model_reference import ModelRef, local_checkpoints
from core.models import (
    ModelPool,
    ModelStatus,
    Spend,
    format_estimate,
    format_spend_by_endpoint,
    missing_package,
    papers_with_words,
    waiting_endpoints,
)
from core.results import RunRecord, StressRun
from core.scoring import BatchWorker, Conversation, Engine, Metric, NliCheck
from core.settings import Settings
from core.types import T

_UPDATE_S = 0.5
_LINE_S = 10.0  # between two lines where there is no terminal


def print_status(text: str) -> None:
    # not typer.echo, which writes to the stream that a bar has replaced, into the line of the bar
    sys.stderr.write(f"{text}\n")


def print_own_words(specs: Iterable[str]) -> None:
    """Say of each paper in whose form something is used which of its words are not installed."""
    papers = {name for spec in specs for name in papers_with_words() if f"@{name}" in spec}
    for note in filter(None, map(own_words_note, sorted(papers))):
        print_status(note)


def with_progress(
    items: Iterable[T], what: str, total: int | None = None, done: Callable[[], int] | None = None
) -> Iterator[T]:
    """The same, with a bar on stderr that counts them, or a line now and then where stderr is no terminal.

    `done` gives the amount of what `total` counts, where not every item is one.
    """
    with _progress_bar(MofNCompleteColumn()) as bar:
        task, count, updated = bar.add_task(what, total=total), 0, time.monotonic()
        for item in items:
            yield item
            count += 1
            if time.monotonic() - updated >= _UPDATE_S:  # an update costs more than reading a row
                updated = time.monotonic()
                bar.update(task, completed=done() if done else count)
        bar.update(task, completed=done() if done else count)


def show_run_progress(run: StressRun, records: Iterable[RunRecord]) -> None:
    """Show how far a run is, and at the end how long it took."""
    started = updated = time.monotonic()
    with _progress_bar(MofNCompleteColumn()) as bar:
        task = bar.add_task("scores", completed=run.settled, total=run.planned)
        for _ in records:
            if time.monotonic() - updated >= _UPDATE_S:  # the total of a run is counted again at every call
                updated = time.monotonic()
                bar.update(task, completed=run.settled, total=run.planned)
    print_status(f"  {run.done} of {run.total} scores in {time.monotonic() - started:.0f} s")


class _WaitingColumn(ProgressColumn):
    """The endpoints that are waited for, and until when."""

    def render(self, task: Task) -> Text:  # noqa: ARG002  # of its base
        return Text("; ".join(waiting_endpoints()))


class _LinesElsewhere(Progress):
    """A bar on a terminal that leaves no line behind; elsewhere a line every ten seconds."""

    def start(self) -> None:
        super().start()
        if self.disable:
            self._ended = Event()
            # in a thread, as a model that loads keeps the caller from coming here
            Thread(target=self._tell, daemon=True).start()

    def stop(self) -> None:
        super().stop()
        if self.disable:
            self._ended.set()

    def _tell(self) -> None:
        amount = self.columns[0]
        while not self._ended.wait(_LINE_S):
            for task in self.tasks:
                counted = str(amount(task)).removesuffix("/?") if isinstance(amount, ProgressColumn) else ""
                waiting = "".join(f"; {endpoint}" for endpoint in waiting_endpoints())
                print_status(f"  {counted.strip()} {task.description}, {task.elapsed or 0.0:.0f} s{waiting}")


def _progress_bar(amount: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return _LinesElsewhere(
        amount,
        TextColumn("{task.description}", markup=False),
        _WaitingColumn(),
        BarColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
        redirect_stdout=False,  # results of commands are no part of the bar; messages stand above it
    )


@contextmanager
def open_engine(settings: Settings, batch: bool) -> Iterator[Engine]:
    """The engine, closed at the end of the block; with `batch` it asks endpoints by their Batch API."""
    with closing(Engine.open(settings, partial(BatchWorker, report=print_status) if batch else None)) as engine:
        try:
            yield engine
        except KeyboardInterrupt:
            if batch:
                print_status("What was submitted goes on. The same command collects it and submits nothing twice.")
            raise


def exit_with_failures(refusals: Sized, failed: int) -> None:
    """End the command with status 2 where lines could not be read, with 1 where something that was asked for failed."""
    if refusals or failed:
        raise typer.Exit(2 if refusals else 1)


def print_estimate(engine: Engine, conversations: Iterable[Conversation[Any]]) -> None:
    """Print the most that endpoints will be asked; a run whose endpoint is not set reports that by itself."""
    estimate = attempt(lambda: format_estimate(engine.estimate(conversations)))
    if not isinstance(estimate, Problem) and estimate:
        print_status(f"Estimate: {estimate}.")


def print_spent(spent: Mapping[str, Spend]) -> None:
    """Print what each endpoint was asked and what that cost; nothing where none was asked."""
    if spent:
        print_status(f"Spent: {format_spend_by_endpoint(spent)}.")


def format_row_counts(counts: Mapping[str, int]) -> str:
    labels = f"{counts['label']} labels, {counts['response']} labels of campaigns"
    return f"{sum(counts.values())} rows, among them {counts['item']} texts, {labels}"


def download_models(pool: ModelPool, plugins: Iterable[Metric | Perturbation | NliCheck]) -> None:
    """Download what metrics, perturbations and NLI checks need; what cannot be downloaded fails later, with the reason."""
    download_checkpoints(pool, [model for plugin in plugins for model in plugin.checkpoints()])


def download_checkpoints(pool: ModelPool, needed: Iterable[ModelRef]) -> None:
    """The same for models, of which those of endpoints need none."""
    for checkpoint in dict.fromkeys(local_checkpoints(needed)):
        if pool.state(checkpoint).status is ModelStatus.NEEDS_DOWNLOAD:
            if message := missing_package(checkpoint):
                print_status(f"{checkpoint.source} is not downloaded. {message}")
                continue
            print_status(f"Downloading {checkpoint.source} …")
            pool.fetch(checkpoint)
            with _progress_bar(TaskProgressColumn()) as bar:
                task = bar.add_task("", total=1.0)
                while (state := pool.state(checkpoint)).status is ModelStatus.DOWNLOADING:
                    bar.update(task, completed=state.progress or 0.0, description=state.message)
                    time.sleep(_UPDATE_S)
            print_status(f"  {state.message or state.status}")
