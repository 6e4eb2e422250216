"""RAGTruth++ (Blue Guardrails 2025): 408 answers and summaries of RAGTruth's test part, marked again.

messages.csv: `stable_id`, `role` (user, with the task and the source; assistant), `position`, `text`, `message_thread_stable_id`, `meta`.
hallucination_spans.csv: `message_stable_id`, `start_pos`, `end_pos`, `span_text`, `label`, `reasoning`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import Row
from core.data.datasets.ragtruth import span_judgement
from core.errors import TouchstoneError
from core.types import Example, Item, Verdict

_SPANS = "hallucination_spans.csv"


@DATASETS.add
class RagTruthPlus(Importer):
    """The folder with both tables, or messages.csv beside the other; the document is what the user wrote, the task and its source.

    A message without a span is consistent. Beside `ragtruth` it is a second set of labels for the same answers.
    """

    name: ClassVar[str] = "ragtruth-plus"
    title: ClassVar[str] = "RAGTruth++"
    record_fields: ClassVar[frozenset[str]] = frozenset({"stable_id", "role", "text", "message_thread_stable_id"})
    licence: ClassVar[str] = "not stated (texts: RAGTruth, MIT)"
    release: ClassVar[str] = "408 answers, 865 spans"
    url: ClassVar[str] = "https://huggingface.co/datasets/blue-guardrails/ragtruth-plus-plus"
    hub: ClassVar[str] = "blue-guardrails/ragtruth-plus-plus"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        for path in item_stream.matching_files(source, "messages.csv"):
            marks = _rows_by(path.with_name(_SPANS), "message_stable_id")
            prompts = _prompts(path)

            def convert(
                row: Row, _: RecordPlace, marks: Mapping[str, list[Row]] = marks, prompts: Mapping[str, str] = prompts
            ) -> list[Item]:
                return [_item(row, marks, prompts)] if fields.text(row, "role") == "assistant" else []

            yield from item_stream.items_of_files([path], convert)


def _rows_by(path: Path, key: str) -> Mapping[str, list[Row]]:
    if not path.is_file():
        raise TouchstoneError(
            f"There is no {path.name} beside messages.csv: without it no answer has a label. Copy it there."
        )
    rows: dict[str, list[Row]] = defaultdict(list)
    for number, row in file_rows(path):
        if isinstance(row, str):
            raise TouchstoneError(f"{path.name}, line {number}: {row}")
        rows[fields.text(row, key)].append(row)
    return rows


def _prompts(path: Path) -> Mapping[str, str]:
    """The text of the user by thread."""
    rows = (row for _, row in file_rows(path) if not isinstance(row, str) and row.get("role") == "user")
    return {fields.text(row, "message_thread_stable_id"): fields.text(row, "text") for row in rows}


def _item(row: Row, marks: Mapping[str, list[Row]], prompts: Mapping[str, str]) -> Item:
    name, thread, answer = (fields.text(row, field) for field in ("stable_id", "message_thread_stable_id", "text"))
    if thread not in prompts:
        raise TouchstoneError(f"The field 'message_thread_stable_id' is {thread!r}, of which no user wrote anything.")
    labels = [
        {
            "text": mark.get("span_text"),
            "start": mark.get("start_pos"),
            "label_type": mark.get("label"),
            "meta": mark.get("reasoning"),
        }
        for mark in marks.get(name, [])
    ]
    judgements = tuple(span_judgement(label, name, answer) for label in labels)
    return Item(
        Example(name, prompts[thread], answer),
        intended=Verdict.INCONSISTENT if judgements else Verdict.CONSISTENT,
        group=fields.document_key(prompts[thread]),
        judgements=judgements,
        categories=tuple(dict.fromkeys(judgement.category for judgement in judgements)),
    )
