"""BUMP (Ma et al. 2023): reference summaries, each with one factual error put in by hand, and the scores of twelve metrics.

A record is a pair: `article_id`, `article`, `reference_summary`, `edited_summary`, `scores` with a side after the last
underscore of each name, and the type of the error. Task 1 has two: `error_type` was asked for,
`corrected_error_type` is what the edit became, and is the one that counts. Task 2 has only the latter, as `error_type`.
BARTScore and QAFactEval were scaled to 0..1 within each task: their values must not be pooled over both, so that each
task is a source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.text import edits, locate_contexts, parse_contexts
from core.types import ErrorType, Example, Item, StoredScore, Verdict

_TYPES = {kind.value.lower(): kind for kind in ErrorType} | {f"{kind.value.lower()} error": kind for kind in ErrorType}


@DATASETS.add
class Bump(Importer):
    """One task's file, or a folder with both; the reference of a pair is `task<t>-<id>`, its edit `task<t>-<id>/edited`."""

    name: ClassVar[str] = "bump"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "BUMP"
    record_fields: ClassVar[frozenset[str]] = frozenset(
        {"article_id", "reference_summary", "edited_summary", "corrected_error_type"}
    )
    licence: ClassVar[str] = "MIT (articles: CNN/DailyMail)"
    release: ClassVar[str] = "task 1 of 693 pairs, task 2 of 196"
    url: ClassVar[str] = "https://github.com/dataminr-ai/BUMP"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "task*.json"), minimal_pair)


def minimal_pair(row: Row, _: RecordPlace) -> list[Item]:
    """The reference and the edit of a record. Raises TouchstoneError with what is wrong, naming the field."""
    task = 1 if "corrected_error_type" in row else 2
    name = f"task{task}-{fields.text(row, 'id')}"

    article = fields.text(row, "article")
    contexts = locate_contexts(article, parse_contexts(row.get("contexts") or []))
    reference = Item(
        Example(name, article, fields.text(row, "reference_summary"), contexts, fields.optional(row, "question")),
        intended=Verdict.CONSISTENT,
        domain="news",
        group=f"cnndm-{fields.text(row, 'article_id')}",
        source=f"task {task}",
        scores=_scores(row, "reference"),
    )
    required_type = fields.choice(row, "error_type", _TYPES)
    original, summary = reference.example, fields.text(row, "edited_summary")
    if summary == original.summary:
        raise TouchstoneError("The field 'edited_summary' is the reference summary itself: nothing was edited.")
    edited = replace(
        reference,
        example=replace(original, id=f"{original.id}/edited", summary=summary),
        parent=original.id,
        edits=tuple(edits.recover(original.summary, summary)),
        intended=Verdict.INCONSISTENT,
        scores=_scores(row, "edited"),
        error_type=fields.choice(row, "corrected_error_type", _TYPES) if task == 1 else required_type,
        required_type=required_type if task == 1 else None,
    )
    return [reference, edited]


def _scores(row: Row, side: str) -> tuple[StoredScore, ...]:
    """The released scores of one side; a record may come without any."""
    released = fields.record(row, "scores") if row.get("scores") else {}
    named = {name: name.rpartition("_")[0] for name in released if name.endswith(f"_{side}")}
    return tuple(StoredScore(metric, fields.number(released, name)) for name, metric in named.items())
