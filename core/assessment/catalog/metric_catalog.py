"""Every registered metric as lists and tables show it: range, direction, and what it still needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from core.assessment.catalog.metric_setup import format_megabytes, missing_steps, setup_state
from core.model_reference import Checkpoint, EndpointModel, ModelRef, local_checkpoints
from core.models import PACKAGE, ModelPool, ModelStatus, is_local_source, revision_of
from core.scoring import METRICS, Card, ContextReading, Metric
from core.types import Direction

_ENDPOINT = "package:core.models.llm"  # what `cli.py metrics --json` lists in the place of a checkpoint
_NOT_DEFAULT_FAMILIES = ("Judge", "Retrieval", "Claims", "Combination", "Reference")
_WITHOUT_MODEL = "shallow"  # needs no setup, and scores nothing before a model is named
_CONTEXT_LABELS: dict[ContextReading, str] = {
    "joined": "Several contexts are read joined to one document.",
    "best": "Of several contexts the best one counts for each claim; turns of a conversation are one context.",
    "passages": "Several contexts are the numbered passages of one input, after the question where there is one.",
}
_DIRECTION_LABELS: dict[Direction, str] = {
    "higher": "higher = more consistent",
    "lower": "lower = more consistent",
    "neutral": "describes the surface",
}


@dataclass(frozen=True, slots=True)
class CatalogRow:
    """A registered metric with its default settings, and what it still needs.

    `checkpoints` are the sources of its models, `_ENDPOINT` for one behind an endpoint, `revisions` their commits, "" for one that is
    not on the hub. `state` is "ready", "failed", or what is missing; `error` the same in full, with the command that helps, "" if ready.
    """

    name: str
    card: Card
    checkpoints: tuple[str, ...]
    revisions: tuple[str, ...]
    state: str
    error: str

    def record(self) -> dict[str, object]:
        """The row as `cli.py metrics --json` lists it."""
        card = self.card
        return {
            "name": self.name,
            "title": card.title,
            "family": card.family,
            "low": card.low,
            "high": card.high,
            "direction": card.direction,
            "checkpoints": self.checkpoints,
            "download_mb": card.download_mb,
            "state": self.state,
            "message": self.error,
            "paper": card.paper,
            "url": card.url,
            "measures": card.measures,
            "differs": card.differs,
            "contexts": card.contexts,
            "languages": card.languages,
            "licence": card.licence,
            "revisions": self.revisions,
            "memory_mb": card.memory_mb or card.download_mb,
        }


def list_metrics(pool: ModelPool) -> list[CatalogRow]:
    """Every registered metric with its default settings, families together. Loads no model and no torch."""
    rows = []
    for plugin in METRICS:
        metric = plugin()
        models = metric.checkpoints()
        sources = tuple(_ENDPOINT if isinstance(model, EndpointModel) else model.source for model in models)
        rows.append(
            CatalogRow(metric.name, metric.card, sources, tuple(map(_revision, models)), *_availability(metric, pool))
        )
    return sorted(rows, key=lambda row: (row.card.family, row.name))


def default_metrics(pool: ModelPool) -> list[CatalogRow]:
    """The metrics that are ready without being set up; not judges, which cost money, nor wrappers, which repeat."""
    ready = [row for row in list_metrics(pool) if row.state == "ready" and row.name != _WITHOUT_MODEL]
    return [row for row in ready if row.card.family not in _NOT_DEFAULT_FAMILIES]


Availability = Literal["ready", "needs set-up", "endpoint"]
Speed = Literal["no model", "small model", "large model", "endpoint"]
_SMALL_MODEL_MB = 600  # a base encoder in float32, with its tokenizer
_MIN_LIKENESS = 0.5  # of a word with a mistake in it and the name that was meant


@dataclass(frozen=True, slots=True)
class MetricFilter:
    """Conditions on a listed metric; an empty field is none. `memory_mb` is the most that its largest model may take."""

    words: str = ""
    availability: Availability | None = None
    family: str | None = None
    speed: Speed | None = None
    memory_mb: int | None = None

    def accepts(self, row: CatalogRow) -> bool:
        text = f"{row.name} {row.card.title} {row.card.family} {row.card.paper} {row.card.measures}".casefold()
        return (
            all(word in text for word in self.words.casefold().split())
            and self.availability in (None, availability_of(row))
            and self.family in (None, row.card.family)
            and self.speed in (None, speed_of(row))
            and (self.memory_mb is None or model_megabytes(row) <= self.memory_mb)
        )


def ready_first(rows: Sequence[CatalogRow]) -> list[CatalogRow]:
    """Sort metrics by their availability: ready, to be set up, behind endpoints; within each the order stays."""
    order: tuple[Availability, ...] = ("ready", "needs set-up", "endpoint")
    return sorted(rows, key=lambda row: order.index(availability_of(row)))


def availability_of(row: CatalogRow) -> Availability:
    """Availability of a metric before a first score; a judge always asks an endpoint, whether one is set or not."""
    if speed_of(row) == "endpoint":
        return "endpoint"
    return "ready" if row.state == "ready" else "needs set-up"


def speed_of(row: CatalogRow) -> Speed:
    """Speed of a score, from the quickest to the slowest on one machine; the size of the model decides."""
    if not row.checkpoints:
        return "no model"
    if _ENDPOINT in row.checkpoints:
        return "endpoint"
    return "small model" if model_megabytes(row) <= _SMALL_MODEL_MB else "large model"


def model_megabytes(row: CatalogRow) -> int:
    """About what the largest model takes in memory, as the card has it; 0 for none and for what comes with the packages."""
    card = METRICS.get(row.name).card
    return card.memory_mb or card.download_mb


def closest_metrics(rows: Sequence[CatalogRow], words: str) -> list[str]:
    """The titles of at most three metrics whose name or title is nearest to what was typed."""
    spellings = {spelling.casefold(): row.card.title for row in rows for spelling in (row.name, row.card.title)}
    near = get_close_matches(words.casefold(), spellings, n=3, cutoff=_MIN_LIKENESS)
    return list(dict.fromkeys(spellings[spelling] for spelling in near))


def format_range(low: float | None, high: float | None) -> str:
    """The range as the literature writes it."""
    return f"{'(-∞' if low is None else f'[{low:g}'}, {'∞)' if high is None else f'{high:g}]'}"


def format_direction(direction: Direction) -> str:
    return _DIRECTION_LABELS[direction]


def format_contexts(contexts: ContextReading) -> str:
    """Describe in a sentence how a document of several contexts is read."""
    return _CONTEXT_LABELS[contexts]


def metrics_markdown(rows: Sequence[CatalogRow]) -> str:
    """The table of metrics in docs/reference/metrics.md."""
    table = []
    for row in rows:
        citation = re.split(r"(?<=\b\d{4})", row.card.paper, maxsplit=1)[0]  # up to its first year
        weights = "with the packages" if row.checkpoints else "none"
        if _ENDPOINT in row.checkpoints:
            weights = "an endpoint's"
        elif row.card.download_mb:
            weights = format_megabytes(row.card.download_mb)
        table.append(
            f"| `{row.name}` | {row.card.family} | [{citation}]({row.card.url}) | {format_range(row.card.low, row.card.high)} "
            f"| {format_direction(row.card.direction)} | {weights} |"
        )
    return "\n".join(
        ["| metric | family | source | range | direction | weights |", "|---|---|---|---|---|---|", *table]
    )


def _revision(model: ModelRef) -> str:
    on_hub = (
        isinstance(model, Checkpoint) and not is_local_source(model.source) and not model.source.startswith(PACKAGE)
    )
    return revision_of(model) if isinstance(model, Checkpoint) and on_hub else ""


def _availability(metric: Metric, pool: ModelPool) -> tuple[str, str]:
    """State of the metric in a word or two, and in a sentence; a model that failed to load comes after all that is missing."""
    missing = missing_steps(metric)
    if missing:
        state = setup_state(metric.card, missing)
        downloads = [step.download for step in missing if step.download]
        hint = pool.state(downloads[0]).message if downloads and not state.startswith("needs setup") else ""
        sentences = []
        for step in missing:
            command = f" Run: {step.command}" if step.command else ""
            absent = f"{step.name} is missing. {step.message}{command}"
            sentences.append(step.message if step.need == "endpoint" else absent)
        return state, hint or " ".join(dict.fromkeys(sentences))
    for checkpoint in local_checkpoints(metric.checkpoints()):
        if (state_of := pool.state(checkpoint)).status is ModelStatus.FAILED:
            return "failed", state_of.message
    return "ready", ""
