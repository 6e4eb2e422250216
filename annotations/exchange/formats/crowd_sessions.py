"""The sessions of a crowd platform's participants: what to approve, screen out or reject there, and why."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import ClassVar

from annotations.exchange.export_format import EXPORT_FORMATS, CampaignExport, ExportFormat
from annotations.labelling.crowd import SessionRow, load_sessions
from annotations.store.records import RecordError
from core.text import csv_lines


@EXPORT_FORMATS.add
class CrowdSessions(ExportFormat):
    """CSV with a row for each session."""

    name: ClassVar[str] = "crowd-sessions"
    title: ClassVar[str] = "Sessions of participants"
    about: ClassVar[str] = (
        "CSV for Prolific or MTurk: each participant with code, labels, minutes, pay, verdict, and the evidence of a rejection."
    )
    suffix: ClassVar[str] = "-sessions.csv"

    def nothing_to_export(self, export: CampaignExport) -> str:
        return "" if load_sessions(export.session, export.campaign) else "No participant of a crowd platform came yet."

    def content(self, export: CampaignExport) -> list[bytes]:
        if reason := self.nothing_to_export(export):
            raise RecordError(reason)
        rows = [[*asdict(row).values()] for row in load_sessions(export.session, export.campaign)]
        return ["".join(csv_lines([[field.name for field in fields(SessionRow)], *rows])).encode()]
