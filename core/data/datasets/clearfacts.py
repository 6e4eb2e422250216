"""ClearFacts and GrayFacts (Seo et al. 2025): claims of 14 benchmarks whose labels were corrected, and those that stayed ambiguous.

A line each: `topic` (the benchmark), `category` (a part of it), `statement`, `reference_documents` (one or more texts), `label`: S
(supported), NS (not supported) or AMBIG, and `additional_info` with the `original_label` of the benchmark.
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
from core.types import Example, Item, Judgement, Verdict

_VERDICTS = {"s": Verdict.CONSISTENT, "ns": Verdict.INCONSISTENT, "ambig": Verdict.BORDERLINE}


@DATASETS.add
class ClearFacts(Importer):
    """clearfacts.jsonl, grayfacts.jsonl, or a folder with them; an ambiguous claim is borderline, and the benchmark is the domain.

    The label of before stays as the judgement of "original", so that the two label sets can be compared.
    """

    name: ClassVar[str] = "clearfacts"
    title: ClassVar[str] = "ClearFacts and GrayFacts"
    record_fields: ClassVar[frozenset[str]] = frozenset({"topic", "statement", "reference_documents", "label"})
    licence: ClassVar[str] = "not stated; each claim has the licence of its benchmark"
    release: ClassVar[str] = "clear claims, and 159 ambiguous ones"
    url: ClassVar[str] = "https://github.com/just1nseo/verifying-the-verifiers"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*facts*.jsonl", "*facts*.parquet"), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    texts = fields.texts(row, "reference_documents")
    if not texts:
        raise TouchstoneError("The field 'reference_documents' is empty. Fill it in or remove the record.")
    named = [NamedText(f"document {number}", text) for number, text in enumerate(texts, 1)]
    document, contexts = join_contexts(named)
    name = f"{place.path.stem}-{place.number}"
    info = row.get("additional_info")
    original = fields.optional(info, "original_label") if isinstance(info, dict) else ""
    before = fields.meaning("original_label", fields.as_word(original), _VERDICTS) if original else None
    return [
        Item(
            Example(name, document, fields.text(row, "statement"), contexts if len(texts) > 1 else ()),
            intended=fields.choice(row, "label", _VERDICTS),
            domain=fields.text(row, "topic"),
            group=fields.document_key(document),
            judgements=(Judgement(name, "original", before),) if before else (),
            source=fields.optional(row, "category"),
        )
    ]
