"""LLM-AggreFact (Tang et al. 2024): claims of eleven datasets, checked against their documents.

A record: `dataset`, `doc`, `claim`, `label` (1 supported), `contamination_identifier`. The split is the beginning of the
file's name. Published figures are the mean over the datasets of balanced accuracies.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import LABEL_WORDS, RecordPlace
from core.data.datasets.formats.text_files import Row
from core.types import Example, Item, Split


@DATASETS.add
class LlmAggreFact(Importer):
    """A parquet, CSV or JSONL file whose name begins with its split, or a folder of them; gated on the hub."""

    name: ClassVar[str] = "llm-aggrefact"
    title: ClassVar[str] = "LLM-AggreFact"
    record_fields: ClassVar[frozenset[str]] = frozenset({"dataset", "doc", "claim", "label"})
    licence: ClassVar[str] = "CC-BY-ND-4.0 (for evaluation only)"
    release: ClassVar[str] = "dev 30,420 and test 29,320 claims"
    url: ClassVar[str] = "https://huggingface.co/datasets/lytang/LLM-AggreFact"
    hub: ClassVar[str] = "lytang/LLM-AggreFact"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        patterns = (f"{split}*.{form}" for split in ("dev", "test") for form in ("parquet", "csv", "jsonl", "json"))
        return item_stream.items_of_files(item_stream.matching_files(source, *patterns), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    document = fields.text(row, "doc")
    return [
        Item(
            Example(f"{place.path.stem}-{place.number}", document, fields.text(row, "claim")),
            intended=fields.choice(row, "label", LABEL_WORDS),
            domain=fields.text(row, "dataset"),
            group=fields.document_key(document),
            split=next((split for split in Split if place.path.name.startswith(split.value)), None),
        )
    ]
