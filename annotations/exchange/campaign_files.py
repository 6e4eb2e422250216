"""The files from which a campaign is read again: JSONL, and the CSV that spreadsheets open."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin
from zipfile import ZipFile, is_zipfile

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from annotations.exchange.export import EXPORT_COLUMNS
from annotations.exchange.export_rows import ExportedRow
from annotations.store.records import RecordError
from core.text import spreadsheet_text

_MODELS: dict[str, type[BaseModel]] = {model.model_fields["kind"].default: model for model in get_args(ExportedRow)}
_MARKS = {"kind", "event_id", "task", "person", "answers", "campaign"}
_TOOL_MEMBERS = ({"README.md", "labels.parquet", "tasks.parquet"}, {"config.xml", "tasks.json"})
_TOOL_ARCHIVE = (
    "This is an archive for another tool, Hugging Face's datasets or Label Studio, and lacks decisions, questions and times. "
    "Read the campaign again from its JSONL or CSV: `export --campaign NAME -o FILE.jsonl`."
)
_STORE_EXPORT = (
    "This is an export of everything that was kept, which is for reading and not for import: it lacks imported texts and the "
    "names of people. Move everything with `cli.py backup` and `restore`, a campaign with `export --campaign`, a dataset with "
    "`export --dataset`."
)
_STORE_ROW = r'\{"kind": "(?:pair|summary)", "item_id": "'
_MOST_CHARACTERS = 2**31 - 1  # in a cell; a document may be a book


def is_campaign_file(source: Path) -> bool:
    """True for a file that `export --campaign` wrote as JSONL or CSV, whatever it is called."""
    head = _head(source)
    return set(head.split(",")) >= _MARKS or head.startswith('{"kind": "campaign"')


def one_way_export(source: Path) -> str:
    """Sentence on an export of Touchstone that is not for import, with what to do; "" for any other file."""
    if source.is_file() and is_zipfile(source):
        with ZipFile(source) as archive:
            names = set(archive.namelist())
        return _TOOL_ARCHIVE if any(names >= members for members in _TOOL_MEMBERS) else ""
    head = _head(source)
    is_all = head.startswith(",".join(EXPORT_COLUMNS)) or re.match(_STORE_ROW, head) is not None
    return _STORE_EXPORT if is_all else ""


def _head(source: Path) -> str:
    """The first line of a text file in UTF-8, "" for any other file."""
    if not source.is_file():
        return ""
    with source.open("rb") as file:
        return file.readline(1 << 16).decode("utf-8-sig", "ignore").strip()


def campaign_lines(source: Path) -> Iterator[str]:
    """Rows of an exported campaign as JSON, one a line; those of CSV have the values of their kind again.

    Raises RecordError for a CSV with a row of an unknown kind, and for a file that cannot be read.
    """
    is_table = not _head(source).startswith("{")
    with _text(source) as file:
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
