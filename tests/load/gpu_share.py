"""Use of a GPU in bulk: the share of time it computes, beside a plain padded loop; and memory that ran out.

On a processor the share is of the passes, and what runs out of memory is a limit of our own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from core.errors import MemoryFullError
from core.models.networks.model import Row
from core.scoring.metric import Metric
from core.types import Example, Failure
from tests.bench.comparison import MetricComparison
from tests.bench.network_shapes import parse_sizes
from tests.bench.recipes import prepare_metric
from tests.bench.workloads import make_pairs_sharing_documents, sentence_pool
from tests.load.plain_loops import Race

METRICS = ("alignscore-base", "minicheck-deberta", "unieval-fact", "bartscore")
"""RoBERTa, DeBERTa-v3, T5 and BART, in whatever size is asked for."""
_PAIRS_OF_DOCUMENT, _WORDS, _SENTENCES = 4, 500, 5
_ROOM = 0.25  # of the memory that a set took, for the run that is to fail
_FIRST_SET = 1000


@dataclass
class Watch:
    """Seconds and memory of the passes of a model, and those that did not fit; above `limit` padded tokens only a text alone does.

    `largest` are the padded tokens of a pass.
    """

    limit: float = math.inf
    seconds: float = 0.0
    largest: int = 0
    failed: int = 0

    def attach(self, model: Any) -> None:
        """See every pass of a model from now on."""
        passes = model.forward

        def forward(rows: Sequence[Row]) -> object:
            tokens = len(rows) * max(row.length for row in rows)
            begun = time.perf_counter()
            try:
                found = passes(rows) if tokens <= self.limit or len(rows) == 1 else _refuse()
            except MemoryFullError:
                self.failed += 1
                raise
            self.seconds += time.perf_counter() - begun
            self.largest = max(self.largest, tokens)
            return found

        model.forward = forward


def _refuse() -> object:
    raise MemoryFullError("More than the limit of the bench.")


@contextmanager
def busy_time(device: str, watch: Watch) -> Iterator[Callable[[], float]]:
    """The seconds for which the device computed in the block: of a GPU those of its kernels, of a processor those of passes."""
    before = watch.seconds
    if not device.startswith("cuda"):
        yield lambda: watch.seconds - before
        return
    with profile(activities=[ProfilerActivity.CUDA]) as kernels:
        yield lambda: sum(event.self_device_time_total for event in kernels.key_averages()) / 1e6
        torch.cuda.synchronize()


def measure_share(name: str, dtype: str, size: str, device: str, documents: int) -> dict[str, object]:
    """One metric in one number type: the set by the engine, by the plain loop, and with too little memory."""
    with TemporaryDirectory() as folder:
        spec = f"{name}[dtype={dtype}]"
        metric, shapes = prepare_metric(spec, parse_sizes([size]), sentence_pool(), Path(folder) / "models")
        with closing(MetricComparison(metric, device, 0.9, Path(folder) / "cache")) as comparison:
            watch, race = Watch(), Race(name, comparison)
            comparison._run(_make_set(0, 1))
            for checkpoint in metric.checkpoints():
                with comparison._pool.lease(checkpoint) as model:
                    watch.attach(model)
            _run(lambda: comparison._run(_make_set(1, 2)))  # batches grow to their size
            race._loop(_make_set(1, 2))
            examples = _make_set(2, documents)
            with busy_time(device, watch) as busy:
                seconds = _run(lambda: comparison._run(examples))
            plain = _run(lambda: race._loop(examples))
            figures: dict[str, object] = {
                "metric": name,
                "shapes": shapes,
                "dtype": dtype,
                "pairs": len(examples),
                "seconds": round(seconds, 3),
                "share of time computing": round(busy() / seconds, 3),
                "plain loop seconds": round(plain, 3),
                "ratio": round(plain / seconds, 2),
                "largest pass, tokens": watch.largest,
            }
            return figures | _run_out_of_memory(comparison, metric, watch, device, documents)


def _run_out_of_memory(
    comparison: MetricComparison, metric: Metric, watch: Watch, device: str, documents: int
) -> dict[str, object]:
    """Another set where the largest pass so far does not fit: every pair that fits alone is scored, and few passes fail."""
    if device.startswith("cuda"):
        idle, most = torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()
        torch.cuda.empty_cache()
        held = torch.cuda.memory_reserved()  # more than is in use where blocks lie between others
        total = torch.cuda.get_device_properties(device).total_memory
        torch.cuda.set_per_process_memory_fraction((held + _ROOM * (most - idle)) / total)
    else:
        watch.limit = _ROOM * watch.largest
    watch.failed, watch.largest = 0, 0
    scored = [
        sum(
            not isinstance(outcome, Failure)
            for _, outcome in comparison._engine.run([metric], _make_set(number, documents))
        )
        for number in (3, 4)
    ]
    if device.startswith("cuda"):
        torch.cuda.set_per_process_memory_fraction(1.0)
    return {
        "scored with less memory": scored,
        "passes that failed": watch.failed,
        "largest then, tokens": watch.largest,
    }


def _make_set(number: int, documents: int) -> list[Example]:
    pairs = _PAIRS_OF_DOCUMENT * documents
    return make_pairs_sharing_documents(_FIRST_SET * (number + 1), documents, pairs, _WORDS, _SENTENCES)


def _run(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - begun
