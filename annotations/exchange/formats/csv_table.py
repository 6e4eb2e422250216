"""Everything of a campaign as one table for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from annotations.exchange.export import to_csv
from annotations.exchange.export_format import EXPORT_FORMATS, CampaignExport, ExportFormat, own_column_names
from annotations.exchange.export_rows import CAMPAIGN_COLUMNS
from core.text import BYTE_ORDER_MARK

_ANSWER_PREFIX = "answer."


@EXPORT_FORMATS.add
@dataclass(frozen=True)
class CsvTable(ExportFormat):
    """CSV with formulas escaped, written row by row; `answers` as JSON, with a column `answer.ID` for each question, and the owner's `columns` likewise.

    `byte_order_mark` opens it, by which Excel reads it as UTF-8.
    """

    byte_order_mark: bool = True

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV"
    about: ClassVar[str] = "The same rows for a spreadsheet, with a column for each question."
    suffix: ClassVar[str] = ".csv"

    def content(self, export: CampaignExport) -> Iterator[bytes]:
        ids = [question.id for question in export.questions()]
        answers = {_ANSWER_PREFIX + id: id for id in ids}
        own = own_column_names(export.column_names(), {*CAMPAIGN_COLUMNS, *answers})
        flat = (
            {
                **row,
                **{name: row.get("answers", {}).get(id) for name, id in answers.items()},
                **{shown: row.get("columns", {}).get(name) for name, shown in own.items()},
            }
            for row in export.rows()
        )
        lines = to_csv(flat, (*CAMPAIGN_COLUMNS, *answers, *own.values()))
        return (line.encode() for line in chain([BYTE_ORDER_MARK] if self.byte_order_mark else [], lines))
