"""The exports that are read again as what they were, a campaign or everything: JSONL, and the CSV that spreadsheets open."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from annotations.exchange.data_statement import STATEMENT_TITLE
from annotations.exchange.export import EXPORT_COLUMNS
from annotations.exchange.export_rows import ExportedRow
from annotations.exchange.store_import import STORE_MODELS
from annotations.labelling.crowd import SessionRow
from annotations.store.records import RecordError
from core.text import spreadsheet_text

_MODELS: dict[str, type[BaseModel]] = {model.model_fields["kind"].default: model for model in get_args(ExportedRow)}
_MARKS = {"kind", "event_id", "task", "person", "answers", "campaign"}
_STORE_ROW = r'\{"kind": "(?:pair|summary)", "item_id": "'
_MOST_CHARACTERS = 2**31 - 1  # in a cell; a document may be a book


def is_campaign_file(source: Path) -> bool:
    """True for a file that `export --campaign` wrote as JSONL or CSV, whatever it is called."""
    head = _head(source)
    return set(head.split(",")) >= _MARKS or head.startswith('{"kind": "campaign"')


def is_store_file(source: Path) -> bool:
    """True for a file that `export` wrote of everything, whatever it is called."""
    head = _head(source)
    return head.startswith(",".join(EXPORT_COLUMNS)) or re.match(_STORE_ROW, head) is not None


def one_way_export(source: Path) -> str:
    """Sentence on an export of a campaign that has no texts, with what to do; "" for any other file."""
    head = _head(source)
    is_sessions = head.split(",") == [field.name for field in fields(SessionRow)]
    if not is_sessions and not head.startswith(STATEMENT_TITLE):
        return ""
    lists = "lists the sessions of a campaign" if is_sessions else "is the data statement of a campaign"
    return (
        f"{source.name} {lists} and has neither texts nor labels. The JSONL or CSV of the campaign comes back whole: "
        "`export --campaign NAME -o FILE.jsonl`."
    )


def _head(source: Path) -> str:
    """The first line of a text file in UTF-8, "" for any other file."""
    if not source.is_file():
        return ""
    with source.open("rb") as file:
        return file.readline(1 << 16).decode("utf-8-sig", "ignore").strip()


def campaign_lines(source: Path) -> Iterator[str]:
    """Rows of an exported campaign as JSON, one a line. Raises as `_exported_lines`."""
    return _exported_lines(source, _MODELS)


def store_lines(source: Path) -> Iterator[str]:
    """Rows of an export of everything as JSON, one a line. Raises as `_exported_lines`."""
    return _exported_lines(source, STORE_MODELS)


def _exported_lines(source: Path, models: Mapping[str, type[BaseModel]]) -> Iterator[str]:
    """Rows of an export as JSON, one a line; those of CSV have the values of the model of their kind again.

    Raises RecordError for a CSV with a row of an unknown kind, and for a file that cannot be read.
    """
    is_table = not _head(source).startswith("{")
    with _text(source) as file:
        if not is_table:
            yield from (line.removesuffix("\n") for line in file)
            return
        csv.field_size_limit(_MOST_CHARACTERS)
        for number, row in enumerate(csv.DictReader(file), start=2):
            model = models.get(row.get("kind") or "")
            if model is None:
                raise RecordError(
                    f"Row {number} is of the kind {row.get('kind')!r}. Known: {', '.join(models)}. Nothing was imported."
                )
            values = {
                name: _value(row.get(name) or "", field) for name, field in model.model_fields.items() if name in row
            }
            yield json.dumps({"kind": row["kind"], **values}, ensure_ascii=False)


def _text(source: Path) -> io.StringIO:
    """The text of a file with its own line ends, without a byte-order mark. Raises RecordError where it cannot be read."""
    try:
        return io.StringIO(source.read_bytes().decode("utf-8-sig"), newline="")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{source} cannot be read: {error}. Name another file.") from error


def _value(cell: str, field: FieldInfo) -> Any:
    """Value of a cell: an empty one is None where a row may lack it, and a list or object was written as JSON."""
    is_union = get_origin(field.annotation) in {Union, UnionType}
    types = {get_origin(kind) or kind for kind in (get_args(field.annotation) if is_union else (field.annotation,))}
    if not cell and NoneType in types:
        return None
    return json.loads(cell) if cell and types & {dict, list, tuple} else spreadsheet_text(cell)
