"""HalluMix (Emery et al. 2025): claims and answers beside shuffled pieces of several documents, from several benchmarks.

A row: `documents` (a list of pieces, some of them of other documents), `answer`, `hallucination_label` (1 hallucinated, 0 faithful) and the
benchmark that it is from.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.text import NamedText, join_contexts
from core.types import Example, Item, Verdict

_VERDICTS = {"1": Verdict.INCONSISTENT, "0": Verdict.CONSISTENT}
_SOURCES = ("source_dataset", "src", "source")


@DATASETS.add
class HalluMix(Importer):
    """A parquet, JSONL or JSON file, or a folder of them; the pieces are contexts in their order."""

    name: ClassVar[str] = "hallumix"
    title: ClassVar[str] = "HalluMix"
    record_fields: ClassVar[frozenset[str]] = frozenset({"documents", "answer", "hallucination_label"})
    licence: ClassVar[str] = "Apache-2.0"
    release: ClassVar[str] = "6,500 claims and answers"
    url: ClassVar[str] = "https://huggingface.co/datasets/quotientai/HalluMix"
    hub: ClassVar[str] = "quotientai/HalluMix"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*.parquet", "*.jsonl", "*.json"), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    pieces = fields.texts(row, "documents")
    if not pieces:
        raise TouchstoneError("The field 'documents' is empty. Fill it in or remove the record.")
    document, contexts = join_contexts(NamedText(f"piece {number}", piece) for number, piece in enumerate(pieces, 1))
    return [
        Item(
            Example(f"{place.path.stem}-{place.number}", document, fields.text(row, "answer"), contexts),
            intended=fields.choice(row, "hallucination_label", _VERDICTS),
            domain=next((source for name in _SOURCES if (source := fields.optional(row, name))), ""),
            group=fields.document_key(
                "\n".join(sorted(pieces))
            ),  # the same pieces in another order are the same document
        )
    ]
