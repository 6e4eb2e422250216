"""AggreFact (Tang et al. 2023): nine datasets under one label, and its sheets with error types under one taxonomy.

The tables: `dataset`, `origin`, `id` (of the document), `doc`, `summary`, `model_name`, `label` (1 consistent), `cut`, and
`<system>_score`; their `<system>_label` are thresholds already chosen and are left out. AggreFact-Unified is a workbook
with a sheet for each origin and type: the text is `summ`, the CNN/DM sheets have no `doc`, and a summary with
several types stands in several sheets, each time with all its types. A sheet may have been saved as a table of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import LABEL_WORDS, RecordConverter, RecordPlace, SeenItems
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import Row
from core.data.datasets.formats.text_tables import csv_header
from core.data.datasets.formats.workbook_files import xlsx_sheets
from core.types import Example, Item, Split, StoredScore

_CUTS = {"val": Split.DEV, "test": Split.TEST}
_SCORE = "_score"
_SHEET_TEXT = "summ"


@DATASETS.add
class AggreFact(Importer):
    """A table, a workbook or one of its sheets, or the folder with them, whose table takes its error types from the workbooks.

    Ids are `<dataset>/<id>/<model>/<hash of the summary>`.
    """

    name: ClassVar[str] = "aggrefact"
    title: ClassVar[str] = "AggreFact"
    record_fields: ClassVar[frozenset[str]] = frozenset(
        {"annotated_span", "cut", "dataset", "doc", "error_type", "id", "label", "model_name", "origin", "summ"}
    )
    licence: ClassVar[str] = "none stated"
    release: ClassVar[str] = "final and SOTA tables, Unified workbooks"
    url: ClassVar[str] = "https://github.com/Liyan06/AggreFact"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        files = item_stream.matching_files(
            source, "aggre_fact*.csv", "AggreFact-Unified*.xlsx", "cnn_*.csv", "xsum_*.csv"
        )
        unified = [path for path in files if path.suffix.lower() == ".xlsx" or _SHEET_TEXT in csv_header(path)]
        tables = [path for path in files if path not in unified]
        # in a folder the first is the final table, of which the other is a part
        return _table(tables[0], unified) if tables else _unified_items(unified)


def _unified_items(paths: Sequence[Path]) -> Iterator[Item | Refusal]:
    """The summaries of all sheets, each once."""
    seen: SeenItems = {}
    for path in paths:
        is_book = path.suffix.lower() == ".xlsx"
        for name, lines in xlsx_sheets(path) if is_book else [(path.stem, file_rows(path))]:
            place = path.with_name(f"{path.name}, sheet {name}") if is_book else path
            yield from item_stream.items_of_rows(lines, place, _unified(name.partition("_")[0], seen), seen)


def _unified(origin: str, seen: SeenItems) -> RecordConverter:
    def convert(row: Row, _: RecordPlace) -> list[Item]:
        item = _item(row, _SHEET_TEXT, origin)
        return [] if item.example.id in seen else [item]

    return convert


def _table(path: Path, unified: Sequence[Path]) -> Iterator[Item | Refusal]:
    """The rows of a table with the error types that the workbooks have for the same text; they spell datasets otherwise."""
    unified_items = [item for item in _unified_items(unified) if isinstance(item, Item)]
    types = {(item.group, item.example.summary): item.categories for item in unified_items}
    seen: SeenItems = {}

    def convert(row: Row, place: RecordPlace) -> list[Item]:
        item = _item(row, "summary", fields.optional(row, "origin"))
        # published figures count a row that stands twice as two
        name = f"{item.example.id}/{place.number}" if item.example.id in seen else item.example.id
        categories = types.get((item.group, item.example.summary), item.categories)
        return [replace(item, example=replace(item.example, id=name), categories=categories)]

    yield from item_stream.items_of_rows(file_rows(path), path, convert, seen)


def _item(row: Row, text: str, origin: str) -> Item:
    dataset, document, summary = fields.text(row, "dataset"), fields.text(row, "id"), fields.text(row, text)
    system = fields.optional(row, "model_name")
    scores = {name.removesuffix(_SCORE): fields.optional_number(row, name) for name in row if name.endswith(_SCORE)}
    return Item(
        Example(f"{dataset}/{document}/{system}/{fields.document_key(summary)}", fields.optional(row, "doc"), summary),
        intended=fields.choice(row, "label", LABEL_WORDS),
        domain={"cnn": "cnndm"}.get(origin, origin),
        group=document,
        title=dataset,
        categories=tuple(fields.literals(row, "error_type")),
        system=system,
        split=fields.choice(row, "cut", _CUTS),
        scores=tuple(StoredScore(metric, value) for metric, value in scores.items() if value is not None),
    )
