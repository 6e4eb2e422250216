"""The tables of reserved tasks, the labels given to them, what was decided and written about these, and their counts. Only `reservation` and the counts do not only ever grow."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Index, UniqueConstraint, false
from sqlmodel import Field

from annotations.store.tables import StoreTable, UtcDateTime, rows_that_are, rows_where
from core.types import ErrorType


class Reservation(StoreTable, table=True):
    """A task reserved for one person."""

    __table_args__ = (
        UniqueConstraint("task_id", "person_id", "turn"),
        UniqueConstraint("person_id", "campaign_id", "number"),
        CheckConstraint("state IN ('open', 'answered', 'skipped', 'flagged', 'late', 'lapsed')", name="state"),
        Index("ix_reservation_places", "task_id", "turn", "state", "expires_at"),
        Index("ix_reservation_open", "campaign_id", "expires_at", **rows_where("state = 'open'")),
        Index("ix_reservation_own_open", "person_id", "campaign_id", **rows_where("state = 'open'")),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the reservation."""
    campaign_id: str = Field(foreign_key="campaign.id")
    """Campaign of the task."""
    task_id: str = Field(foreign_key="task.id")
    """Task that is reserved."""
    person_id: str = Field(foreign_key="person.id")
    """Person whom it is reserved for."""
    turn: int
    """1 for the first time that the person has the task, 2 for a repeat."""
    number: int
    """Place among the person's tasks of the campaign, from 1."""
    swapped: bool
    """True if the sides of a pair are shown in reverse."""
    state: str
    """State of the reservation; a late one was answered after others had taken the place that it lost by expiring."""
    reserved_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the reservation."""
    expires_at: datetime = Field(sa_type=UtcDateTime)
    """Time after which an open one is void; moves on while the person works."""
    excluded: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if an Exclusion that is not reinstated covers its label, so that its place is free, or if its task is withdrawn."""


