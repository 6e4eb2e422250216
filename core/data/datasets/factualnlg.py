"""The graded explanations of factualNLG (Laban et al. 2023): why models call summaries of FactCC inconsistent.

A record: `id`, `doc`, `summary`, `samples` [{`model`, `prompt`, `explanation`, `annotation` (the grade that people gave)}].
Every sample is of a model that called the summary inconsistent; whether it is, is not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.types import Example, GradedExplanation, Item

_GRADES = {grade: grade for grade in ("correct", "partially_correct", "incorrect", "unrelated", "no_explanation")}
_JUDGE = "factualNLG"


@DATASETS.add
class FactualNLG(Importer):
    """factcc_explanation_annotation.json, or the folder it lies in; who explains is `<model>|<prompt>`."""

    name: ClassVar[str] = "factualnlg"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "factualNLG, graded explanations"
    record_fields: ClassVar[frozenset[str]] = frozenset({"doc", "summary", "samples"})
    licence: ClassVar[str] = "Apache-2.0 (articles: CNN/DailyMail)"
    release: ClassVar[str] = "125 summaries with 3,643 explanations"
    url: ClassVar[str] = "https://github.com/salesforce/factualNLG"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(
            item_stream.matching_files(source, "factcc_explanation_annotation.json"), _item
        )


def _item(row: Row, _: RecordPlace) -> list[Item]:
    example = Example(fields.text(row, "id"), fields.text(row, "doc"), fields.text(row, "summary"))
    explanations = []
    for sample in fields.records(row, "samples"):
        by = f"{fields.text(sample, 'model')}|{fields.text(sample, 'prompt')}"
        text, grade = fields.text(sample, "explanation"), fields.choice(sample, "annotation", _GRADES)
        explanations.append(GradedExplanation(text, by, grade, _JUDGE))
    return [
        Item(
            example,
            domain="news",
            group=fields.document_key(example.document),
            explanations=tuple(explanations),
        )
    ]
