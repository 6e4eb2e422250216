"""Everything of a campaign as JSONL, which another database imports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from annotations.exchange.export import to_jsonl
from annotations.exchange.export_format import EXPORT_FORMATS, CampaignExport, ExportFormat


@EXPORT_FORMATS.add
class Jsonl(ExportFormat):
    """One object a line, written row by row, see `export_rows`."""

    name: ClassVar[str] = "jsonl"
    title: ClassVar[str] = "JSONL"
    about: ClassVar[str] = (
        "Everything: one row per label revision, with pseudonyms; can be imported into another database."
    )
    suffix: ClassVar[str] = ".jsonl"

    def content(self, export: CampaignExport) -> Iterator[bytes]:
        return (line.encode() for line in to_jsonl(export.rows()))