class Response(StoreTable, table=True):
    """A label of a task by one person, or a skip, a flag or an undo; a changed answer is the next revision."""

    __table_args__ = (
        UniqueConstraint("reservation_id", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("act IN ('answer', 'skip', 'flag', 'undo')", name="act"),
        CheckConstraint("revision >= 1", name="revision"),
        CheckConstraint("active_ms >= 0 AND wall_ms >= 0", name="times"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the response."""
    reservation_id: int = Field(foreign_key="reservation.id")
    """Reservation that it responds to."""
    revision: int
    """Number of the response to the reservation, from 1."""
    act: str
    """Kind of response."""
    answers: dict[str, Any] = Field(sa_type=JSON)
    """Answers by question, with the sides as they were shown; empty for other acts."""
    reason: str
    """Reason of a skip or flag; empty for an answer."""
    blind: bool
    """True if no score had been shown."""
    mode: str = Field(sa_column_kwargs={"server_default": "unaided"})
    """Help that it was given with: unaided, pre-annotated or assisted."""
    version: int
    """Version of guidelines and questions that were shown."""
    swapped: bool
    """True if the sides of a pair were shown in reverse."""
    number: int
    """Place among the person's tasks of the campaign, from 1."""
    active_ms: int
    """Milliseconds in which the person read or typed."""
    wall_ms: int
    """Milliseconds from showing the task to the response."""
    event_id: str
    """Identifier made once per press, so that a re-sent press is known."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """Time at which it was saved."""


class Adjudication(StoreTable, table=True):
    """The decision of an adjudicator on a task."""

    __tablename__ = "settlement"
    __table_args__ = (
        UniqueConstraint("task_id", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint(
            "cause IN ('annotator slip', 'ambiguous text', 'guideline gap', 'real edge case')", name="cause"
        ),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the row."""
    task_id: str = Field(foreign_key="task.id")
    """Task that is decided."""
    revision: int
    """Number of the decision on the task, from 1."""
    answers: dict[str, Any] = Field(sa_type=JSON)
    """Answers decided on, with the original on the left."""
    cause: str
    """Reason why the labels differ."""
    note: str
    """Note of the adjudicator; empty for none."""
    settles: list[Any] = Field(sa_type=JSON)
    """Ids of the responses that were decided on."""
    by: str
    """Name of the adjudicator."""
    event_id: str
    """Identifier made once per press, so that a re-sent press is known."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the decision."""


class Correction(StoreTable, table=True):
    """The error type that a curator finds in a written edit, whatever was required."""

    __table_args__ = (
        UniqueConstraint("response_id", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("revision >= 1", name="revision"),
        CheckConstraint(f"error_type IN ({', '.join(repr(kind.value) for kind in ErrorType)})", name="error_type"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the row; the newest of an item counts."""
    response_id: int = Field(foreign_key="response.id")
    """Response with the edit."""
    item_id: str = Field(foreign_key="item.id", index=True)
    """Edited summary."""
    revision: int
    """Number of the correction of the response, from 1."""
    error_type: str
    """Error type that the curator found."""
    note: str
    """Note of the curator; empty for none."""
    by: str
    """Name of the curator."""
    event_id: str
    """Identifier made once per press, so that a re-sent press is known."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the correction."""


class Comment(StoreTable, table=True):
    """Comment on a task."""

    __table_args__ = (
        UniqueConstraint("event_id"),
        CheckConstraint("role IN ('annotator', 'adjudicator', 'manager')", name="role"),
        CheckConstraint("role <> 'annotator' OR annotator_id IS NOT NULL", name="conversation"),
        Index("ix_comment_campaign_id_annotator_id", "campaign_id", "annotator_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the comment."""
    campaign_id: str = Field(foreign_key="campaign.id")
    """Campaign of the task."""
    task_id: str = Field(foreign_key="task.id")
    """Task that it is about."""
    annotator_id: str | None = Field(default=None, foreign_key="person.id")
    """Person whose conversation it belongs to; None between adjudicators and managers."""
    role: str
    """Role in which its author speaks."""
    text: str
    """Text of the comment."""
    by: str
    """Name of its author."""
    event_id: str
    """Identifier made once per press, so that a re-sent press is known."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the comment."""


class FlagResolution(StoreTable, table=True):
    """Resolution of a flag by a manager, which is open without one."""

    __table_args__ = (UniqueConstraint("response_id"), UniqueConstraint("event_id"))

    id: int | None = Field(default=None, primary_key=True)
    response_id: int = Field(foreign_key="response.id")
    note: str
    by: str
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class LimitEvent(StoreTable, table=True):
    """Change of what a person may do in a campaign; the newest pause or resumption counts."""

    __tablename__ = "limitevent"
    __table_args__ = (
        CheckConstraint("act IN ('warn', 'pause', 'resume')", name="act"),
        Index("ix_limitevent_campaign_id_person_id", "campaign_id", "person_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the event."""
    campaign_id: str = Field(foreign_key="campaign.id")
    """Campaign in which it holds."""
    person_id: str = Field(foreign_key="person.id")
    """Person whom it is about."""
    act: str
    """Warning, pause or resumption."""
    signal: str
    """Limit of the rules that was passed; empty where a manager decided."""
    reason: str
    """Reason, as a sentence."""
    by: str
    """Name of the manager, or the mark of the limits themselves."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the event."""


class Exclusion(StoreTable, table=True):
    """Labels of a person that are left out, of those given before it."""

    __table_args__ = (Index("ix_exclusion_campaign_id", "campaign_id"), UniqueConstraint("event_id"))

    id: int | None = Field(default=None, primary_key=True)
    """Number of the exclusion."""
    campaign_id: str = Field(foreign_key="campaign.id")
    """Campaign of the labels."""
    person_id: str = Field(foreign_key="person.id")
    """Person whose labels are left out."""
    day: date | None = None
    """Day (UTC) of the labels; None covers all days."""
    question: str
    """Id of the question whose answers are left out; empty covers whole labels."""
    reason: str
    """Reason that the manager stated."""
    by: str
    """Name of the manager."""
    event_id: str
    """Identifier of the exclusion in exports."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the exclusion; later labels count."""


class Reinstatement(StoreTable, table=True):
    """An exclusion that is not valid any more: its labels count again."""

    exclusion_id: int = Field(foreign_key="exclusion.id", primary_key=True)
    reason: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class ScoreView(StoreTable, table=True):
    """A person opened a summary on Probe, in sight of its scores. `item_id` is what it has or would have in the store: it may be kept later."""

    __tablename__ = "scoreview"

    item_id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)


class TaskCounts(StoreTable, table=True):
    """State of a task as it was counted last."""

    __tablename__ = "taskcounts"
    __table_args__ = (
        Index("ix_taskcounts_stale", "campaign_id", "task_id", **rows_that_are("stale")),
        Index("ix_taskcounts_disputed", "campaign_id", **rows_that_are("disputed")),
        Index("ix_taskcounts_cases", "campaign_id", "provenance", "agreement", "task_id"),
    )

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    """Task that was counted."""
    campaign_id: str = Field(foreign_key="campaign.id")
    """Campaign of the task."""
    stale: bool
    """True if anything of the task has changed since; triggers set it."""
    labels: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Number of current labels."""
    wanted: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Number of labels that the task asked for last; 0 for the overlap."""
    disputed: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """True if the labels differ and nobody has decided."""
    provenance: str | None = None
    """Provenance of the label of its case; None where nobody labelled it before scores were seen."""
    agreement: float = Field(default=1.0, sa_column_kwargs={"server_default": "1"})
    """Share of pairs of labels that agree, in 0..1; 1 without a case."""
    counted: list[Any] = Field(default_factory=list, sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    """Amounts that it added to each ProgressCount: [counted person, kind, bucket, number]."""


class CountedPerson(StoreTable, table=True):
    """A number for a person in a campaign, short enough to be in every count of theirs."""

    __tablename__ = "countedperson"
    __table_args__ = (UniqueConstraint("campaign_id", "person_id"),)

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    person_id: str = Field(foreign_key="person.id")


class ProgressCount(StoreTable, table=True):
    """Number of labels of a person of one kind and one `bucket`, as `annotations.results.progress_counts` has them.

    Of kinds that are no person's, each person's row is a part of the sum.
    """

    __tablename__ = "progresscount"
    __table_args__ = ({"sqlite_with_rowid": False},)

    counted_id: int = Field(foreign_key="countedperson.id", primary_key=True)
    kind: int = Field(primary_key=True)
    bucket: int = Field(sa_type=BigInteger, primary_key=True)
    number: int


class PersonTasks(StoreTable, table=True):
    """Numbers of tasks of a person in a campaign, as triggers count them: `answered` of any kind, and at their first turn those of work that are
    `finished`, or answered or open (`had`). `version` is the newest of the guidelines that a response of theirs followed.
    """

    __tablename__ = "persontasks"

    campaign_id: str = Field(foreign_key="campaign.id", primary_key=True)
    person_id: str = Field(foreign_key="person.id", primary_key=True)
    answered: int
    finished: int
    had: int
    version: int


class LimitCounts(StoreTable, table=True):
    """First answers of a person that limits look at."""

    __tablename__ = "limitcounts"

    campaign_id: str = Field(foreign_key="campaign.id", primary_key=True)
    """Campaign of the answers."""
    person_id: str = Field(foreign_key="person.id", primary_key=True)
    """Person who gave them."""
    version: int
    """Version of the campaign whose rules they were counted under."""
    resumed: int
    """Event that let the person go on, since which they are counted; 0 for none."""
    gold: int = 0
    """Number of answers to tasks whose answers are known."""
    right: int = 0
    """Number of these that match."""
    repeated: int = 0
    """Number of answers to repeated tasks."""
    same: int = 0
    """Number of these that match the first time."""
    read: int = 0
    """Number of `first` answers that took long enough."""
    first: int = 0
    """Number of answers to tasks that the person had for the first time."""
    answers: list[Any] = Field(default_factory=list, sa_type=JSON)
    """Times of each answer to work, [answer, times], in the order of their first time."""
