"""Many annotators at once on one database: what is kept, and how long it takes from a label to the next task.

By hand, on an empty database: `python -m tests.load.annotators --people 20 --labels 200 --url sqlite:///load.db`.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer

from annotations.labelling.labelling import AnnotatorActions
from annotations.store.store import Store
from tests.load.crowd import open_campaign, people
from tests.load.one_annotator import label
from tests.load.tally import Tally, tally

_SPARE = 1.1  # tasks for each that is needed, so that nobody waits for what the last ones have in hand


@dataclass(frozen=True, slots=True)
class Measured:
    """What was kept, and how long people waited between a label and the next task."""

    database: str
    people: int
    pause_s: float
    tally: Tally
    labels_per_s: float
    cpu_ms: float
    median_ms: float
    p95_ms: float
    longest_ms: float

    def lines(self) -> list[str]:
        figures = {name: value for name, value in asdict(self).items() if isinstance(value, float)}
        return [
            f"{self.people} people on {self.database}",
            *self.tally.lines(),
            *(f"{name:>18}  {value:.1f}" for name, value in figures.items()),
        ]


def measure(
    store: Store, number: int, labels: int, overlap: int, pause_s: float = 0.0, most_overlap: int = 0
) -> Measured:
    """Let so many people give so many labels each, all at once; on average they pause so long before each. `cpu_ms` is this process's time for a label."""
    needed = int(number * labels / overlap * _SPARE)
    campaign = open_campaign(store, needed, overlap=overlap, most_overlap=most_overlap, gold_every=10, repeat_every=20)
    annotators = [AnnotatorActions(store, person) for person in people(store, campaign, number)]
    begun, cpu_begun = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(number) as threads:
        spells = list(threads.map(lambda annotator: list(label(annotator, campaign.id, labels, pause_s)), annotators))
    seconds, cpu_s = time.perf_counter() - begun, time.process_time() - cpu_begun
    events, waits = zip(*(given for spell in spells for given in spell), strict=True)
    median_ms, p95_ms, longest_ms = np.quantile(waits, [0.5, 0.95, 1.0]).tolist()
    kept = tally(store, campaign, events)
    rates = (len(events) / seconds, 1000 * cpu_s / len(events))
    return Measured(store.engine.name, number, pause_s, kept, *rates, median_ms, p95_ms, longest_ms)


def run(
    people: int = 20,
    labels: int = 200,
    overlap: int = 2,
    most_overlap: Annotated[
        int, typer.Option(help="Labels of an item while the model is not sure of it; 0: the overlap.")
    ] = 0,
    pause: Annotated[float, typer.Option(help="Seconds that people read before a label, on average.")] = 0.0,
    url: Annotated[str, typer.Option(help="An empty database; by default a file that is removed afterwards.")] = "",
    out: Annotated[Path | None, typer.Option(help="Where the figures go as JSON.")] = None,
) -> None:
    """Print what was kept and how long people waited; exit status 1 where a label was lost or doubled."""
    with TemporaryDirectory() as folder:
        store = Store.open(url or f"sqlite:///{folder}/load.db")
        measured = measure(store, people, labels, overlap, pause, most_overlap)
        store.close()
    typer.echo("\n".join(measured.lines()))
    if out:
        out.write_text(json.dumps(asdict(measured), indent=1), encoding="utf-8")
    raise typer.Exit(0 if measured.tally.is_clean else 1)


if __name__ == "__main__":
    typer.run(run)
