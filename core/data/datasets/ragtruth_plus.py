"""RAGTruth++ (Blue Guardrails 2025): 408 answers and summaries of RAGTruth's test part, marked again.

messages.csv: `stable_id`, `role` (user, with the task and the source; assistant), `position`, `text`, `message_thread_stable_id`, `meta`.
hallucination_spans.csv: `message_stable_id`, `start_pos`, `end_pos`, `span_text`, `label`, `reasoning`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
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
_IS_ANSWER = {"assistant": True, "user": False}

Marks = Mapping[str, list[tuple[int, Row]]]
"""The rows of the marks of each message, with their lines."""


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
            spans = path.with_name(_SPANS)
            marks, messages = _marks(spans), _messages(path)
            names = {fields.optional(row, "stable_id") for row in messages}
            for name in (name for name in marks if name not in names):
                error = f"The field 'message_stable_id' is {name!r}, which messages.csv does not have."
                yield Refusal(marks[name][0][0], error, spans.name)
            prompts = _prompts(messages)

            def convert(
                row: Row, _: RecordPlace, marks: Marks = marks, prompts: Mapping[str, list[str]] = prompts
            ) -> list[Item]:
                return [_item(row, marks, prompts)] if fields.choice(row, "role", _IS_ANSWER) else []

            yield from item_stream.items_of_files([path], convert)


def _marks(path: Path) -> Marks:
    if not path.is_file():
        raise TouchstoneError(
            f"There is no {path.name} beside messages.csv: without it no answer has a label. Copy it there."
        )
    rows: dict[str, list[tuple[int, Row]]] = defaultdict(list)
    for number, row in file_rows(path):
        if isinstance(row, str):
            raise TouchstoneError(f"{path.name}, line {number}: {row}")
        rows[fields.text(row, "message_stable_id")].append((number, row))
    return rows


def _messages(path: Path) -> list[Row]:
    return [row for _, row in file_rows(path) if not isinstance(row, str)]


def _prompts(messages: Iterable[Row]) -> Mapping[str, list[str]]:
    """The texts of the user by thread."""
    prompts: dict[str, list[str]] = defaultdict(list)
    for row in messages:
        if fields.as_word(row.get("role")) == "user":
            prompts[fields.text(row, "message_thread_stable_id")].append(fields.text(row, "text"))
    return prompts


def _item(row: Row, marks: Marks, prompts: Mapping[str, list[str]]) -> Item:
    name, thread, answer = (fields.text(row, field) for field in ("stable_id", "message_thread_stable_id", "text"))
    texts = prompts.get(thread, [])
    if len(texts) != 1:
        raise TouchstoneError(
            f"The field 'message_thread_stable_id' is {thread!r}, where the user wrote {len(texts)} messages. It must be one, the document."
        )
    [document] = texts
    labels = [
        {
            "text": mark.get("span_text"),
            "start": mark.get("start_pos"),
            "label_type": mark.get("label"),
            "meta": mark.get("reasoning"),
        }
        for _, mark in marks.get(name, [])
    ]
    judgements = tuple(span_judgement(label, name, answer) for label in labels)
    return Item(
        Example(name, document, answer),
        intended=Verdict.INCONSISTENT if judgements else Verdict.CONSISTENT,
        group=fields.document_key(document),
        judgements=judgements,
        categories=tuple(dict.fromkeys(judgement.category for judgement in judgements)),
    )
