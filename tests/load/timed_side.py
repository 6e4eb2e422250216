"""One side of a comparison with authors, in a process of its own: their scorer, or our engine; run by `tests.load.speed_record`.

`python -m tests.load.timed_side ours|CHECKOUT SPEC DEVICE ANSWERS` reads a task as JSON from each line of its input and writes a line
with the measurement.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from core.errors import TouchstoneError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Metric
from core.settings import Settings
from core.types import Example, Result
from tests.bench.energy import EnergyMeter
from tests.bench.meters import PeakMemory
from tests.bench.workloads import make_pair

OURS = "ours"


@dataclass(frozen=True, slots=True)
class Task:
    """Pairs of ids, documents and summaries to score; `fresh` forgets the answers of before."""

    pairs: Sequence[tuple[str, str, str]]
    fresh: bool


@dataclass(frozen=True, slots=True)
class Measurement:
    """Seconds of the processor, with a GPU those of the clock; the most memory in bytes, and joules, not a number where nobody says."""

    seconds: float
    nbytes: int
    joules: float
    scores: Sequence[float]


class OurScorer:
    """The metric through an engine, whose cache is empty after `forget`."""

    def __init__(self, metric: Metric, device: str, answers: Path) -> None:
        self._metric, self._device, self._answers, self._number = metric, device, answers, 0
        self._engine = self._open()

    def forget(self) -> None:
        self._engine.close()
        self._number += 1
        self._engine = self._open()
        self([make_pair(0, 60, 2)])  # the weights are loaded

    def __call__(self, pairs: Sequence[Example]) -> list[float]:
        outcomes = [outcome for _, outcome in self._engine.run([self._metric], pairs)]
        for outcome in outcomes:
            if not isinstance(outcome, Result):
                raise TouchstoneError(f"{self._metric.name} cannot be timed: {outcome.error}")
        return [outcome.score for outcome in outcomes if isinstance(outcome, Result)]

    def _open(self) -> Engine:
        return Engine.open(Settings(device=self._device, cache_dir=self._answers / str(self._number)))


def measure(score: Callable[[Sequence[Example]], list[float]], pairs: Sequence[Example], device: str) -> Measurement:
    """Score the pairs once."""
    on_gpu = device.startswith("cuda")
    clock = time.perf_counter if on_gpu else time.process_time
    with PeakMemory(device) as memory, EnergyMeter(device) as energy:
        began = clock()
        scores = score(pairs)
        if on_gpu:
            torch.cuda.synchronize()
        seconds = clock() - began
    return Measurement(seconds, memory.most, energy.joules, scores)


def _load_authors(checkout: Path, metric: Metric, device: str) -> Callable[[Sequence[Example]], list[float]]:
    from tests.load.authors_code import AUTHORS  # brings transformers, which our side may do without

    return AUTHORS[metric.name].load(checkout, metric, device)


def main(side: str, spec: str, device: str, answers: str) -> None:
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the authors' code prints is no report
    torch.set_num_threads(1)
    metric = METRICS.parse(spec)
    ours = OurScorer(metric, device, Path(answers)) if side == OURS else None
    score = ours or _load_authors(Path(side), metric, device)
    score([make_pair(0, 60, 2)])
    for line in sys.stdin:
        task = Task(**json.loads(line))
        if ours and task.fresh:
            ours.forget()
        pairs = [Example(*pair) for pair in task.pairs]
        reports.write(f"{json.dumps(asdict(measure(score, pairs, device)))}\n")
        reports.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
