"""The tables of campaigns: their versions, people, tasks, draws and crowd studies. Only `assignment`, `webhook`, `crowdstudy`, `crowdsession` and `taskplaces` do not only ever grow."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field

from annotations.store.tables import StoreTable, UtcDateTime, rows_where


class Campaign(StoreTable, table=True):
    """A name under which items are labelled; its questions and rules are in its versions."""

    __table_args__ = (UniqueConstraint("name"),)

    id: str = Field(primary_key=True)
    name: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Assignment(StoreTable, table=True):
    """A person or a group who labels a campaign; a campaign with no such row is for everybody."""

    __table_args__ = (CheckConstraint('(person_id IS NULL) <> ("group" IS NULL)', name="whom"),)

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id", index=True)
    person_id: str | None = Field(default=None, foreign_key="person.id")
    group: str | None = None
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Webhook(StoreTable, table=True):
    """Address that gets word of the state of a campaign, with the state of the delivery.

    Events of the campaign are sent again until they are delivered or given up; so are those of people and items.
    """

    campaign_id: str = Field(primary_key=True, foreign_key="campaign.id")
    """Campaign that the address belongs to."""
    url: str
    """Address that events are sent to."""
    secret: str
    """Key that signs events; readable here, since who reads this table could write the labels too."""
    by: str
    """Name of the manager who set the address."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which it was set."""
    event_id: str = ""
    """Identifier of the last event; empty before the first label."""
    body: str = ""
    """JSON of the last event; empty before the first label."""
    attempts: int = 0
    """Number of failed attempts at the event that waits."""
    next_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of the next attempt; None where nothing waits to be sent."""
    delivered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of the last delivery; None before the first."""
    error: str = Field(default="", sa_column_kwargs={"name": "problem"})
    """Error of the last attempt; empty where it did not fail."""
    kinds: list[str] = Field(default_factory=list, sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    """Events of people and items that are sent too."""
    sent_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time up to which these events were sent."""
    events_attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Number of failed attempts at the next of these."""
    events_next_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time at which the next of these are sent; None where they were given up."""
    events_error: str = Field(default="", sa_column_kwargs={"name": "events_problem", "server_default": ""})
    """Error of the last of these that was not delivered; empty where it was."""


class VersionRow(StoreTable, table=True):
    """Guidelines, questions and rules of a campaign from this version on."""

    __tablename__ = "campaignversion"
    __table_args__ = (
        UniqueConstraint("campaign_id", "version"),
        CheckConstraint("version >= 1", name="version"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the row."""
    campaign_id: str = Field(foreign_key="campaign.id")
    """Campaign that the version belongs to."""
    version: int
    """Number of the version, from 1."""
    guidelines: str
    """Guidelines, Markdown."""
    questions: str
    """Question set, YAML."""
    rules: str
    """Rules, JSON."""
    open: bool
    """True if the campaign takes labels."""
    by: str
    """Name of the manager who issued it."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which it was issued."""


class Task(StoreTable, table=True):
    """One thing to label."""

    __table_args__ = (
        UniqueConstraint("campaign_id", "part", "item_id", "explanation_id", "asked_key"),
        CheckConstraint("part IN ('training', 'qualification', 'work', 'gold')", name="part"),
        Index("ix_task_in_order", "campaign_id", "part", "position"),
    )

    id: str = Field(primary_key=True)
    """Id of the task."""
    campaign_id: str = Field(foreign_key="campaign.id")
    """Campaign that the task belongs to."""
    part: str
    """Part of the campaign."""
    item_id: str = Field(foreign_key="item.id")
    """Item that is labelled."""
    explanation_id: str = ""
    """Explanation that is judged; empty for none."""
    asked_key: str = ""
    """Hash of `asked`; empty where that is."""
    asked: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """Details that the questions need besides the texts, such as a required error type."""
    columns: dict[str, Any] = Field(default_factory=dict, sa_type=JSON, sa_column_kwargs={"server_default": "{}"})
    """Cells of the owner's table beside the texts, by column."""
    group: str
    """Key that versions of one text share, which are kept apart."""
    position: int
    """Place in the order of the campaign."""
    shuffle: int = Field(sa_type=BigInteger)
    """Place in the random order, from which each person starts elsewhere."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which the task was added."""


class AnswerKey(StoreTable, table=True):
    """The known answers to a task and the feedback shown afterwards; labelling never reads it before an answer."""

    __tablename__ = "taskkey"

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    answers: dict[str, Any] = Field(sa_type=JSON)
    feedback: str


class Suggestion(StoreTable, table=True):
    """The answers that are filled in for annotators of a task under pre-annotation, the original on the left; `source` gave them."""

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    answers: dict[str, Any] = Field(sa_type=JSON)
    source: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class WantedLabels(StoreTable, table=True):
    """Number of labels that a task wants from now on, and how sure its most likely answer was then; the newest row counts.

    A task without a row wants as many as the overlap.
    """

    __table_args__ = (CheckConstraint("labels >= 1", name="labels"),)

    id: int | None = Field(default=None, primary_key=True)
    task_id: str = Field(foreign_key="task.id", index=True)
    labels: int
    probability: float
    created_at: datetime = Field(sa_type=UtcDateTime)


class TaskPlaces(StoreTable, table=True):
    """Number of places of a task of work that are `taken`, and of labels that it `wanted` last (0: the overlap), as triggers count them.

    One that is reserved counts, expired or not. What else the queue chooses by is here too: a task never changes.
    """

    __tablename__ = "taskplaces"
    __table_args__ = (
        Index("ix_taskplaces_shuffle", "campaign_id", "taken", "shuffle"),
        Index("ix_taskplaces_position", "campaign_id", "taken", "position"),
        Index("ix_taskplaces_wanted_shuffle", "campaign_id", "taken", "shuffle", **rows_where("wanted > taken")),
        Index("ix_taskplaces_wanted_position", "campaign_id", "taken", "position", **rows_where("wanted > taken")),
    )

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    taken: int
    wanted: int
    position: int
    shuffle: int = Field(sa_type=BigInteger)


class TaskWithdrawal(StoreTable, table=True):
    """A task that is handed out no more and whose labels count nowhere, or one that came back; the newest row of a task counts."""

    __tablename__ = "taskwithdrawal"

    id: int | None = Field(default=None, primary_key=True)
    task_id: str = Field(foreign_key="task.id", index=True)
    withdrawn: bool
    reason: str
    replaced_by: str | None = Field(default=None, foreign_key="task.id")
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class CampaignDraw(StoreTable, table=True):
    """The draw by which the items of a campaign came from a pool, as `core.results.cases.pool_draw` makes it."""

    __tablename__ = "campaigndraw"
    __table_args__ = (
        CheckConstraint("way IN ('random', 'stratified', 'active')", name="way"),
        CheckConstraint("size >= 1", name="size"),
    )

    campaign_id: str = Field(foreign_key="campaign.id", primary_key=True)
    """Campaign whose items were drawn."""
    way: str
    """Method of the draw."""
    dataset: str
    """Name of the dataset that is the pool."""
    metrics: list[str] = Field(sa_type=JSON)
    """Metrics whose scores steered the draw."""
    size: int
    """Number of summaries in the pool."""
    next_arrival: float | None = None
    """Arrival of the first summary that was not drawn; None where all were."""
    scores: str
    """A row for each summary of the pool with its weight, expected rate and features, float64 in base64."""
    by: str
    """Name of the manager who drew."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time of the draw."""


class DrawnTask(StoreTable, table=True):
    """The place of a task in the pool of its campaign's draw, the weight that it was drawn with, and its arrival, which is its order."""

    __tablename__ = "drawntask"

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    place: int
    weight: float
    arrival: float


class DrawStop(StoreTable, table=True):
    """A look at which the interval of a drawn campaign was as narrow as its rules asked, ± `points`, after `labels` labels.

    Nothing is handed out from then on, until a version asks for fewer points.
    """

    __tablename__ = "drawstop"
    __table_args__ = (CheckConstraint("low <= high", name="interval"),)

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id", index=True)
    points: float
    labels: int
    low: float
    high: float
    created_at: datetime = Field(sa_type=UtcDateTime)


class CrowdStudy(StoreTable, table=True):
    """Study of a crowd platform whose participants label a campaign."""

    __tablename__ = "crowdstudy"
    __table_args__ = (
        UniqueConstraint("key"),
        CheckConstraint("platform IN ('prolific', 'mturk')", name="platform"),
        CheckConstraint("places >= 1 AND minutes >= 1", name="limits"),
        CheckConstraint("pay >= 0 AND screened_out_pay >= 0", name="pay"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaign.id")
    """Campaign that the participants label."""
    key: str
    """Key in the link of the study."""
    platform: str
    """Platform that sends the participants."""
    places: int
    """Largest number of participants."""
    minutes: int
    """Time that a participant has, in minutes."""
    completed_code: str
    """Code that tells the platform of a completed session."""
    screened_out_code: str
    """Code for a participant who did not pass the qualification."""
    paused_code: str
    """Code for a participant whom the limits paused."""
    pay: float
    """Pay of a completed session, in `currency`."""
    screened_out_pay: float
    """Pay of a participant who did not pass the qualification."""
    currency: str
    """Currency of the pay, as a three-letter code."""
    by: str
    """Name of the manager who made the study."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which it was made."""


class CrowdSession(StoreTable, table=True):
    """The one session of a participant in a campaign."""

    __tablename__ = "crowdsession"
    __table_args__ = (
        UniqueConstraint("campaign_id", "participant"),
        CheckConstraint("outcome IN ('open', 'completed', 'screened out', 'paused', 'returned')", name="outcome"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the row."""
    campaign_id: str = Field(foreign_key="campaign.id")
    """Campaign that the participant labels."""
    person_id: str = Field(foreign_key="person.id", index=True)
    """Person that stands for the participant here."""
    participant: str
    """Id of the participant on the platform."""
    study: str
    """Id of the study on the platform."""
    submission: str
    """Id of the submission on the platform."""
    code: str
    """Code that proves to the requester that the session was completed here."""
    outcome: str
    """State of the session, or the way it ended."""
    begun_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which the participant came in first."""
    expires_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which an open session times out."""
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of its end; None while it is open."""
