"""The human evaluation of SQuALITY (Wang et al. 2022): two models and a writer, rated by three reviewers each.

all-responses.jsonl, a story a line: `passage-id`, and `questions` by their number from 0: by system `response`, `reviews`
[{`worker_id`, `correctness-rating`, `selection-rating`, `overall-rating` (0 to 100), ranks, `annotations` with comments}] and
`overall` with the mean ratings. The stories are not in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.data.datasets.squality import Squality
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Example, Item, Rating

_ASPECTS = ("correctness", "selection", "overall")
_TEST = "test.jsonl"


@DATASETS.add
class SqualityHumanEval(Importer):
    """all-responses.jsonl, or a folder with it; ids are `<passage>/<question>/<system>`, questions counted from 1.

    The stories come from the test.jsonl of SQuALITY in the same folder, or are joined later. The figure "all" is the
    released mean; ranks and comments are left out.
    """

    name: ClassVar[str] = "squality-human-eval"
    title: ClassVar[str] = "SQuALITY, human evaluation"
    record_fields: ClassVar[frozenset[str]] = frozenset({"passage-id", "questions"})
    licence: ClassVar[str] = "CC-BY-4.0 (stories: Project Gutenberg)"
    release: ClassVar[str] = "20 stories, 300 responses, 900 reviews"
    url: ClassVar[str] = "https://github.com/nyu-mll/SQuALITY"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        paths = item_stream.matching_files(source, "all-responses.jsonl")
        folder = source if source.is_dir() else source.parent
        stories: dict[str, Example] = {}  # of each question, by `<passage>/<question>`
        if any(folder.rglob(_TEST)):
            examples = (item.example for item in Squality().read(folder) if isinstance(item, Item))
            stories = {example.id.rpartition("/")[0]: example for example in examples}

        def convert(row: Row, _: RecordPlace) -> list[Item]:
            story = fields.text(row, "passage-id")
            questions = fields.record(row, "questions")
            if not questions:
                raise TouchstoneError("The field 'questions' is empty. Fill it in or remove the record.")
            return [
                _item(story, int(fields.number({"question": number}, "question")) + 1, system, answers, stories)
                for number in questions
                for answers in [fields.record(questions, number)]
                for system in answers
            ]

        return item_stream.items_of_files(paths, convert)


def _item(story: str, question: int, system: str, answers: Row, stories: dict[str, Example]) -> Item:
    answer = fields.record(answers, system)
    return Item(
        replace(
            stories.get(f"{story}/{question}", Example("", "", "")),
            id=f"{story}/{question}/{system}",
            summary=fields.text(answer, "response"),
        ),
        domain="fiction",
        group=story,
        system=system,
        ratings=(
            *_ratings(ALL_JUDGES, fields.record(answer, "overall")),
            *(
                rating
                for review in fields.records(answer, "reviews")
                for rating in _ratings(f"worker-{fields.text(review, 'worker_id')}", review)
            ),
        ),
    )


def _ratings(judge: str, answers: Row) -> Iterator[Rating]:
    for aspect in _ASPECTS:
        value = fields.optional_number(answers, f"{aspect}-rating")
        if value is not None:
            yield Rating(judge, aspect, value)
