"""What the engine itself costs: conversations of many questions, answered by a network that computes nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from core.engine.cache import AnswerCache
from core.engine.conversation import Conversation
from core.engine.engine import Engine
from core.model_reference import Checkpoint
from core.models.model import Row
from core.models.pool import ModelPool
from core.types import Answer, Example, Failure, Question, Rounds

DEFAULT_SIZES = (1_000, 10_000, 100_000)
ASKED_BAR_US, PLANNED_BAR_US = 150.0, 20.0
"""What a question that is asked, and one that is answered from the cache, may cost in microseconds of processor time."""

_QUESTIONS = 100  # of one conversation
_NO_HEADER = bytes(8)


@dataclass(frozen=True, slots=True)
class CostRow:
    """Processor and clock seconds of one pass over so many questions, and how often a queue touched an entry."""

    workload: str
    questions: int
    batch: int
    cpu_s: float
    seconds: float
    operations: int

    @property
    def cpu_us(self) -> float:
        """Microseconds of processor time for a question."""
        return 1e6 * self.cpu_s / self.questions

    @property
    def operations_each(self) -> float:
        return self.operations / self.questions


HEADING = (
    f"{'':8} {'questions':>9} {'a batch':>8} {'CPU µs each':>12} {'clock µs each':>14} {'queue operations each':>22}"
)


def format_row(row: CostRow) -> str:
    batch = f"{row.batch}" if row.batch else "-"
    clock = 1e6 * row.seconds / row.questions
    return f"{row.workload:8} {row.questions:9} {batch:>8} {row.cpu_us:12.1f} {clock:14.1f} {row.operations_each:22.1f}"


def summarize(rows: Sequence[CostRow]) -> str:
    """The cost of a question of each workload at its largest number, and by how much it grew from the smallest."""
    lines = []
    for workload, bar in (("asked", ASKED_BAR_US), ("cached", PLANNED_BAR_US)):
        some = [row for row in rows if row.workload == workload]
        largest, smallest = (choose(row.questions for row in some) for choose in (max, min))
        last = max(row.cpu_us for row in some if row.questions == largest)
        first = max(row.cpu_us for row in some if row.questions == smallest)
        lines.append(
            f"{workload}: {last:.0f} µs of CPU a question of {largest:,} (at most {bar:.0f} wanted), {last / first:.2f} × that of {smallest:,}"
        )
    return "\n".join(lines)


class NullNetwork:
    """A model that answers without computing; every question has as many tokens as its kind's `length`."""

    nbytes = 1

    def __init__(self, length: int) -> None:
        self._length = length

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, self._length, ()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [Answer((0.5, 0.25, 0.25), tokens=row.length) for row in rows]


def load(path: Path, checkpoint: Checkpoint, device: str) -> NullNetwork:  # noqa: ARG001  # as every kind of model
    """The null network; the name of its folder is the length of its rows."""
    return NullNetwork(int(path.name))


def measure_engine_cost(sizes: Sequence[int] = DEFAULT_SIZES, lengths: Sequence[int] = (4, 64)) -> Iterator[CostRow]:
    """New questions, then the same ones from the cache, for each number of them, in batches of two sizes."""
    for length in lengths:
        for size in sizes:
            with TemporaryDirectory(prefix="touchstone-bench-") as folder:
                yield from _measure(Path(folder), size, length)


def _measure(folder: Path, size: int, length: int) -> Iterator[CostRow]:
    model = _write_checkpoint(folder / f"{length}")
    pool = ModelPool("cpu", 1_000, folder / "cache", adapters=f"{__package__}")
    with closing(Engine(pool, AnswerCache(folder / "cache"))) as engine:
        _converse(engine, model, -_QUESTIONS, _QUESTIONS)  # the model is loaded, and what is imported late is here
        for workload in ("asked", "cached"):
            before, cpu, clock = engine.counts(), time.process_time(), time.perf_counter()
            operations = engine.queue_operations()
            _converse(engine, model, 0, size)
            cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
            passes = max(1, engine.counts().passes - before.passes)
            operations = engine.queue_operations() - operations
            yield CostRow(workload, size, size // passes if workload == "asked" else 0, cpu, clock, operations)


def _converse(engine: Engine, model: Checkpoint, first: int, size: int) -> None:
    conversations = (_conversation(model, start) for start in range(first, first + size, _QUESTIONS))
    for _, outcome in engine.converse(conversations):
        assert not isinstance(outcome, Failure), outcome.message


def _conversation(model: Checkpoint, start: int) -> Conversation[int]:
    example = Example(str(start), f"In report {start}, the council voted.", f"Report {start} says that it voted.")
    return Conversation("engine-cost", example, partial(_rounds, model, start), (model,))


def _rounds(model: Checkpoint, start: int) -> Rounds[int]:
    """As a metric of sentence pairs asks: every sentence of a document against one claim."""
    claim = f"Report {start} says that the council voted to close the harbour after the storm of Tuesday."
    sentences = [
        f"In report {number}, the council voted on Monday to open the harbour again, although nobody had asked "
        "for it and the repairs of the quay were far from done."
        for number in range(start, start + _QUESTIONS)
    ]
    answers = yield [Question(model, (sentence, claim), (("limit", 512),)) for sentence in sentences]
    return len(answers)


def _write_checkpoint(folder: Path) -> Checkpoint:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(_NO_HEADER)
    return Checkpoint(str(folder), "engine_cost")
