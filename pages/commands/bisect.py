"""`cli.py bisect`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from core.dataset import Refusal
from core.engine.engine import Engine
from core.errors import TouchstoneError
from core.metric import METRICS, Metric
from core.settings import Settings
from core.stats.text_tables import align_columns
from core.studies.bisect import EditEffect, EditSubset, edit_effects, examples_by_subset
from core.types import Edit, Example, Failure, Result
from pages.commands.shared.inputs import read_items
from pages.commands.shared.messages import download_models, print_status
from pages.commands.shared.options import DeviceOption, JsonOption

_MAX_CHARACTERS = 40  # of either side of an edit


@dataclass(frozen=True, slots=True)
class BisectedEdit:
    """What one edit of a pair does to one metric."""

    pair: str
    edit: str
    metric: str
    effect: EditEffect


def command(
    pairs: Annotated[Path, typer.Argument(help="JSONL or CSV with id, document, summary and edits.")],
    metric: Annotated[list[str], typer.Option(help="name or name[setting=value,…]; may be repeated.")],
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell of each pair with two edits or more which of them moves which metric, and by how much."""
    settings, refusals = Settings.read(), list[Refusal]()
    items = {item.example.id: item for item in read_items(pairs, refusals)}
    edited = [item for item in items.values() if item.parent in items and len(item.edits) > 1]
    if not edited:
        raise TouchstoneError(f"No pair of {pairs} has two edits. Name a file whose records have `edits`.")
    metrics = [METRICS.parse(spec) for spec in metric]
    with closing(Engine.open(settings.on(device))) as engine:
        download_models(engine.pool, metrics)
        found = [
            one for item in edited for one in _bisect(engine, metrics, items[item.parent or ""].example, item.edits)
        ]
    typer.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=1) if as_json else _format(found))
    if refusals:
        raise typer.Exit(2)


def _bisect(
    engine: Engine, metrics: Sequence[Metric], original: Example, edits: Sequence[Edit]
) -> Iterator[BisectedEdit]:
    texts = examples_by_subset(original, edits)
    subsets = {example.id: subset for subset, example in texts.items()}
    scores: dict[str, dict[EditSubset, float | None]] = {metric.spec: {} for metric in metrics}
    for example, outcome in engine.run(metrics, list(texts.values())):
        if isinstance(outcome, Failure):
            print_status(f"{original.id}, {outcome.metric}: {outcome.message}")
        scores[outcome.metric][subsets[example.id]] = outcome.score if isinstance(outcome, Result) else None
    for spec, of_metric in scores.items():
        for edit, effect in zip(edits, edit_effects(of_metric, len(edits)), strict=True):
            yield BisectedEdit(original.id, _edit_heading(edit, original.summary), spec, effect)


def _edit_heading(edit: Edit, summary: str) -> str:
    old, new = (textwrap.shorten(text, _MAX_CHARACTERS, placeholder="…") for text in (edit.span.of(summary), edit.new))
    return f"{old or '(nothing)'} → {new or '(nothing)'}"


def _format(found: Sequence[BisectedEdit]) -> str:
    heads = ("pair", "edit", "metric", "share", "alone", "all others")
    lines = [
        (one.pair, one.edit, one.metric, *map(_format_shift, (one.effect.share, one.effect.alone, one.effect.without)))
        for one in found
    ]
    return align_columns([heads, *lines])


def _format_shift(shift: float | None) -> str:
    return "–" if shift is None else f"{shift:+.3f}"
