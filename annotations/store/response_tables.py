"""The tables of reserved tasks, the labels given to them, what was decided and written about these, and their counts. Only `reservation` and the counts do not only ever grow."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Index, UniqueConstraint, false
from sqlmodel import Field

from annotations.store.tables import Table, UtcDateTime, rows_that_are, rows_where
from core.types import ErrorType


class Reservation(Table, table=True):
    """A task reserved for one person, for the first or a further time; `expires_at` moves on while they work.

    `swapped` says that the sides of a pair are shown in reverse. `number` counts the person's tasks of the campaign. A `late`
    one was answered when others had taken the place that it lost by expiring. The label of an `excluded` one is left out, so
    that its place is free: an Exclusion that is not reinstated covers it.
    """

    __table_args__ = (
        UniqueConstraint("task_id", "person_id", "turn"),
        UniqueConstraint("person_id", "campaign_id", "number"),
        CheckConstraint("state IN ('open', 'answered', 'skipped', 'flagged', 'late', 'lapsed')", name="state"),
        Index("ix_reservation_places", "task_id", "turn", "state", "expires_at"),
        Index("ix_reservation_open", "campaign_id", "expires_at", **rows_where("state = 'open'")),
        Index("ix_reservation_own_open", "person_id", "campaign_id", **rows_where("state = 'open'")),
    )

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    task_id: str = Field(foreign_key="task.id")
    person_id: str = Field(foreign_key="person.id")
    turn: int
    number: int
    swapped: bool
    state: str
    reserved_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)
    excluded: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class Response(Table, table=True):
    """A label of a task by one person, or a skip, a flag or an undo; a changed answer is the next revision.

    `version` is that of guidelines and questions; `swapped` and `number` are how and as which item it was shown; `active_ms`
    are those in which somebody read or typed. `mode` is how much help it was given with: unaided, pre-annotated or assisted.
    """

    __table_args__ = (
        UniqueConstraint("reservation_id", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("act IN ('answer', 'skip', 'flag', 'undo')", name="act"),
        CheckConstraint("revision >= 1", name="revision"),
        CheckConstraint("active_ms >= 0 AND wall_ms >= 0", name="times"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reservation_id: int = Field(foreign_key="reservation.id")
    revision: int
    act: str
    answers: dict[str, Any] = Field(sa_type=JSON)
    reason: str
    blind: bool
    mode: str = Field(sa_column_kwargs={"server_default": "unaided"})
    version: int
    swapped: bool
    number: int
    active_ms: int
    wall_ms: int
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class Adjudication(Table, table=True):
    """The decision of an adjudicator on a task, why labels differ, and which responses it resolves."""

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
    task_id: str = Field(foreign_key="task.id")
    revision: int
    answers: dict[str, Any] = Field(sa_type=JSON)
    cause: str
    note: str
    settles: list[Any] = Field(sa_type=JSON)
    by: str
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Correction(Table, table=True):
    """The error type that a curator finds in a written edit, whatever was required; `item_id` is the edited summary."""

    __table_args__ = (
        UniqueConstraint("response_id", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("revision >= 1", name="revision"),
        CheckConstraint(f"error_type IN ({', '.join(repr(kind.value) for kind in ErrorType)})", name="error_type"),
    )

    id: int | None = Field(default=None, primary_key=True)
    response_id: int = Field(foreign_key="response.id")
    item_id: str = Field(foreign_key="item.id", index=True)
    revision: int
    error_type: str
    note: str
    by: str
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Comment(Table, table=True):
    """Comment on a task, by somebody who speaks as `role`.

    `annotator_id` is whose conversation it belongs to; without one it is between adjudicators and managers.
    """

    __table_args__ = (
        UniqueConstraint("event_id"),
        CheckConstraint("role IN ('annotator', 'adjudicator', 'manager')", name="role"),
        CheckConstraint("role <> 'annotator' OR annotator_id IS NOT NULL", name="conversation"),
        Index("ix_comment_campaign_id_annotator_id", "campaign_id", "annotator_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    task_id: str = Field(foreign_key="task.id")
    annotator_id: str | None = Field(default=None, foreign_key="person.id")
    role: str
    text: str
    by: str
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class FlagResolution(Table, table=True):
    """Resolution of a flag by a manager, which is open without one."""

    __table_args__ = (UniqueConstraint("response_id"), UniqueConstraint("event_id"))

    id: int | None = Field(default=None, primary_key=True)
    response_id: int = Field(foreign_key="response.id")
    note: str
    by: str
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class LimitEvent(Table, table=True):
    """Change of what a person may do in a campaign: warned, paused or resumed, and why.

    `signal` is the limit of the rules that was passed, "" where a manager decided; the newest pause or resumption counts.
    """

    __tablename__ = "limitevent"
    __table_args__ = (
        CheckConstraint("act IN ('warn', 'pause', 'resume')", name="act"),
        Index("ix_limitevent_campaign_id_person_id", "campaign_id", "person_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    person_id: str = Field(foreign_key="person.id")
    act: str
    signal: str
    reason: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Exclusion(Table, table=True):
    """Labels of a person that are left out, of those given before: all, those of a `day` (UTC) or to a `question`."""

    __table_args__ = (Index("ix_exclusion_campaign_id", "campaign_id"), UniqueConstraint("event_id"))

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    person_id: str = Field(foreign_key="person.id")
    day: date | None = None
    question: str
    reason: str
    by: str
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Reinstatement(Table, table=True):
    """An exclusion that is not valid any more: its labels count again."""

    exclusion_id: int = Field(foreign_key="exclusion.id", primary_key=True)
    reason: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class ScoreView(Table, table=True):
    """A person opened a summary on Probe, in sight of its scores. `item_id` is what it has or would have in the store: it may be kept later."""

    __tablename__ = "scoreview"

    item_id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)


class TaskCounts(Table, table=True):
    """State of a task as it was counted last, and what it added to each ProgressCount: [counted person, kind, bucket, number].

    Triggers make it `stale` when anything of it changes. `labels` are the current ones, `disputed` says that these differ and
    nobody decided; `wanted` is the number of labels that it asked for last (0: the overlap). `provenance` is that of the label
    of its case, with the `agreement` of the people; none where nobody labelled it before scores were seen.
    """

    __tablename__ = "taskcounts"
    __table_args__ = (
        Index("ix_taskcounts_stale", "campaign_id", "task_id", **rows_that_are("stale")),
        Index("ix_taskcounts_disputed", "campaign_id", **rows_that_are("disputed")),
        Index("ix_taskcounts_cases", "campaign_id", "provenance", "agreement", "task_id"),
    )

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    stale: bool
    labels: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    wanted: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    disputed: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    provenance: str | None = None
    agreement: float = Field(default=1.0, sa_column_kwargs={"server_default": "1"})
    counted: list[Any] = Field(default_factory=list, sa_type=JSON, sa_column_kwargs={"server_default": "[]"})


class CountedPerson(Table, table=True):
    """A number for a person in a campaign, short enough to be in every count of theirs."""

    __tablename__ = "countedperson"
    __table_args__ = (UniqueConstraint("campaign_id", "person_id"),)

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    person_id: str = Field(foreign_key="person.id")


class ProgressCount(Table, table=True):
    """Number of labels of a person of one kind and one `bucket`, as `annotations.results.progress_counts` has them.

    Of kinds that are no person's, each person's row is a part of the sum.
    """

    __tablename__ = "progresscount"
    __table_args__ = ({"sqlite_with_rowid": False},)

    counted_id: int = Field(foreign_key="countedperson.id", primary_key=True)
    kind: int = Field(primary_key=True)
    bucket: int = Field(sa_type=BigInteger, primary_key=True)
    number: int


class PersonTasks(Table, table=True):
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


class LimitCounts(Table, table=True):
    """First answers of a person that limits look at, of those under a `version` of the campaign and since an event let them go on (`resumed`, 0 for none).

    `right` of the `gold` ones match known answers, `same` of the `repeated` ones the first time, `read` of the `first` ones took long
    enough; `answers` has how often each was given to work, [answer, times], in the order of their first time.
    """

    __tablename__ = "limitcounts"

    campaign_id: str = Field(foreign_key="campaign.id", primary_key=True)
    person_id: str = Field(foreign_key="person.id", primary_key=True)
    version: int
    resumed: int
    gold: int = 0
    right: int = 0
    repeated: int = 0
    same: int = 0
    read: int = 0
    first: int = 0
    answers: list[Any] = Field(default_factory=list, sa_type=JSON)
