"""The exported rows of the responses of a campaign, with people by pseudonym."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from annotations.exchange.export_columns import (
    QUERIED,
    ErrorTypeName,
    ExportColumn,
    ExportedModel,
    LabelEvent,
    LocalIds,
    MakerName,
    PersonPseudonym,
    StorableText,
    TaskNumber,
)
from annotations.store.campaign_tables import TaskWithdrawal
from annotations.store.response_tables import (
    Adjudication,
    Comment,
    Correction,
    Exclusion,
    FlagResolution,
    LimitEvent,
    Reservation,
    Response,
)


class ExportedReservation(ExportedModel):
    """A task reserved for a person."""

    table = Reservation

    kind: Literal["turn"] = "turn"
    """Kind of the row."""
    task: TaskNumber
    """Number of the task in the campaign."""
    person: PersonPseudonym
    """Pseudonym of the annotator."""
    turn: int
    """1 for the first time that the person had the task, 2 for a repeat."""
    order: Annotated[int, ExportColumn("number")]
    """Place among the person's tasks, from 1."""
    swapped: bool
    """True if the original was on the right."""
    state: Literal["open", "answered", "skipped", "flagged", "late", "lapsed"]
    """State of the reservation; a late one was answered after others had taken its place."""
    reserved_at: datetime
    """Time of the reservation."""
    expires_at: datetime
    """Time after which an open one is void."""
    excluded: bool = False
    """True if its label is left out; see `ExportedExclusion`."""


class ExportedLabel(ExportedModel):
    """One revision of a response to a task: an answer, a skip, a flag or an undo."""

    table = Response

    kind: Literal["label"] = "label"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it, unique in the campaign."""
    task: Annotated[int, QUERIED]
    """Number of the task in the campaign."""
    item_id: Annotated[StorableText, QUERIED]
    """Id of the labelled item."""
    part: Annotated[StorableText, QUERIED]
    """Part of the campaign that the task belongs to."""
    person: Annotated[StorableText, QUERIED]
    """Pseudonym of the annotator."""
    columns: Annotated[dict[str, StorableText], QUERIED] = Field(default_factory=dict)
    """Cells of the owner's table beside the texts, by column."""
    turn: Annotated[int, QUERIED]
    """1 for the first time that the person had the task, 2 for a repeat."""
    revision: int
    """Number of the response to this reservation, from 1."""
    act: Literal["answer", "skip", "flag", "undo"]
    """Kind of response."""
    answers: Annotated[dict[str, Any], QUERIED]
    """Answers by question, with the original on the left; empty for other acts."""
    reason: StorableText
    """Reason of a skip or flag; "" for an answer."""
    blind: bool
    """True if no score had been shown."""
    mode: Literal["unaided", "pre-annotated", "assisted", "imported"] = "unaided"
    """Help that the label was given with; imported where another tool has it from the person."""
    version: int
    """Version of guidelines and questions that were shown."""
    order: Annotated[int, ExportColumn("number")]
    """Place among the person's tasks, from 1."""
    swapped: bool
    """True if the original was shown on the right."""
    active_ms: int
    """Milliseconds in which the person read or typed."""
    wall_ms: int
    """Milliseconds from showing the task to the response."""
    created_at: datetime
    """Time of the response."""
    provenance: Annotated[StorableText | None, QUERIED]
    """Origin of the task's final answers: single, unanimous, adjudicated or unresolved; None outside work."""
    excluded: Annotated[bool, QUERIED] = False
    """True if agreement and final labels leave it out."""
    selection_probability: Annotated[float | None, QUERIED] = None
    """Probability of the item in the sample so far; None where the items were not drawn."""


