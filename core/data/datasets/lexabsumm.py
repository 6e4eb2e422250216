"""LexAbSumm (T.y.s.s. et al. 2024): summaries of judgments by aspect; there are no labels.

No public copy documents the fields of its one file, so the judgment, its aspect and the summary are looked for under the
names that legal collections give them; the judgment may be a text or a list of paragraphs.
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
from core.types import Example, Item

_DOCUMENT = ("article", "document", "judgment", "judgement", "case", "text", "input", "source")
_SUMMARY = ("summary", "output", "target", "reference", "reference_summary", "abstract", "highlights")
_ASPECT = ("aspect", "query", "question", "title", "topic")
_ID = ("id", "case_id", "caseid", "doc_id", "itemid")


@DATASETS.add
class LexAbSumm(Importer):
    """LexAbSumm.json, or a folder with it or its parquet copy; the texts are to be perturbed, not judged."""

    name: ClassVar[str] = "lexabsumm"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "LexAbSumm"
    record_fields: ClassVar[frozenset[str]] = frozenset({"article", "aspect", "summary"})
    licence: ClassVar[str] = "AFL-3.0, as the copy on the hub states"
    release: ClassVar[str] = "one file of 85 MB"
    url: ClassVar[str] = "https://huggingface.co/datasets/MahmoudAly/LexAbSumm"
    hub: ClassVar[str] = "MahmoudAly/LexAbSumm"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*.json", "*.jsonl", "*.parquet"), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    judgment, summary = (_named(row, names) for names in (_DOCUMENT, _SUMMARY))
    if not judgment or not summary:
        raise TouchstoneError(
            f"There is no judgment or no summary. The fields here are {', '.join(row)}; "
            f"known are {', '.join(_DOCUMENT)} and {', '.join(_SUMMARY)}. The importer 'generic' takes other names."
        )
    document, aspect, name = _text(row, judgment), _named(row, _ASPECT), _named(row, _ID)
    return [
        Item(
            Example(
                f"{place.path.stem}-{place.number}",
                document,
                _text(row, summary),
                question=fields.optional(row, aspect),
            ),
            domain="law",
            group=fields.optional(row, name) or fields.document_key(document),
            title=fields.optional(row, aspect),
        )
    ]


def _named(row: Row, names: tuple[str, ...]) -> str:
    """The first of the names that the record has; "" where it has none."""
    spelt = {name.lower(): name for name in row}
    return next((spelt[name] for name in names if name in spelt), "")


def _text(row: Row, name: str) -> str:
    return "\n".join(fields.texts(row, name)) if isinstance(row[name], list) else fields.text(row, name)
