"""CLIFF (Cao and Wang 2021): summaries of two models with the errors that people found, as AggreFact released them.

CLIFF_error_types.csv: `dataset`, `origin` (xsum or cnndm), `id` (of the document), `doc`, `summ`, `model_name`, `cut`,
`error_type` ("correct", or a Python list such as ['extrinsic-NP']), `annotated_span` (a Python list, blank where correct).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.types import Example, Item, Judgement, Span, Split, Verdict

_CUTS = {"val": Split.DEV, "test": Split.TEST}
_CORRECT = "correct"


@DATASETS.add
class Cliff(Importer):
    """CLIFF_error_types.csv, or the folder with it; ids are `<origin>/<id>/<model>`.

    The error types of AggreFact are the categories. Marked words that are not in the summary are left out.
    """

    name: ClassVar[str] = "cliff"
    title: ClassVar[str] = "CLIFF"
    record_fields: ClassVar[frozenset[str]] = frozenset(
        {"annotated_span", "cut", "dataset", "doc", "error_type", "id", "model_name", "origin", "summ"}
    )
    licence: ClassVar[str] = "none stated (code of CLIFF: Apache-2.0)"
    release: ClassVar[str] = "600 summaries with error types, by AggreFact"
    url: ClassVar[str] = "https://github.com/Liyan06/AggreFact"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "CLIFF_error_types.csv"), _items)


def _items(row: Row, _: RecordPlace) -> list[Item]:
    group, origin, system = (fields.text(row, name) for name in ("id", "origin", "model_name"))
    name, summary = f"{origin}/{group}/{system}", fields.text(row, "summ")
    correct = fields.text(row, "error_type").strip().lower() == _CORRECT
    marked = [] if correct else fields.literals(row, "annotated_span")
    places = [(summary.find(words), len(words)) for words in dict.fromkeys(marked) if words]
    spans = [Span(start, start + length) for start, length in places if start >= 0]
    return [
        Item(
            Example(name, fields.text(row, "doc"), summary),
            intended=Verdict.CONSISTENT if correct else Verdict.INCONSISTENT,
            domain=origin,
            group=group,
            judgements=tuple(Judgement(name, "annotators", Verdict.INCONSISTENT, span) for span in spans),
            categories=() if correct else tuple(fields.literals(row, "error_type")),
            system=system,
            split=fields.choice(row, "cut", _CUTS),
        )
    ]
