"""What commands say beside their results, on stderr."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import typer

from core.engine import Engine
from core.intake import Tally
from core.job import Talk
from core.llm.words import told
from core.stress.conductor import Progress
from core.stress.records import Record, Run
from core.trouble import Trouble, attempt
from core.types import Item, T


def say(text: str, end: str = "\n") -> None:
    typer.echo(text, err=True, nl=end == "\n")


def followed(found: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The same; says at most every second how many came."""
    said, told = time.monotonic(), False
    for number, one in enumerate(found, start=1):
        yield one
        if time.monotonic() - said >= 1:
            said, told = time.monotonic(), True
            say(f"\r  {number:,}{'' if total is None else f' of {total:,}'} {what}", end="")
    if told:
        say("")


def watch(run: Run, records: Iterable[Record]) -> None:
    """Say how far a run is, at most every second."""
    started, before, said = time.monotonic(), run.done, 0.0
    for _ in records:
        now = time.monotonic() - started
        if now - said >= 1:
            said = now
            say(f"\r  {Progress(run.done, run.total, (run.done - before) / now, running=True)}   ", end="")
    say(f"\r  {run.done} of {run.total} scores in {time.monotonic() - started:.0f} s")


def say_estimate(engine: Engine, talks: Iterable[Talk[Any]]) -> None:
    """Say what endpoints will be asked, at most; a run whose endpoint is not set says so by itself."""
    found = attempt(lambda: told(engine.estimate(talks)))
    if not isinstance(found, Trouble) and found:
        say(f"To be asked: {found}.")


def counted(items: Iterable[Item], tally: Tally) -> Iterator[Item]:
    """The same items; says at most every second how many came."""
    said = time.monotonic()
    for item in items:
        if time.monotonic() - said >= 1:
            said = time.monotonic()
            say(f"\r  {tally.samples} samples read", end="")
        yield item


def told_rows(counts: Mapping[str, int]) -> str:
    labels = f"{counts['label']} labels, {counts['response']} labels of campaigns"
    return f"{sum(counts.values())} rows, among them {counts['item']} texts, {labels}"
