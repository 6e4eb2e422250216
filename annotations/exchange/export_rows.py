"""The rows of a campaign in long form, as they are exported and read again. People appear under their pseudonyms.

Row numbers of one database mean nothing in another: tasks are numbered from 1, and labels are named by their event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, get_args

from pydantic import Field, TypeAdapter, ValidationError

from annotations.exchange.response_rows import (
    ExportedComment,
    ExportedCorrection,
    ExportedDecision,
    ExportedExclusion,
    ExportedFlagResolution,
    ExportedLabel,
    ExportedLimit,
    ExportedReservation,
    ExportedWithdrawal,
)
from annotations.exchange.setup_rows import (
    ExportedCampaign,
    ExportedDocument,
    ExportedDraw,
    ExportedExplanation,
    ExportedItem,
    ExportedOrigin,
    ExportedPerson,
    ExportedStop,
    ExportedSuggestion,
    ExportedTask,
    ExportedVersion,
)
from annotations.store.records import RecordError

ExportedRow = (
    ExportedCampaign
    | ExportedVersion
    | ExportedPerson
    | ExportedDocument
    | ExportedItem
    | ExportedOrigin
    | ExportedExplanation
    | ExportedTask
    | ExportedReservation
    | ExportedLabel
    | ExportedDecision
    | ExportedCorrection
    | ExportedComment
    | ExportedFlagResolution
    | ExportedSuggestion
    | ExportedExclusion
    | ExportedWithdrawal
    | ExportedLimit
    | ExportedDraw
    | ExportedStop
)
_ROW_ADAPTER: TypeAdapter[ExportedRow] = TypeAdapter(Annotated[ExportedRow, Field(discriminator="kind")])

CAMPAIGN_COLUMNS = tuple(
    dict.fromkeys(
        name
        for line in (ExportedLabel, ExportedDecision, ExportedTask, *get_args(ExportedRow))
        for name in line.model_fields
    )
)
"""Every column; those of labels come first, since most readers want these."""


def read_exported_rows(lines: Iterable[str]) -> Iterator[ExportedRow]:
    """The rows of an export as JSONL. Raises RecordError, which names the line, for one that is none."""
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield _ROW_ADAPTER.validate_json(text)
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, detail['loc'])) or 'row'}: {detail['msg']}" for detail in error.errors()[:3]
            )
            raise RecordError(
                f"Line {number} is no row of a campaign: {wrong}. Nothing was imported; export the campaign again as JSONL."
            ) from None
