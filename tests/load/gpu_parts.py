"""The parts of the bench of a GPU, the one that is most worth its time first."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from core.errors import MissingWeightsError, TouchstoneError
from core.model_reference import Checkpoint, local_checkpoints
from core.models import Precision
from core.scoring.engine.engine import Engine
from core.scoring.metric import Metric
from core.settings import Settings
from core.types import Question, Result
from tests.bench.comparison import MetricComparison
from tests.bench.network_shapes import parse_sizes
from tests.bench.random_weights import NetworkDesign, write_checkpoint
from tests.bench.recipes import RECIPES, prepare_metric
from tests.bench.workloads import make_pair, make_pairs_sharing_documents, sentence_pool
from tests.load.gpu_share import METRICS, measure_share

Rows = Iterator[tuple[str, Mapping[str, object]]]
_BOARD = (
    "alignscore-base",
    "minicheck-deberta",
    "minicheck-flan-t5",
    "bartscore",
    "bertscore-minilm",
    "summac-zs",
    "unieval-fact",
    "factcg",
)
_PROFILED = ("minicheck-deberta", "minicheck-flan-t5", "alignscore-base", "bartscore")
_WITHOUT_RECIPE = {"bespoke-minicheck-7b", "claims", "retrieve"}
_KERNELS = ("flash", "fmha", "efficient", "gemm")


@dataclass(frozen=True, slots=True)
class Machine:
    """A device, the size of the networks, and a folder for their weights and for answers."""

    device: str
    size: str
    folder: Path

    @property
    def is_gpu(self) -> bool:
        return self.device.startswith("cuda")

    @property
    def name(self) -> str:
        return torch.cuda.get_device_name(self.device) if self.is_gpu else "a processor"

    def metric(self, spec: str, size: str, of: str) -> Metric:
        """A metric on random weights, whose folder is named after the part that it is of."""
        folder = self.folder / f"{of}-{spec.replace('[', '-').strip(']')}"
        return prepare_metric(spec, parse_sizes([size]), sentence_pool(), folder)[0]

    def scores(self, metric: Metric, device: str, precision: Precision, cache: str) -> list[float]:
        settings = Settings(device=device, cache_dir=self.folder / cache / metric.name, precision=precision)
        examples = [make_pair(1, 300, 4), *make_pairs_sharing_documents(2, 2, 6, 120, 3)]
        with closing(Engine.open(settings)) as engine:
            return [outcome.score for _, outcome in engine.run([metric], examples) if isinstance(outcome, Result)]

    def synchronize(self) -> None:
        if self.is_gpu:
            torch.cuda.synchronize(self.device)


def correctness(machine: Machine) -> Rows:
    """By how much scores of every metric differ from those of the processor."""
    for name in sorted(RECIPES.keys() - _WITHOUT_RECIPE):
        try:
            metric = machine.metric(name, "tiny", "correctness")
        except MissingWeightsError as error:  # a parser
            yield name, {"not measured:": str(error)}
            continue
        here, there = (machine.scores(metric, device, "exact", device) for device in ("cpu", machine.device))
        yield name, {"scored": len(there), "differ by": _largest_difference(here, there)}


def precisions(machine: Machine) -> Rows:
    """By how much scores move in another precision, and what is exact while the environment says TF32."""
    for name in METRICS:
        metric = machine.metric(name, "base" if machine.is_gpu else "tiny", "precisions")
        exact = machine.scores(metric, machine.device, "exact", "exact")
        torch.backends.cuda.matmul.allow_tf32 = True
        again = machine.scores(metric, machine.device, "exact", "again")
        others: tuple[Precision, ...] = ("tf32", "bfloat16") if machine.is_gpu else ("bfloat16",)
        moved = {other: machine.scores(metric, machine.device, other, other) for other in others}
        yield (
            name,
            {
                "exact with TF32 at the start moves by": _largest_difference(exact, again),
                **{f"{other} moves by": _largest_difference(exact, scores) for other, scores in moved.items()},
            },
        )


def bulk(machine: Machine) -> Rows:
    """Four large metrics in each precision beside a plain loop."""
    for name in METRICS:
        for dtype in ("bfloat16", "tf32", "float32") if machine.is_gpu else ("float32",):
            figures = measure_share(name, dtype, machine.size, machine.device, 25 if machine.is_gpu else 2)
            yield f"{name}, {dtype}", {key: value for key, value in figures.items() if key not in {"metric", "dtype"}}


def generation(machine: Machine) -> Rows:
    """A judge on this machine: answers a second by the rows of a pass."""
    shape, folder = parse_sizes([machine.size]).shape("llama"), machine.folder / "llama"
    write_checkpoint(NetworkDesign("llama", "chats"), shape, sentence_pool(), folder)
    checkpoint = Checkpoint(str(folder), "local_chat", dtype="bfloat16" if machine.is_gpu else "float32")
    kind = importlib.import_module("core.models.adapters.local_chat")
    model: Any = kind.load(folder, checkpoint, machine.device)
    tokens = 64 if machine.is_gpu else 4
    options = (("max_tokens", tokens), ("model", ""), ("sample", 0), ("stop", ""), ("temperature", 0.0), ("top_p", 1.0))
    texts = sentence_pool()
    inputs = [("You judge.", f"{' '.join(texts[number : number + 25])} Is it so?") for number in range(64)]
    rows = model.encode([Question(checkpoint, pair, options) for pair in inputs])
    model.forward(rows[:1])
    for count in (1, 4, 16, 64):
        begun = time.perf_counter()
        model.forward(rows[:count])
        seconds = time.perf_counter() - begun
        yield f"{count} rows of {tokens} tokens", {"seconds": seconds, "answers a second": count / seconds}


def board(machine: Machine) -> Rows:
    """Eight metrics at once, as Probe asks: a first summary and two others."""
    metrics = [machine.metric(name, machine.size, "board") for name in (_BOARD if machine.is_gpu else _BOARD[:2])]
    with closing(Engine.open(Settings(device=machine.device, cache_dir=machine.folder / "board-answers"))) as engine:
        for step in range(1, 4):
            begun, times = time.perf_counter(), dict[str, float]()
            request, version = engine.submit("bench", metrics, [make_pair(step, 400, 4)]), -1
            while len(times) < len(metrics):
                engine.wait(request, version, 60)
                version, cells = engine.cells(request)
                for (spec, _), cell in cells.items():
                    if cell.outcome:
                        times.setdefault(spec, time.perf_counter() - begun)
            used = sum(state.nbytes for state in engine.pool.states().values())
            yield (
                f"summary {step}",
                {
                    "first score after, s": min(times.values()),
                    "last": max(times.values()),
                    "GB of models": used / 1e9,
                    "of": engine.pool.budget_bytes / 1e9,
                },
            )


def passes(machine: Machine) -> Rows:
    """The parts of one pass of up to 64 rows."""
    kinds = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if machine.is_gpu else [])]
    for name in _PROFILED:
        metric = machine.metric(name, "base" if machine.is_gpu else "tiny", "passes")
        checkpoint = next(model for model in local_checkpoints(metric.checkpoints()) if model.kind != "token_count")
        with closing(MetricComparison(metric, machine.device, 0.4, machine.folder / f"passes-{name}")) as comparison:
            examples = make_pairs_sharing_documents(3, 4, 32 if machine.is_gpu else 4, 150, 4)
            comparison.engine(examples)  # a trace takes the answers of rounds before from its cache
            questions = [question for example in examples for question in comparison._trace(example)]
            asked = list(dict.fromkeys(question for question in questions if question.weights == checkpoint))[:64]
            with comparison._pool.lease(checkpoint) as model:
                rows = sorted(model.encode(asked), key=lambda row: row.length)
                for _ in range(2):  # the first makes ready what later ones find
                    machine.synchronize()
                    begun = time.perf_counter()
                    model.forward(rows)
                    seconds = time.perf_counter() - begun
                with profile(activities=kinds) as profiled:
                    model.forward(rows)
                    machine.synchronize()
        events = profiled.key_averages()
        busy = sum(getattr(event, "self_device_time_total", 0) for event in events) / 1e6
        kernels = Counter(
            {word: sum(event.count for event in events if word in event.key.lower()) for word in _KERNELS}
        )
        waits = sum(event.count for event in events if event.key in {"cudaStreamSynchronize", "cudaMemcpy"})
        yield name, {"rows": len(rows), "seconds": seconds, "busy, s": busy, "waits": waits, **(+kernels)}


def processes(machine: Machine) -> Rows:
    """The same pairs by one, two and four processes on one card, each with its start."""
    metric = machine.metric("alignscore-base", machine.size, "processes")
    spec = metric.spec.replace("]", ",dtype=bfloat16]") if machine.is_gpu else metric.spec
    pairs = make_pairs_sharing_documents(9, 200 if machine.is_gpu else 2, 800 if machine.is_gpu else 8, 300, 4)
    lines = [
        json.dumps({"id": str(n), "document": p.document, "summary": p.summary}) + "\n" for n, p in enumerate(pairs)
    ]
    for count in (1, 2, 4):
        crew, begun = [], time.perf_counter()
        for worker in range(count):
            own = machine.folder / f"{count}-{worker}"
            own.with_suffix(".jsonl").write_text("".join(lines[worker::count]), encoding="utf-8")
            command = [sys.executable, "cli.py", "score", f"{own}.jsonl", "-o", f"{own}-scores.jsonl"]
            environment = {**os.environ, "TOUCHSTONE_MEMORY": f"{0.85 / count:.2f}", "TOUCHSTONE_CACHE_DIR": str(own)}
            options = ["--metric", spec, "--device", machine.device]
            crew.append(
                subprocess.Popen(
                    [*command, *options], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
        statuses = [process.wait() for process in crew]
        if any(statuses):
            raise TouchstoneError(f"Processes ended with {statuses}.")
        yield f"{len(lines)} pairs by {count}", {"seconds": time.perf_counter() - begun}


def _largest_difference(scores: list[float], others: list[float]) -> float:
    return max((abs(one - other) for one, other in zip(scores, others, strict=True)), default=float("nan"))


PARTS: Mapping[str, Callable[[Machine], Rows]] = {
    part.__name__: part for part in (correctness, precisions, bulk, generation, board, passes, processes)
}
