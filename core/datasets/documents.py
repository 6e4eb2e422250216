"""Documents alone, for summaries that were released without them: they are joined by the document's id.

A record: the id under `group`, `doc_id`, `document_id`, `source_id`, `article_id`, `hash` or `id`, and the text under
any name that a document has in a file of pairs; a text may be a list of sentences or utterances.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.dataset import DATASETS, Importer, Refusal
from core.datasets.reading import fields, stream
from core.datasets.reading.row import Row
from core.datasets.reading.stream import Place
from core.datasets.record import NAMES
from core.errors import TouchstoneError
from core.types import Example, Item

_IDS = ("group", "doc_id", "document_id", "source_id", "article_id", "hash", "id")


@DATASETS.add
@dataclass(frozen=True)
class Documents(Importer):
    """A file of documents, each an item without a summary; its `group` is that of the summaries it belongs to."""

    name: ClassVar[str] = "documents"
    title: ClassVar[str] = "Documents to join"
    licence: ClassVar[str] = "your own"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return stream.items([source], _item)


def _item(row: Row, _: Place) -> list[Item]:
    group, text = _first(row, _IDS), _first(row, NAMES["document"])
    document = "\n".join(fields.texts(row, text)) if isinstance(row[text], list) else fields.text(row, text)
    return [Item(Example(f"document-{fields.text(row, group)}", document, ""), group=fields.text(row, group))]


def _first(row: Row, names: tuple[str, ...]) -> str:
    found = next((name for name in names if name in row), "")
    if not found:
        raise TouchstoneError(f"There is no {' or '.join(names)}. The fields here are {', '.join(row)}.")
    return found
