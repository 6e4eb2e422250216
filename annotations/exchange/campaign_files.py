"""The files from which a campaign is read again: JSONL, and the CSV that spreadsheets open."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from annotations.exchange.export_rows import ExportedRow
from annotations.store.records import RecordError
from core.data import UTF8, encoding_of, open_text
from core.text import spreadsheet_text

_MODELS: dict[str, type[BaseModel]] = {model.model_fields["kind"].default: model for model in get_args(ExportedRow)}
_MARKS = {"kind", "event_id", "task", "person", "answers", "campaign"}
_MOST_CHARACTERS = 2**31 - 1  # in a cell; a document may be a book


def is_campaign_file(source: Path) -> bool:
    """True for a file that `export --campaign` wrote as JSONL or CSV, whatever it is called."""
    if not source.is_file() or encoding_of(source) != UTF8:
        return False
    with open_text(source, UTF8) as file:
        head = file.readline(1 << 16)
    return set(head.strip().split(",")) >= _MARKS or head.startswith('{"kind": "campaign"')


def campaign_lines(source: Path) -> Iterator[str]:
    """Rows of an exported campaign as JSON, one a line; those of CSV have the values of their kind again.

    Raises RecordError for a CSV with a row of an unknown kind, and TouchstoneError for a file that cannot be read.
    """
    with open_text(source, UTF8) as file:
        is_table = not file.read(1).startswith("{")
    with open_text(source, UTF8) as file:
        if not is_table:
            yield from (line.removesuffix("\n") for line in file)
            return
        csv.field_size_limit(_MOST_CHARACTERS)
        for number, row in enumerate(csv.DictReader(file), start=2):
            model = _MODELS.get(row.get("kind") or "")
            if model is None:
                raise RecordError(
                    f"Row {number} is of the kind {row.get('kind')!r}. Known: {', '.join(_MODELS)}. Nothing was imported."
                )
            values = {
                name: _value(row.get(name) or "", field) for name, field in model.model_fields.items() if name in row
            }
            yield json.dumps(values, ensure_ascii=False)


def _value(cell: str, field: FieldInfo) -> Any:
    """Value of a cell: an empty one is None where a row may lack it, and a list or object was written as JSON."""
    is_union = get_origin(field.annotation) in {Union, UnionType}
    types = {get_origin(kind) or kind for kind in (get_args(field.annotation) if is_union else (field.annotation,))}
    if not cell and NoneType in types:
        return None
    return json.loads(cell) if cell and types & {dict, list, tuple} else spreadsheet_text(cell)
