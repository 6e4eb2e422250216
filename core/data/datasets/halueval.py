"""HaluEval (Li et al. 2023), its summaries: a right one and one that ChatGPT was told to hallucinate, of the same document.

A record of summarization_data.json, which has one on each line: `document`, `right_summary`, `hallucinated_summary`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.types import Example, Item, Verdict


@DATASETS.add
class HaluEval(Importer):
    """The file of summaries; ids are `<line>` and `<line>/hallucinated`.

    The two are written independently and differ in much more than an error: they are no minimal pair.
    """

    name: ClassVar[str] = "halueval"
    title: ClassVar[str] = "HaluEval, summarization"
    record_fields: ClassVar[frozenset[str]] = frozenset({"document", "right_summary", "hallucinated_summary"})
    licence: ClassVar[str] = "MIT"
    release: ClassVar[str] = "summarization_data.json"
    url: ClassVar[str] = "https://github.com/RUCAIBox/HaluEval"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "summarization_data.json"), _items)


def _items(row: Row, place: RecordPlace) -> list[Item]:
    document = fields.text(row, "document")
    group = fields.document_key(document)
    right = Example(str(place.number), document, fields.text(row, "right_summary"))
    wrong = Example(f"{place.number}/hallucinated", document, fields.text(row, "hallucinated_summary"))
    return [
        Item(right, intended=Verdict.CONSISTENT, group=group, domain="news"),
        Item(wrong, intended=Verdict.INCONSISTENT, group=group, domain="news", system="ChatGPT"),
    ]