class ExportedDecision(ExportedModel):
    """Decision of an adjudicator on a task."""

    table = Adjudication

    kind: Literal["decision"] = "decision"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it."""
    task: TaskNumber
    """Number of the task in the campaign."""
    item_id: Annotated[StorableText, QUERIED]
    """Id of the labelled item."""
    person: MakerName
    """Name or pseudonym of the adjudicator."""
    revision: int
    """Number of the decision on this task, from 1."""
    answers: dict[str, Any]
    """Answers decided on, with the original on the left."""
    cause: Literal["annotator slip", "ambiguous text", "guideline gap", "real edge case"]
    """Reason why the labels differ."""
    note: StorableText
    """Note of the adjudicator; "" for none."""
    settles: Annotated[tuple[StorableText, ...], ExportColumn("settles", None, LocalIds.label_list)]
    """Events of the labels that were decided on."""
    created_at: datetime
    """Time of the decision."""


class ExportedCorrection(ExportedModel):
    """The error type that a curator found in the edit of a label; the required one is part of the task."""

    table = Correction

    kind: Literal["correction"] = "correction"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it."""
    label: LabelEvent
    """Event of the label with the edit."""
    item_id: StorableText
    """Id of the edited summary."""
    person: MakerName
    """Name or pseudonym of the curator."""
    revision: int
    """Number of the correction of this label, from 1."""
    error_type: ErrorTypeName
    """Error type that the curator found."""
    note: StorableText
    """Note of the curator; "" for none."""
    created_at: datetime
    """Time of the correction."""


class ExportedComment(ExportedModel):
    """Comment on a task."""

    table = Comment

    kind: Literal["comment"] = "comment"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it."""
    task: TaskNumber
    """Number of the task in the campaign."""
    annotator: Annotated[StorableText | None, ExportColumn("annotator_id", None, LocalIds.person)]
    """Pseudonym of the annotator whose conversation it is; None for adjudicators and managers among themselves."""
    role: Literal["annotator", "adjudicator", "manager"]
    """Role in which its author speaks."""
    person: MakerName
    """Name or pseudonym of its author."""
    text: StorableText
    """Text of the comment."""
    created_at: datetime
    """Time of the comment."""


class ExportedFlagResolution(ExportedModel):
    """Resolution of a flag by a manager; `label` is the event of the flag."""

    table = FlagResolution

    kind: Literal["resolution"] = "resolution"
    event_id: StorableText
    label: LabelEvent
    person: MakerName
    note: StorableText
    created_at: datetime


class ExportedExclusion(ExportedModel):
    """Exclusion of labels of a person, with its end if the labels count again."""

    table = Exclusion

    kind: Literal["exclusion"] = "exclusion"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it."""
    person: PersonPseudonym
    """Pseudonym of the person whose labels are left out."""
    day: date | None
    """Day (UTC) of the labels; None covers all days."""
    question: StorableText
    """Id of the question whose answers are left out; "" covers whole labels."""
    reason: StorableText
    """Reason that the manager stated."""
    by: MakerName
    """Name or pseudonym of the manager."""
    created_at: datetime
    """Time of the exclusion; later labels count."""
    reinstated: Annotated[StorableText | None, QUERIED] = None
    """Reason for counting the labels again; None while the exclusion is valid."""
    reinstated_by: Annotated[StorableText | None, QUERIED] = None
    """Name or pseudonym of the manager who ended it; None while it is valid."""
    reinstated_at: Annotated[datetime | None, QUERIED] = None
    """Time of its end; None while it is valid."""


class ExportedWithdrawal(ExportedModel):
    """Withdrawal of a task, or its return; the last row of a task counts."""

    table = TaskWithdrawal

    kind: Literal["withdrawal"] = "withdrawal"
    task: TaskNumber
    withdrawn: bool
    reason: StorableText
    replaced_by: Annotated[int | None, ExportColumn("replaced_by", None, LocalIds.task)]
    by: MakerName
    created_at: datetime


class ExportedLimit(ExportedModel):
    """Warning, pause or resumption of a person, by a limit, with its `signal`, or by a manager."""

    table = LimitEvent

    kind: Literal["limit"] = "limit"
    person: PersonPseudonym
    act: Literal["warn", "pause", "resume"]
    signal: StorableText
    reason: StorableText
    by: MakerName
    created_at: datetime
