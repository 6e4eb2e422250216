"""Faults of the system in every journey, one at a time, and what each leads to: done, untouched, resumable or broken;
or that it was not reached.

`python -m tests.faults` injects all of them, in processes for each core; `--seconds` as many as they allow, drawn by `--seed`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tests.doubles.process import start
from tests.faults.harness import Harness
from tests.faults.journeys import endpoint_journey, journeys
from tests.unit.core.models.llm.scripted import serving, text

_FOLDER = Path("/dev/shm")  # in memory: a disk would be waited for at every commit


def main(
    journey: Annotated[list[str] | None, typer.Option(help="Only this one; may be repeated.")] = None,
    seconds: Annotated[float, typer.Option(help="Stop after so long; 0 for all faults.")] = 0,
    each: Annotated[int, typer.Option(help="So many faults of each journey in each process; 0 for all.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the order of the faults.")] = 0,
    least: Annotated[int, typer.Option(help="Fail where fewer were injected.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes that inject them.")] = os.cpu_count() or 1,
    part: Annotated[int | None, typer.Option(help="Inject the part of one of these processes only.")] = None,
) -> None:
    names = journey or [journey.name for journey in [*journeys(), endpoint_journey("")]]
    if part is not None:
        verdicts, is_broken = inject_all(names, (part, workers), seconds / len(names), seed, each)
        typer.echo(json.dumps(verdicts))
        sys.exit(is_broken)
    began = time.monotonic()
    named = [argument for name in names for argument in ("--journey", name)]
    shared = (*named, "--seconds", str(seconds), "--seed", str(seed), "--each", str(each), "--workers", str(workers))
    with ThreadPoolExecutor(workers) as pool:
        results = list(
            pool.map(
                lambda number: _follow(start("-m", "tests.faults", *shared, "--part", str(number))), range(workers)
            )
        )
    verdicts = sum((counts for counts, _ in results), Counter())
    took_s, injected = time.monotonic() - began, verdicts.total() - verdicts["not reached"]
    typer.echo(f"{injected:,} faults in {took_s:.0f} s, {60 * injected / took_s:.0f} a minute: {dict(verdicts)}")
    if any(status for _, status in results) or injected < least:
        sys.exit(1)


def _follow(process: subprocess.Popen[str]) -> tuple[Counter[str], int]:
    """Print what a process prints; the verdicts in its last line, and its status."""
    assert process.stdout
    last = ""
    for line in process.stdout:
        if last:
            typer.echo(last)
        last = line.rstrip("\n")
    _, messages = process.communicate()
    typer.echo(messages, nl=False)
    return Counter(json.loads(last)) if last.startswith("{") else Counter(), process.returncode


def inject_all(
    names: list[str], part: tuple[int, int], seconds: float, seed: int, each: int
) -> tuple[Counter[str], bool]:
    """Verdicts on this part of the faults of the journeys, told as they come; and whether something was broken."""
    with (
        TemporaryDirectory(dir=_FOLDER if _FOLDER.is_dir() else None) as folder,
        serving(lambda *_: text('{"score": 70}')) as endpoint,
    ):
        harness = Harness(Path(folder), typer.echo)
        by_name = {journey.name: journey for journey in [*journeys(), endpoint_journey(endpoint.url)]}
        until = time.monotonic() + seconds * len(names)
        for place, name in enumerate(names):  # what a journey of few faults left is for the others
            left = max(1.0, until - time.monotonic()) / (len(names) - place) if seconds else 0
            typer.echo(harness.inject_faults(by_name[name], part, left, seed, each))
        return harness.verdicts, bool(harness.verdicts["broken"])


if __name__ == "__main__":
    typer.run(main)
