"""Cost of a real metric besides its network, and where that time goes: SummaC-ZS with a trained tokenizer."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from core.errors import TouchstoneError
from core.scoring.engine.engine import Engine
from core.scoring.metric import Metric
from core.settings import Settings
from core.types import Example, Failure
from tests.bench.network_shapes import Sizes
from tests.bench.recipes import prepare_metric
from tests.bench.workloads import make_pair, make_pairs_sharing_documents, sentence_pool

COST_METRIC = "summac-zs"
COST_PAIRS = 400
COST_SIZES = Sizes("tiny")
_DOCUMENT_WORDS, _SUMMARY_SENTENCES = 500, 3
_VERSIONS = 4  # summaries of each document
_NETWORK, _TOKENIZE = "network", "tokenize"
ASKED_BAR_US, CACHED_BAR_US = 120.0, 10.0
"""Microseconds of processor time wanted at most beside the network: of a question that is asked, and of one from the cache."""


@dataclass(frozen=True, slots=True)
class MetricCost:
    """Processor seconds of one run of a metric by stage; `rest` is threads, turns and results."""

    workload: str
    planned: int
    asked: int
    stages: Mapping[str, float]

    @property
    def questions(self) -> int:
        """The questions that the cost is divided by: those that were asked, where any was."""
        return self.asked or self.planned

    def each_us(self, stage: str) -> float:
        """Microseconds of a stage for a question."""
        return 1e6 * self.stages.get(stage, 0.0) / self.questions

    @property
    def engine_us(self) -> float:
        """Microseconds of a question beside its network."""
        return sum(self.each_us(stage) for stage in self.stages if stage != _NETWORK)

    @property
    def model_share(self) -> float:
        """Share of the processor time that tokenizer and network take."""
        return (self.stages.get(_NETWORK, 0.0) + self.stages.get(_TOKENIZE, 0.0)) / sum(self.stages.values())


class StageClock:
    """Processor time of the functions that are timed, each in its own thread; what one timed function calls counts for itself."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._inner = threading.local()

    def time(self, owner: object, name: str, stage: str) -> None:
        """Time a method of an object from now on."""
        method: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            before, self._inner.seconds = getattr(self._inner, "seconds", 0.0), 0.0
            began = time.thread_time()
            try:
                return method(*args, **kwargs)
            finally:
                spent = time.thread_time() - began
                with self._lock:
                    self.seconds[stage] += spent - self._inner.seconds
                self._inner.seconds = before + spent

        object.__setattr__(owner, name, timed)  # a metric is frozen


def cost_pairs(pairs: int) -> list[Example]:
    """So many pairs that share documents; one asks about 42 questions that no other asks."""
    documents = max(1, pairs // _VERSIONS)
    return make_pairs_sharing_documents(1, documents, pairs, _DOCUMENT_WORDS, _SUMMARY_SENTENCES)


def measure_metric_cost(pairs: int = COST_PAIRS, sizes: Sizes = COST_SIZES) -> Iterator[MetricCost]:
    """The cost of so many pairs that ask the network, and of the same pairs from the cache."""
    torch.set_num_threads(1)  # the time of other threads of a pass would count as the rest
    with TemporaryDirectory(prefix="touchstone-bench-") as folder:
        metric, _ = prepare_metric(COST_METRIC, sizes, sentence_pool(), Path(folder) / "models")
        settings = Settings(device="cpu", memory="1GB", cache_dir=Path(folder) / "cache")
        with closing(Engine.open(settings)) as engine:
            # the model is loaded, and what is imported late is here
            _run(engine, metric, [make_pair(0, _DOCUMENT_WORDS, _SUMMARY_SENTENCES)])
            clock = _time_stages(engine, metric)
            examples = cost_pairs(pairs)
            yield _measure(engine, metric, clock, "asked", examples)
            again = [replace(example, id=f"{example.id} again") for example in examples]
            yield _measure(engine, metric, clock, "cached", again)


def _time_stages(engine: Engine, metric: Metric) -> StageClock:
    clock = StageClock()
    planner, cache = engine._planner, engine._cache
    clock.time(metric, "plan", "plan")
    clock.time(metric, "fold", "fold")
    clock.time(planner, "_keys", "keys")
    clock.time(planner, "_enqueue_questions", "enqueue")
    clock.time(cache, "get", "look up")
    clock.time(cache, "put", "write")
    [checkpoint] = metric.checkpoints()
    with engine.pool.lease(checkpoint) as model:  # type: ignore[arg-type]  # weights of this machine
        clock.time(model, "encode", _TOKENIZE)
        clock.time(model, "forward", _NETWORK)
    return clock


def _measure(
    engine: Engine, metric: Metric, clock: StageClock, workload: str, examples: Sequence[Example]
) -> MetricCost:
    before, began = engine.counts(), time.process_time()
    clock.seconds.clear()
    _run(engine, metric, examples)
    total, after = time.process_time() - began, engine.counts()
    stages = {**clock.seconds, "rest": total - clock.seconds.total()}
    return MetricCost(workload, after.planned - before.planned, after.asked - before.asked, stages)


def _run(engine: Engine, metric: Metric, examples: Sequence[Example]) -> None:
    for _, outcome in engine.run([metric], examples):
        if isinstance(outcome, Failure):
            raise TouchstoneError(f"{metric.name} cannot be timed: {outcome.error}")


def format_metric_cost(costs: Sequence[MetricCost]) -> str:
    """A table of stages: microseconds of each question, and the share of the run."""
    stages = sorted({stage for cost in costs for stage in cost.stages}, key=lambda stage: -costs[0].each_us(stage))
    lines = [f"{COST_METRIC:10}" + "".join(f"{cost.workload:>12} µs{'share':>8}" for cost in costs)]
    for stage in stages:
        cells = [
            f"{cost.each_us(stage):15.1f}{cost.stages.get(stage, 0.0) / sum(cost.stages.values()):8.0%}"
            for cost in costs
        ]
        lines.append(f"{stage:10}{''.join(cells)}")
    bars = {"asked": ASKED_BAR_US, "cached": CACHED_BAR_US}
    lines += [
        f"{cost.workload}: {cost.engine_us:.0f} µs of CPU beside the network for each of {cost.questions:,} questions "
        f"(at most {bars[cost.workload]:.0f} wanted)"
        for cost in costs
    ]
    lines.append(
        f"tokenizer and network: {costs[0].model_share:.0%} of the processor time of {costs[0].workload} questions"
    )
    return "\n".join(lines)
