"""The tables of a benchmark of BUMP's size, and a large import: seconds and memory.

By hand, on two cores: `taskset -c 0,1 python -m tests.load.evaluation [--bump FILE]`; without the file on pairs of our own.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypeVar

import numpy as np
import typer

from annotations.exchange.samples import load_samples
from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.data.dataset import DATASETS, ImportCounts, source_sha256, strict_items
from core.results.cases.cases import build_cases
from core.results.cases.measures import MEASURES, PAPER_MEASURES, MeasuresRow, draw_resamples, metric_rows, slice_cases
from core.types import ErrorType

_METRICS, _PAIRS, _DOCUMENTS = 12, 693, 196
_KINDS = [kind.value for kind in ErrorType if kind is not ErrorType.OTHER]
T = TypeVar("T")
_TEXT = "The ferry left the harbour at nine with forty crates of apples, and nobody on the quay saw it go. "


def main(
    bump: Annotated[Path | None, typer.Option(help="BUMP's task1_dataset.json.")] = None,
    table_rows: Annotated[int, typer.Option(min=1, help="Rows of the generic table.")] = 100_000,
    resamples: Annotated[int, typer.Option(min=2)] = 10_000,
) -> None:
    """Print a line for each piece of work."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        store = Store.open(f"sqlite:///{folder / 'load.db'}")
        source = bump or _written(folder / "task1_own.json", json.dumps(list(_pairs())))
        _told("pairs imported", lambda: _imported(store, "bump", source))
        for names in (PAPER_MEASURES, tuple(MEASURES)):
            found = _told(f"tables of {', '.join(names)}", partial(_tables, store, names, resamples))
            typer.echo(f"    {len({row.metric for row in found})} metrics, {len({row.slice for row in found})} slices")
        table = folder / "table.jsonl"
        with table.open("w", encoding="utf-8") as file:
            file.writelines(_lines(table_rows))
        _told(f"{table_rows} generic rows imported", lambda: _imported(store, "generic", table))
        store.close()


def _told(what: str, work: Callable[[], T]) -> T:
    begun = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    typer.echo(f"{seconds:6.1f} s  {peak:6.0f} MB at most so far  {what}")
    return found


def _imported(store: Store, importer: str, source: Path) -> int:
    tally, origin = ImportCounts(), DatasetSource(importer, importer, source.name, source_sha256(source))
    return store.import_dataset(origin, strict_items(DATASETS.parse(importer).read(source), tally), tally.counts).added


def _tables(store: Store, names: tuple[str, ...], resamples: int) -> list[MeasuresRow]:
    found = build_cases(load_samples(store, "bump"))
    return list(metric_rows(found, slice_cases(found, "error_type"), draw_resamples(found, resamples), names))


def _pairs() -> Iterator[dict[str, object]]:
    rng = np.random.default_rng(0)
    for number in range(_PAIRS):
        scores = {f"metric{m}_{side}": float(rng.normal()) for m in range(_METRICS) for side in ("reference", "edited")}
        kind, document = f"{_KINDS[number % len(_KINDS)]} Error", number % _DOCUMENTS
        yield {
            "id": number,
            "article_id": document,
            "article": f"{_TEXT * 30}{document}",
            "reference_summary": f"{_TEXT * 2}{document}",
            "edited_summary": f"{_TEXT}{number}",
            "error_type": kind,
            "corrected_error_type": kind,
            "scores": scores,
        }


def _lines(number: int) -> Iterator[str]:
    for row in range(number):
        told = {
            "document": f"{_TEXT * 10}{row // 5}",
            "summary": f"{_TEXT}{row}",
            "label": row % 2,
            "system": f"s{row % 5}",
        }
        yield json.dumps(told) + "\n"


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    typer.run(main)
