"""A file of document-summary pairs: one JSON object a line, a list of them, or a table with a header.

Fields: `id`, `document`, `summary`, and where there is one, `edited` (a summary) or `edits` (executable edits), `label`,
`error_type`, `domain`, `title`, `group`, `system` (who wrote the summary), `slices` (names of your own, a list or separated by semicolons); `contexts` (texts, or
objects with name or speaker and text) in place of the document, or as parts of it, and `question`; `claims` of the summary (texts, or
objects with text, start and end) and `claims_by`; or `messages` of a chat, whose last answer is the summary.
core/data/datasets/formats/item_stream.py lists the other names under which they are known,
such as doc, article, source and text for the document, claim and hypothesis for the summary.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import item_stream
from core.data.datasets.formats.table_files import table_form
from core.data.datasets.formats.text_tables import csv_header
from core.types import Item


@DATASETS.add
class Pairs(Importer):
    """A table with a header or JSON, by what is in the file; UTF-8 with or without a byte-order mark.

    A record without an id is called `line-<number>`. Raises TouchstoneError where the file as a whole cannot be read:
    absent, empty, not UTF-8, a table without a document or summary column.
    """

    name: ClassVar[str] = "pairs"
    title: ClassVar[str] = "Pairs (JSONL or CSV)"
    licence: ClassVar[str] = "your own"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        if table_form(source) == "csv":
            item_stream.match_columns(csv_header(source))
        yield from item_stream.items_of_files(
            [source], lambda row, place: item_stream.items_of_record(row, f"line-{place.number}")
        )
