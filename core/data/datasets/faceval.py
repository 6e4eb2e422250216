"""FacEval (Wang et al. 2022), human part: summaries of SAMSum dialogues by five systems, with the kinds of their errors.

A row: `DocID`, `Dialogue`, `Model`, `Summary`, one column for each kind of error and `w/ Error`. Their "yes" says that
an error is there: the label is the other way round than everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.types import Example, Item, Verdict

_KINDS = ("SubObjE", "ProE", "NegE", "ParE", "HalE", "OtherE")
_ERROR_PRESENT = {"yes": True, "no": False}
_LABELS = {"yes": Verdict.INCONSISTENT, "no": Verdict.CONSISTENT}


@DATASETS.add
class FacEval(Importer):
    """FacEval_human_result.csv, or the folder it lies in; ids are `<DocID>/<Model>`."""

    name: ClassVar[str] = "faceval"
    title: ClassVar[str] = "FacEval"
    record_fields: ClassVar[frozenset[str]] = frozenset({"DocID", "Dialogue", "Model", "Summary", "SubObjE"})
    licence: ClassVar[str] = "MIT (dialogues: SAMSum)"
    release: ClassVar[str] = "750 summaries"
    url: ClassVar[str] = "https://github.com/BinWang28/FacEval"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*human_result*.csv"), _item)


def _item(row: Row, _: RecordPlace) -> list[Item]:
    group, system = fields.text(row, "DocID"), fields.text(row, "Model")
    return [
        Item(
            Example(f"{group}/{system}", fields.text(row, "Dialogue"), fields.text(row, "Summary")),
            intended=fields.choice(row, "w/ Error", _LABELS),
            domain="dialogue",
            group=group,
            categories=tuple(kind for kind in _KINDS if fields.choice(row, kind, _ERROR_PRESENT)),
            system=system,
        )
    ]
