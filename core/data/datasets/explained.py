"""Explanations by models of the samples of a dataset, and their grades, as `cli.py explain` and `judge` write them.

A record: `sample` (the id in the dataset), `by` (who explained), `explanation`, and what is known of `verdict` (consistent
or inconsistent), `label` of the summary (the same words), `grade` and `signature` (the judge). Texts of documents and summaries are not read: the dataset has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import Row
from core.types import Example, Grade, GradedExplanation, Item, Verdict

_VERDICTS = {verdict.value: verdict for verdict in (Verdict.CONSISTENT, Verdict.INCONSISTENT)}
_GRADES = {grade.value: grade.value for grade in Grade}


@DATASETS.add
class Explained(Importer):
    """A file of answers or of grades, to be imported under the name of the dataset that they speak of."""

    name: ClassVar[str] = "explained"
    title: ClassVar[str] = "Answers and grades of explain and judge"
    record_fields: ClassVar[frozenset[str]] = frozenset({"sample", "by", "explanation"})
    licence: ClassVar[str] = "your own"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        items: dict[str, Item] = {}
        for line in file_rows(source):
            # each by itself: a sample may have many explanations
            for record in item_stream.items_of_rows([line], source, _item, {}):
                if isinstance(record, Refusal):
                    yield record
                    continue
                before = items.get(record.example.id, record)
                items[record.example.id] = replace(
                    before, explanations=tuple(dict.fromkeys((*before.explanations, *record.explanations)))
                )
        yield from items.values()


def _item(row: Row, _: RecordPlace) -> list[Item]:
    sample = fields.text(row, "sample")

    text, unanswered = fields.optional(row, "explanation"), row.get("status") == "failed"
    if not text and (not fields.optional(row, "by") or (row.get("verdict") is None and not unanswered)):
        explanations: tuple[GradedExplanation, ...] = ()
    else:
        graded = row.get("grade") is not None
        explanations = (
            GradedExplanation(
                text,
                fields.text(row, "by"),
                grade=fields.choice(row, "grade", _GRADES) if graded else "",
                judge=fields.text(row, "signature") if graded else fields.optional(row, "signature"),
                verdict=fields.choice(row, "verdict", _VERDICTS) if row.get("verdict") is not None else None,
            ),
        )
    return [
        Item(
            Example(sample, "", ""),
            # under another name than that of the dataset nothing else says it
            intended=_VERDICTS.get(str(row.get("label"))),
            group=fields.optional(row, "group") or sample,
            explanations=explanations,
        )
    ]
