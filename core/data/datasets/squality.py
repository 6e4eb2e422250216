"""SQuALITY (Wang et al. 2022): stories with questions, each answered in four summaries by people; there are no labels.

A line is a story: `metadata` {`passage_id`}, `document`, `questions` [{`question_text`, `question_number`, `responses`
[{`worker_id`, `response_text`}]}].
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.types import Example, Item, Split

_SPLITS = {split.value: split for split in Split}


@DATASETS.add
class Squality(Importer):
    """A `<split>.jsonl`, or a folder of them; ids are `<passage_id>/<question_number>/<response>`, counted from 1.

    The texts are to be perturbed, not judged: they are long, and the summaries are by careful writers. Of the released
    folders, which hold the same stories again and again, the plain texts of the newest version are read.
    """

    name: ClassVar[str] = "squality"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "SQuALITY"
    record_fields: ClassVar[frozenset[str]] = frozenset({"metadata", "document", "questions"})
    licence: ClassVar[str] = "CC-BY-4.0 (stories: Project Gutenberg)"
    release: ClassVar[str] = "v1.3"
    url: ClassVar[str] = "https://github.com/nyu-mll/SQuALITY"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        paths = item_stream.matching_files(source, *(f"{split}.jsonl" for split in Split))
        newest = max((path.parent for path in paths), key=lambda folder: (folder.name == "txt", folder.parent.name))
        return item_stream.items_of_files((path for path in paths if path.parent == newest), _items)


def _items(row: Row, place: RecordPlace) -> list[Item]:
    document = fields.text(row, "document")
    story = fields.text(fields.record(row, "metadata"), "passage_id")
    split = _SPLITS.get(place.path.stem)
    return [
        Item(
            Example(
                f"{story}/{fields.text(question, 'question_number')}/{number}",
                document,
                fields.text(response, "response_text"),
                question=fields.text(question, "question_text"),
            ),
            domain="fiction",
            group=story,
            title=fields.text(question, "question_text"),
            system=f"writer-{fields.optional(response, 'worker_id')}",
            split=split,
        )
        for question in fields.records(row, "questions")
        for number, response in enumerate(fields.records(question, "responses"), start=1)
    ]
