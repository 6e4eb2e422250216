"""What can be said of every metric before it runs: its range, its direction, and what it still needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.addressee import SOURCE
from core.llm.endpoint import missing
from core.metric import METRICS, Card, Direction, Metric
from core.models.pool import ModelPool
from core.models.state import Status
from core.types import Checkpoint

_ON_REQUEST = ("Judge", "Retrieval", "Trained")
_WORDS: dict[Direction, str] = {
    "higher": "higher = more consistent",
    "lower": "lower = more consistent",
    "neutral": "describes the surface",
}


@dataclass(frozen=True, slots=True)
class MetricLine:
    """One metric as `cli.py metrics` lists it; `low` and `high` are None where the score is unbounded."""

    name: str
    title: str
    family: str
    low: float | None
    high: float | None
    direction: Direction
    checkpoints: tuple[str, ...]
    download_mb: int
    state: str
    message: str
    paper: str
    url: str
    measures: str
    differs: str


def list_metrics(pool: ModelPool) -> list[MetricLine]:
    """Every registered metric with its default settings, families together. Loads no model and no torch."""
    lines = [_line(plugin(), pool) for plugin in METRICS]
    return sorted(lines, key=lambda line: (line.family, line.name))


def as_they_come(pool: ModelPool) -> list[MetricLine]:
    """The metrics that are ready without anybody's doing; judges cost money, wrappers repeat, a trained model is yours."""
    return [line for line in list_metrics(pool) if line.state == "ready" and line.family not in _ON_REQUEST]


def range_words(low: float | None, high: float | None) -> str:
    """The range as the literature writes it."""
    return f"{'(-∞' if low is None else f'[{low:g}'}, {'∞)' if high is None else f'{high:g}]'}"


def direction_words(direction: Direction) -> str:
    return _WORDS[direction]


def markdown_table(lines: Sequence[MetricLine]) -> str:
    """The table of metrics in the README."""
    rows = [
        f"| `{line.name}` | {line.family} | [{_authors_and_year(line.paper)}]({line.url}) | {range_words(line.low, line.high)} "
        f"| {direction_words(line.direction)} | {_need(line)} |"
        for line in lines
    ]
    return "\n".join(["| metric | family | source | range | direction | weights |", "|---|---|---|---|---|---|", *rows])


def _authors_and_year(paper: str) -> str:
    """A citation up to its first year."""
    return re.split(r"(?<=\b\d{4})", paper, maxsplit=1)[0]


def _need(line: MetricLine) -> str:
    if SOURCE in line.checkpoints:
        return "an endpoint's"
    return size_words(line.download_mb) if line.download_mb else "with the packages" if line.checkpoints else "none"


def _line(metric: Metric, pool: ModelPool) -> MetricLine:
    card = metric.card
    state, message = _state(metric.checkpoints(), card, pool)
    return MetricLine(
        name=metric.name,
        title=card.title,
        family=card.family,
        low=card.low,
        high=card.high,
        direction=card.direction,
        checkpoints=tuple(checkpoint.source for checkpoint in metric.checkpoints()),
        download_mb=card.download_mb,
        state=state,
        message=message,
        paper=card.paper,
        url=card.url,
        measures=card.measures,
        differs=card.differs,
    )


def _state(checkpoints: Sequence[Checkpoint], card: Card, pool: ModelPool) -> tuple[str, str]:
    for checkpoint in checkpoints:
        if checkpoint.source == SOURCE and (lacking := missing(checkpoint)):
            return "needs endpoint", lacking
        state = pool.state(checkpoint)
        if state.status is Status.NEEDS_DOWNLOAD:
            return f"needs download ({checkpoint.source}, {size_words(card.download_mb)})", state.message
        if state.status is Status.FAILED:
            return "failed", state.message
    return "ready", ""


def size_words(megabytes: int) -> str:
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes} MB"
