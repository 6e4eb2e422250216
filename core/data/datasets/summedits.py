"""SummEdits (Laban et al. 2023): verified seed summaries, and edits of them that people called consistent or not.

A record: `id` (`<seed>_og` is the seed itself), `doc`, `summary`, `label` (1 consistent), `original_summary` (`seed_summary`
in the copy on the hub), `edit_types` (predicted, several or none), `split` (`evaluation` chooses thresholds). The seeds
count in the published figures. The domain is a field, or the end of the file's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import LABEL_WORDS, RecordPlace
from core.data.datasets.formats.text_files import Row
from core.text import edits
from core.types import Example, Item, Split

_SPLITS = {"evaluation": Split.DEV, "test": Split.TEST}
_SEED = "og"


@DATASETS.add
class SummEdits(Importer):
    """The file of a domain, or a folder of them; an edited summary names its seed as parent."""

    name: ClassVar[str] = "summedits"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "SummEdits"
    record_fields: ClassVar[frozenset[str]] = frozenset({"id", "doc", "summary", "label", "edit_types"})
    licence: ClassVar[str] = "Apache-2.0 (copy on the hub: CC-BY-4.0)"
    release: ClassVar[str] = "ten domains, 6,348 summaries"
    url: ClassVar[str] = "https://github.com/salesforce/factualNLG"
    hub: ClassVar[str] = "Salesforce/summedits"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "summedits*.json"), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    example = Example(fields.text(row, "id"), fields.text(row, "doc"), fields.text(row, "summary"))
    seed = fields.text(row, "original_summary" if "original_summary" in row else "seed_summary")
    number, _, edit = example.id.rpartition("_")
    changed = edit != _SEED and example.summary != seed
    return [
        Item(
            example,
            parent=f"{number}_{_SEED}" if changed else None,
            edits=tuple(edits.recover(seed, example.summary)) if changed else (),
            intended=fields.choice(row, "label", LABEL_WORDS),
            domain=fields.optional(row, "domain") or place.path.stem.removeprefix("summedits_"),
            # two seeds may stand on the same document
            group=fields.document_key(example.document),
            categories=tuple(fields.texts(row, "edit_types")) if row.get("edit_types") else (),
            split=fields.choice(row, "split", _SPLITS) if row.get("split") else None,
        )
    ]
