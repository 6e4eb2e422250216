"""Result files of UniEval (Zhong et al. 2022): outputs of systems with human scores and UniEval's, by aspect.

A record: `source`, `system_output`, `scores` (human), `predict_scores` (UniEval), and by task `doc_id`, `system_id`,
`context`. In the QAGS files `reference` is a copy of `source`, no reference summary. A dialogue's output may rest on the
dialogue and on `context`, the fact it was given.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.types import ALL_JUDGES, Example, Item, Rating, StoredScore, Verdict


@DATASETS.add
class UniEval(Importer):
    """A `*_result.json`, or a folder of them; ids are `<file>-<number>` from 0, the domain is the file's name.

    In the QAGS files, whose human score is the share of consistent sentences, a summary counts as consistent where all
    of them are; the other files have no label.
    """

    name: ClassVar[str] = "unieval"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "UniEval result files"
    record_fields: ClassVar[frozenset[str]] = frozenset({"doc_id", "system_id", "source", "system_output", "scores"})
    licence: ClassVar[str] = "MIT"
    release: ClassVar[str] = "reproduce/unieval_predict"
    url: ClassVar[str] = "https://github.com/maszhongming/UniEval"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*_result.json"), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    task = place.path.stem.removesuffix("_result")
    document = "\n".join(text for name in ("source", "context") if (text := fields.optional(row, name)))
    human = fields.record(row, "scores")
    predicted = fields.record(row, "predict_scores") if row.get("predict_scores") else {}
    system = fields.optional(row, "system_id") if "system_id" in row else ""
    return [
        Item(
            Example(f"{task}-{place.number - 1}", document, fields.text(row, "system_output")),
            intended=(Verdict.CONSISTENT if fields.number(human, "consistency") == 1 else Verdict.INCONSISTENT)
            if task.startswith("qags")
            else None,
            domain=task,
            group=f"{task}-{fields.text(row, 'doc_id')}" if "doc_id" in row else fields.document_key(document),
            system=system,
            ratings=tuple(Rating(ALL_JUDGES, aspect, fields.number(human, aspect)) for aspect in human),
            scores=tuple(StoredScore(f"UniEval {aspect}", fields.number(predicted, aspect)) for aspect in predicted),
        )
    ]
