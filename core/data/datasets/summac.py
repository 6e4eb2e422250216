"""The interchange form of the SummaC benchmark (Laban et al. 2022) and of whoever writes it.

A record: `document`, `claim`, `label` (1 consistent), and where it is known `cut` (val | test), `dataset`, `origin`,
`annotations` (one vote an annotator, as `label`), `model_name`, `error_type`. An `id` is the document's in some of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import LABEL_WORDS, RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Example, Item, Judgement, Split

_CUTS = {"val": Split.DEV, "valid": Split.DEV, "test": Split.TEST, "train": Split.TRAIN}


@DATASETS.add
class SummaCBenchmark(Importer):
    """A file of such records, or a folder of them; they are called after their file and place."""

    name: ClassVar[str] = "summac"
    title: ClassVar[str] = "SummaC benchmark form"
    record_fields: ClassVar[frozenset[str]] = frozenset({"document", "claim", "label", "cut"})
    licence: ClassVar[str] = "that of each dataset (loader: Apache-2.0)"
    url: ClassVar[str] = "https://github.com/tingofurro/summac"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*.json", "*.jsonl", "*.csv"), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    name = f"{place.path.stem}-{place.number}"
    document, error = fields.text(row, "document"), row.get("error_type")

    votes = row.get("annotations") or []
    if not isinstance(votes, list):
        raise TouchstoneError(f"The field 'annotations' must be a list of votes; got {str(votes)[:60]!r}.")
    judgements = tuple(
        Judgement(name, f"annotator-{number}", fields.choice({"annotations": vote}, "annotations", LABEL_WORDS))
        for number, vote in enumerate(votes, start=1)
    )
    return [
        Item(
            Example(name, document, fields.text(row, "claim")),
            intended=fields.choice(row, "label", LABEL_WORDS),
            domain=fields.optional(row, "dataset") or fields.optional(row, "origin"),
            group=fields.document_key(document),
            judgements=judgements,
            categories=tuple(fields.texts(row, "error_type"))
            if isinstance(error, list)
            else tuple(filter(None, [fields.optional(row, "error_type")])),
            system=fields.optional(row, "model_name"),
            split=fields.choice(row, "cut", _CUTS) if row.get("cut") else None,
        )
    ]
