"""One row of the bench: a metric at a workload, what the engine used beside what the one-by-one evaluation used."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Seconds, questions put to a model, tokens that networks read with and without padding, growth of memory in bytes."""

    seconds: float
    rows: int
    padded_tokens: int
    tokens: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class BenchRow:
    """`straightforward` pads each row to the model's maximum; `unpadded_seconds` are those of the same rows without it.

    Of its rows `timed` were answered, the rest is projected from them. `score_difference` and `answer_difference` are the
    largest ones between both ways, over all scores and over all numbers of the timed answers.
    """

    metric: str
    shapes: tuple[str, ...]
    workload: str
    repeats: int
    engine: Usage
    straightforward: Usage
    unpadded_seconds: float
    timed: int
    score_difference: float
    answer_difference: float

    @property
    def ratio(self) -> float:
        return self.straightforward.seconds / self.engine.seconds

    @property
    def unpadded_ratio(self) -> float:
        return self.unpadded_seconds / self.engine.seconds

    @property
    def difference(self) -> float:
        return max(self.score_difference, self.answer_difference)

    @property
    def projected(self) -> bool:
        return self.timed < self.straightforward.rows


AGREEMENT_TOLERANCE = 1e-4
"""Scores that differ by more do not agree."""

_COLUMNS = (
    *(("metric", 21), ("workload", 25), ("engine s", 9), ("1×1 s", 10), ("ratio", 8), ("unpadded", 9)),
    *(("rows", 6), ("1×1 rows", 9), ("timed", 6), ("tokens/padded", 17), ("1×1 tokens/padded", 21)),
    *(("MB", 6), ("1×1 MB", 7), ("differ", 8)),
)

LEGEND = (
    "1×1: the same questions one row at a time, padded to the model's maximum (512 tokens where it has none; a longer row as "
    "it is), no cache, no merging; ~ projected from the timed rows of each model, chosen by the seed. ratio: 1×1 seconds over "
    "engine seconds; unpadded: the same against 1×1 rows without padding. MB: growth of memory at its peak, beyond what the "
    "allocator held already. differ: the largest difference of a score or a timed answer, ! where it is beyond 1e-4."
)


def table_heading() -> str:
    return _align_cells([name for name, _ in _COLUMNS])


def format_row(line: BenchRow) -> str:
    engine, straight = line.engine, line.straightforward
    guessed = "~" if line.projected else ""
    return _align_cells(
        [
            line.metric,
            line.workload,
            f"{engine.seconds:.3f}",
            f"{guessed}{straight.seconds:.3f}",
            f"{line.ratio:.1f}×",
            f"{line.unpadded_ratio:.1f}×",
            f"{engine.rows}",
            f"{straight.rows}",
            f"{line.timed}",
            f"{engine.tokens}/{engine.padded_tokens}",
            f"{guessed}{straight.tokens}/{straight.padded_tokens}",
            f"{engine.memory_bytes / 1e6:.0f}",
            f"{straight.memory_bytes / 1e6:.0f}",
            f"{'' if line.difference <= AGREEMENT_TOLERANCE else '!'}{line.difference:.0e}",
        ]
    )


def row_record(line: BenchRow) -> dict[str, object]:
    """The line for JSON, with what follows from it."""
    return {
        **asdict(line),
        "ratio": line.ratio,
        "unpadded_ratio": line.unpadded_ratio,
        "projected": line.projected,
    }


def _align_cells(cells: list[str]) -> str:
    """Names to the left, numbers to the right."""
    widths = [width for _, width in _COLUMNS]
    return " ".join(
        f"{cell:<{width}}" if place < 2 else f"{cell:>{width}}"
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
