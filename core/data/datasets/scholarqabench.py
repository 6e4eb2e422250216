"""ScholarQABench (Asai et al. 2024): questions about papers, answered by experts from passages that they cite; no labels.

A record: `id`, `input` (the question), `ctxs` [{`title`, `text`, …}], `output` (the answer, which cites passages as [n] from
0), `annotator`, `subject`. The document is all passages of a question, each a context after its number and title.
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
from core.types import Example, Item


@DATASETS.add
class ScholarQABench(Importer):
    """human_answers.json, or the folder it lies in; the files with questions only have nothing to read."""

    name: ClassVar[str] = "scholarqabench"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "ScholarQABench"
    record_fields: ClassVar[frozenset[str]] = frozenset({"input", "ctxs", "output", "annotator", "subject"})
    licence: ClassVar[str] = "MIT"
    release: ClassVar[str] = "scholarqa_multi, 108 answers"
    url: ClassVar[str] = "https://github.com/AkariAsai/ScholarQABench"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "human_answers*.json"), _item)


def _item(row: Row, _: RecordPlace) -> list[Item]:
    passages = fields.records(row, "ctxs")
    if not passages:
        raise TouchstoneError("The field 'ctxs' is empty: the answer has no passages to rest on.")
    titles = [f"[{number}] {fields.optional(passage, 'title')}" for number, passage in enumerate(passages)]
    document, contexts = join_contexts(
        NamedText(title, f"{title}\n{fields.optional(passage, 'text')}")
        for title, passage in zip(titles, passages, strict=True)
    )
    name, question = fields.text(row, "id"), fields.text(row, "input")
    return [
        Item(
            Example(name, document, fields.text(row, "output"), contexts, question),
            domain=fields.optional(row, "subject"),
            group=name,
            title=question,
            system=fields.optional(row, "annotator"),
        )
    ]
