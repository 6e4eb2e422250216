"""A stress run as a file of JSON lines: its plan first, then its records as they came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import TouchstoneError
from core.stress.records import Plan, Record, Run, as_line, from_line


def assembled(lines: Iterable[str]) -> Run:
    """The run that the lines of a file or database tell of; raises TouchstoneError where the first is no plan."""
    records = (from_line(line) for line in lines)
    plan = next(records, None)
    if not isinstance(plan, Plan):
        raise TouchstoneError("This is no stress run: its first line is no plan. Give a file that `stress` wrote.")
    run = Run(plan)
    for record in records:
        if isinstance(record, Plan):
            raise TouchstoneError("This file holds two runs. Give one that `stress` wrote.")
        run.add(record)
    return run


def lines_of(run: Run) -> Iterator[str]:
    """The run as the lines from which it can be assembled."""
    yield as_line(run.plan)
    for records in (run.sources, run.variants, run.readings, run.checks, run.opinions):
        yield from map(as_line, records.values())


def begin(path: Path, run: Run) -> Run:
    """Write a run to a new file, or read the run of this file to go on with; raises TouchstoneError for one of another plan.

    A last line that was cut off while it was written is dropped.
    """
    if not path.exists():
        path.write_text("".join(f"{line}\n" for line in lines_of(run)), encoding="utf-8")
        return run
    before = assembled(_whole_lines(path))
    if (before.plan, before.sources) != (run.plan, run.sources):
        raise TouchstoneError(
            f"{path} holds a run of other pairs, metrics, kinds, guard, seed or version. Name another file with -o, or repeat its command."
        )
    return before


def append(path: Path, records: Iterable[Record]) -> Iterator[Record]:
    """Write each record to the end of the file before it is given on."""
    with path.open("a", encoding="utf-8", buffering=1) as file:
        for record in records:
            file.write(as_line(record) + "\n")
            yield record


def _whole_lines(path: Path) -> list[str]:
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if len(whole) < len(text):
        path.write_bytes(whole)
    try:
        return whole.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise TouchstoneError(f"{path} is no text in UTF-8 ({error}). Give a file that `stress` wrote.") from None
