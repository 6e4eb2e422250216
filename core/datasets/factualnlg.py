"""The graded explanations of factualNLG: why models call summaries of FactCC inconsistent, and how people grade that.

Laban et al. 2023, SummEdits, section 3: one JSON list of {"id", "doc", "summary", "samples"}, a sample being {"model", "prompt",
"annotation", "explanation", …}.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.dataset import DATASETS, Importer, Refusal
from core.errors import TouchstoneError
from core.types import Example, GradedExplanation, Item

GRADES = ("correct", "partially_correct", "incorrect", "unrelated", "no_explanation")
_JUDGE = "factualNLG"


@DATASETS.add
@dataclass(frozen=True)
class FactualNLG(Importer):
    """`factcc_explanation_annotation.json`; a sample that cannot be read is a Refusal, and its summary keeps the others.

    Every explanation is of a summary that its model called inconsistent. `by` is "<model>|<prompt>". Whether the summary
    is inconsistent is not told. Raises TouchstoneError for a file that is not such a list.
    """

    name: ClassVar[str] = "factualnlg"
    title: ClassVar[str] = "factualNLG, graded explanations"
    licence: ClassVar[str] = "Apache-2.0; the news texts have their own terms"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        for row, record in enumerate(_records(source), start=1):
            yield from _read(record, row)


def _records(source: Path) -> list[object]:
    try:
        records = json.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise TouchstoneError(f"{source} cannot be read: {error.strerror}. Check the path.") from error
    except ValueError as error:
        raise TouchstoneError(
            f"{source.name} is not JSON: {error}. Take factcc_explanation_annotation.json."
        ) from error
    if not isinstance(records, list):
        raise TouchstoneError(f"{source.name} holds no list. Take factcc_explanation_annotation.json of factualNLG.")
    return records


def _read(record: object, row: int) -> Iterator[Item | Refusal]:
    try:
        example = Example(*(_text(record, field) for field in ("id", "doc", "summary")))
        samples = _samples(record)
    except TouchstoneError as error:
        yield Refusal(row, str(error))
        return
    found = [_explanation(sample, row, place) for place, sample in enumerate(samples, start=1)]
    yield from (one for one in found if isinstance(one, Refusal))
    explanations = tuple(one for one in found if isinstance(one, GradedExplanation))
    yield Item(example, domain="news", group=example.id, explanations=explanations)


def _samples(record: object) -> list[object]:
    samples = record.get("samples") if isinstance(record, Mapping) else None
    if not isinstance(samples, list):
        raise TouchstoneError("“samples” is missing or no list.")
    return samples


def _explanation(sample: object, row: int, place: int) -> GradedExplanation | Refusal:
    try:
        model, prompt, grade, text = (
            _text(sample, field) for field in ("model", "prompt", "annotation", "explanation")
        )
    except TouchstoneError as error:
        return Refusal(row, f"Sample {place}: {error}")
    if grade not in GRADES:
        return Refusal(row, f"Sample {place}: “annotation” is {grade[:60]!r}. Known: {', '.join(GRADES)}.")
    return GradedExplanation(text, f"{model}|{prompt}", grade, _JUDGE)


def _text(record: object, field: str) -> str:
    value = record.get(field) if isinstance(record, Mapping) else None
    if not isinstance(value, str) or not value.strip():
        raise TouchstoneError(f"“{field}” is missing, empty or not a text.")
    return value
