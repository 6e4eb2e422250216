"""The data statement of a campaign alone."""

from __future__ import annotations

from typing import ClassVar

from annotations.exchange.data_statement import data_statement
from annotations.exchange.export_format import EXPORT_FORMATS, CampaignExport, ExportFormat


@EXPORT_FORMATS.add
class Statement(ExportFormat):
    """Markdown, counted over all labels at once."""

    name: ClassVar[str] = "data-statement"
    title: ClassVar[str] = "Data statement"
    about: ClassVar[str] = (
        "Markdown for a paper: people by role, pay, consent, instructions with their version, agreement. It has no names."
    )
    suffix: ClassVar[str] = "-data-statement.md"

    def content(self, export: CampaignExport) -> list[bytes]:
        return [data_statement(export, export.tasks()).encode()]
