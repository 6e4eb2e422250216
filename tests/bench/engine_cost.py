"""Cost of the engine itself: conversations of many questions, answered by a network that computes nothing."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.models.networks.model import Row, int_option
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.conversation import Conversation
from core.scoring.engine.engine import Engine
from core.types import Answer, Example, Failure, Question, Rounds

DEFAULT_SIZES = (1_000, 10_000, 100_000)
_QUESTIONS = 100  # of one conversation
_COPIES = 4  # conversations that ask the same, where questions are shared
_NO_HEADER = bytes(8)
_SPREAD = 37  # so that lengths come in no order


@dataclass(frozen=True, slots=True)
class CostRow:
    """Processor and clock seconds of one pass over so many questions, and how often a queue touched an entry.

    `distinct` of the questions are different, `asked` were asked of the network; `padding` is the share of tokens that it
    read for each that is no padding.
    """

    workload: str
    questions: int
    batch: int
    cpu_s: float
    seconds: float
    operations: int
    distinct: int
    asked: int
    padding: float

    @property
    def cpu_us(self) -> float:
        """Microseconds of processor time for a question."""
        return 1e6 * self.cpu_s / self.questions

    @property
    def operations_each(self) -> float:
        return self.operations / self.questions


HEADING = (
    f"{'':8} {'questions':>9} {'distinct':>9} {'asked':>8} {'a batch':>8} {'CPU µs each':>12} {'clock µs each':>14} "
    f"{'queue operations each':>22} {'padding':>8}"
)


def format_row(row: CostRow) -> str:
    batch = f"{row.batch}" if row.batch else "-"
    clock = 1e6 * row.seconds / row.questions
    padding = f"{row.padding:.3f}" if row.asked else "-"
    return (
        f"{row.workload:8} {row.questions:9} {row.distinct:9} {row.asked:8} {batch:>8} {row.cpu_us:12.1f} {clock:14.1f} "
        f"{row.operations_each:22.1f} {padding:>8}"
    )


def summarize(rows: Sequence[CostRow]) -> str:
    """The cost of a question of each workload at its largest number, and by how much it grew from the smallest."""
    lines = []
    for workload in ("asked", "cached"):
        some = [row for row in rows if row.workload == workload]
        largest, smallest = (choose(row.questions for row in some) for choose in (max, min))
        last = max(row.cpu_us for row in some if row.questions == largest)
        first = max(row.cpu_us for row in some if row.questions == smallest)
        lines.append(
            f"{workload}: {last:.0f} µs of CPU a question of {largest:,}, {last / first:.2f} × that of {smallest:,}"
        )
    shared = max((row for row in rows if row.workload == "shared"), key=lambda row: (row.questions, row.padding))
    lines.append(
        f"shared: {shared.asked / shared.distinct:.3f} × the distinct questions asked, padding {shared.padding:.3f} × of {shared.questions:,}"
    )
    return "\n".join(lines)


class NullNetwork:
    """A model that answers without computing; a question has as many tokens as its option "limit". `padded` of them were read."""

    nbytes = 1

    def __init__(self) -> None:
        self.padded = 0

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, int_option(question, "limit", 0), ()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        self.padded += len(rows) * max(row.length for row in rows)
        return [Answer((0.5, 0.25, 0.25), tokens=row.length) for row in rows]


def load(path: Path, checkpoint: Checkpoint, device: str) -> NullNetwork:  # noqa: ARG001  # as every kind of model
    """The null network."""
    return NullNetwork()


def measure_engine_cost(sizes: Sequence[int] = DEFAULT_SIZES, lengths: Sequence[int] = (4, 64)) -> Iterator[CostRow]:
    """New questions, the same ones from the cache, then others of many lengths that four conversations ask, for each number
    of them, in batches of two sizes.
    """
    for length in lengths:
        for size in sizes:
            with TemporaryDirectory(prefix="touchstone-bench-") as folder:
                yield from _measure(Path(folder), size, length)


def _measure(folder: Path, size: int, length: int) -> Iterator[CostRow]:
    model = _write_checkpoint(folder / "null")
    pool = ModelPool("cpu", 1_000, folder / "cache", adapters=f"{__package__}")
    with closing(Engine(pool, AnswerCache(folder / "cache"))) as engine:
        # the model is loaded, and what is imported late is here
        _converse(engine, _conversations(model, -_QUESTIONS, _QUESTIONS, (length,)))
        asked = partial(_conversations, model, 0, size, (length,))
        yield _time(engine, model, "asked", 1, asked())
        yield _time(engine, model, "cached", 1, asked())
        lengths = range(length, 4 * length)
        yield _time(engine, model, "shared", _COPIES, _conversations(model, size, size // _COPIES, lengths, _COPIES))


def _time(
    engine: Engine, model: Checkpoint, workload: str, copies: int, asking: Iterable[Conversation[int]]
) -> CostRow:
    before, operations, padded = engine.counts(), engine.queue_operations(), _padded_tokens(engine, model)
    cpu, clock = time.process_time(), time.perf_counter()
    _converse(engine, asking)
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    after = engine.counts()
    planned, asked, passes, tokens = (
        getattr(after, name) - getattr(before, name) for name in ("planned", "asked", "passes", "tokens")
    )
    padding = (_padded_tokens(engine, model) - padded) / max(1, tokens)
    batch = asked // max(1, passes)
    operations = engine.queue_operations() - operations
    return CostRow(workload, planned, batch, cpu, clock, operations, planned // copies, asked, padding)


def _padded_tokens(engine: Engine, model: Checkpoint) -> int:
    with engine.pool.lease(model) as network:
        return cast(NullNetwork, network).padded


def _converse(engine: Engine, conversations: Iterable[Conversation[int]]) -> None:
    for _, outcome in engine.converse(conversations):
        assert not isinstance(outcome, Failure), outcome.error


def _conversations(
    model: Checkpoint, first: int, size: int, lengths: Sequence[int], copies: int = 1
) -> Iterator[Conversation[int]]:
    """So many questions from a number on, each as often as there are copies."""
    return (
        _conversation(model, start, lengths) for start in range(first, first + size, _QUESTIONS) for _ in range(copies)
    )


def _conversation(model: Checkpoint, start: int, lengths: Sequence[int]) -> Conversation[int]:
    example = Example(str(start), f"In report {start}, the council voted.", f"Report {start} says that it voted.")
    return Conversation("engine-cost", example, partial(_rounds, model, start, lengths), (model,))


def _rounds(model: Checkpoint, start: int, lengths: Sequence[int]) -> Rounds[int]:
    """As a metric of sentence pairs asks: every sentence of a document against one claim."""
    numbers = range(start, start + _QUESTIONS)
    claim = f"Report {start} says that the council voted to close the harbour after the storm of Tuesday."
    sentences = [
        f"In report {number}, the council voted on Monday to open the harbour again, although nobody had asked "
        "for it and the repairs of the quay were far from done."
        for number in numbers
    ]
    limits = [lengths[_SPREAD * number % len(lengths)] for number in numbers]
    answers = yield [
        Question(model, (sentence, claim), (("limit", limit),))
        for sentence, limit in zip(sentences, limits, strict=True)
    ]
    return len(answers)


def _write_checkpoint(folder: Path) -> Checkpoint:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(_NO_HEADER)
    return Checkpoint(str(folder), "engine_cost")
