"""SummEval (Fabbri et al. 2021): summaries of CNN/DailyMail by 16 systems, rated by three experts and five crowd workers.

A record of model_annotations.aligned.jsonl: `id` (the document's), `decoded` (the summary), `model_id`, `expert_annotations` and
`turker_annotations` (a list of {coherence, consistency, fluency, relevance}, from 1 to 5); the paired file has the document in `text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Example, Item, Rating, Verdict

_ASPECTS = ("coherence", "consistency", "fluency", "relevance")
_BEST = 5.0


@DATASETS.add
class SummEval(Importer):
    """A file of annotations, with documents or without; ids are `<document>/<system>`.

    A summary counts as consistent where each expert gave its consistency the full mark, as in TRUE (Honovich et al. 2022).
    Ratings are those of each expert, and their means as the dataset's figure; the crowd's are left out.
    """

    name: ClassVar[str] = "summeval"
    title: ClassVar[str] = "SummEval"
    record_fields: ClassVar[frozenset[str]] = frozenset({"decoded", "expert_annotations", "model_id"})
    licence: ClassVar[str] = "MIT (articles: CNN/DailyMail)"
    release: ClassVar[str] = "model_annotations.aligned.jsonl"
    url: ClassVar[str] = "https://github.com/Yale-LILY/SummEval"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(
            item_stream.matching_files(source, "model_annotations.aligned*.jsonl"), _items
        )


def _items(row: Row, _: RecordPlace) -> list[Item]:
    group, system = fields.text(row, "id"), fields.text(row, "model_id")
    experts = [
        {aspect: fields.number(expert, aspect) for aspect in _ASPECTS}
        for expert in fields.records(row, "expert_annotations")
    ]
    if not experts:
        raise TouchstoneError("The field 'expert_annotations' is empty. Fill it in or remove the record.")
    consistent = all(expert["consistency"] == _BEST for expert in experts)
    return [
        Item(
            Example(f"{group}/{system}", fields.optional(row, "text"), fields.text(row, "decoded")),
            intended=Verdict.CONSISTENT if consistent else Verdict.INCONSISTENT,
            group=group,
            domain="news",
            system=system,
            ratings=(
                *(
                    Rating(f"expert-{number}", aspect, value)
                    for number, expert in enumerate(experts, 1)
                    for aspect, value in expert.items()
                ),
                *(
                    Rating(ALL_JUDGES, aspect, fsum(expert[aspect] for expert in experts) / len(experts))
                    for aspect in _ASPECTS
                ),
            ),
        )
    ]
