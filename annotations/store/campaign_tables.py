"""The tables of campaigns: their versions, people, tasks, draws and crowd studies. Only `assignment`, `webhook`, `crowdstudy`, `crowdsession` and `taskplaces` do not only ever grow."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field

from annotations.store.tables import Table, UtcDateTime, rows_where


class Campaign(Table, table=True):
    """A name under which items are labelled; its questions and rules are in its versions."""

    __table_args__ = (UniqueConstraint("name"),)

    id: str = Field(primary_key=True)
    name: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Assignment(Table, table=True):
    """A person or a group who labels a campaign; a campaign with no such row is for everybody."""

    __table_args__ = (CheckConstraint('(person_id IS NULL) <> ("group" IS NULL)', name="whom"),)

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id", index=True)
    person_id: str | None = Field(default=None, foreign_key="person.id")
    group: str | None = None
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Webhook(Table, table=True):
    """Address that gets word of the state of a campaign, and the `body` of the last event, empty before the first label.

    `secret` signs it, and can be read here: who reads this table could write the labels too. Sent again at `next_at`, until
    it is delivered or given up. Events of people and items of these `kinds` were sent up to the time `sent_until`, and the
    next ones are at `events_next_at`.
    """

    campaign_id: str = Field(primary_key=True, foreign_key="campaign.id")
    url: str
    secret: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    event_id: str = ""
    body: str = ""
    attempts: int = 0
    next_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    delivered_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    problem: str = ""
    kinds: list[str] = Field(default_factory=list, sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    sent_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    events_attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    events_next_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    events_problem: str = Field(default="", sa_column_kwargs={"server_default": ""})


class VersionRow(Table, table=True):
    """Guidelines (Markdown), questions (YAML) and rules (JSON) of a campaign from this version on."""

    __tablename__ = "campaignversion"
    __table_args__ = (
        UniqueConstraint("campaign_id", "version"),
        CheckConstraint("version >= 1", name="version"),
    )

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    version: int
    guidelines: str
    questions: str
    rules: str
    open: bool
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Task(Table, table=True):
    """One thing to label. `group` is shared by versions of one text, which are kept apart.

    `asked` is what the questions need besides the texts, such as a required error type. `shuffle` orders the queue.
    """

    __table_args__ = (
        UniqueConstraint("campaign_id", "part", "item_id", "explanation_id", "asked_key"),
        CheckConstraint("part IN ('training', 'qualification', 'work', 'gold')", name="part"),
        Index("ix_task_in_order", "campaign_id", "part", "position"),
    )

    id: str = Field(primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    part: str
    item_id: str = Field(foreign_key="item.id")
    explanation_id: str = ""
    asked_key: str = ""
    asked: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    group: str
    position: int
    shuffle: int = Field(sa_type=BigInteger)
    created_at: datetime = Field(sa_type=UtcDateTime)


class AnswerKey(Table, table=True):
    """The known answers to a task and the feedback shown afterwards; labelling never reads it before an answer."""

    __tablename__ = "taskkey"

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    answers: dict[str, Any] = Field(sa_type=JSON)
    feedback: str


class Suggestion(Table, table=True):
    """The answers that are filled in for annotators of a task under pre-annotation, the original on the left; `source` gave them."""

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    answers: dict[str, Any] = Field(sa_type=JSON)
    source: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class WantedLabels(Table, table=True):
    """Number of labels that a task wants from now on, and how sure its most likely answer was then; the newest row counts.

    A task without a row wants as many as the overlap.
    """

    __table_args__ = (CheckConstraint("labels >= 1", name="labels"),)

    id: int | None = Field(default=None, primary_key=True)
    task_id: str = Field(foreign_key="task.id", index=True)
    labels: int
    probability: float
    created_at: datetime = Field(sa_type=UtcDateTime)


class TaskPlaces(Table, table=True):
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


class CampaignDraw(Table, table=True):
    """The draw by which the items of a campaign came from a pool of `size` summaries, as `core.results.cases.pool_draw` makes it.

    `scores` holds a row for each summary of the pool: its weight, its expected rate and its features, as float64 in base64.
    `next_arrival` is that of the first summary that was not drawn; None where all were.
    """

    __tablename__ = "campaigndraw"
    __table_args__ = (
        CheckConstraint("way IN ('random', 'stratified', 'active')", name="way"),
        CheckConstraint("size >= 1", name="size"),
    )

    campaign_id: str = Field(foreign_key="campaign.id", primary_key=True)
    way: str
    dataset: str
    metrics: list[str] = Field(sa_type=JSON)
    size: int
    next_arrival: float | None = None
    scores: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class DrawnTask(Table, table=True):
    """The place of a task in the pool of its campaign's draw, the weight that it was drawn with, and its arrival, which is its order."""

    __tablename__ = "drawntask"

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    place: int
    weight: float
    arrival: float


class DrawStop(Table, table=True):
    """A look at which the interval of a drawn campaign was as narrow as its rules asked, ± `points`, after so many labels.

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


class CrowdStudy(Table, table=True):
    """Study of a crowd platform whose participants label a campaign, by a link with a `key`: at most so many `places`, so many `minutes` each.

    The codes tell the platform how a session ended; a participant is paid `pay` or `screened_out_pay`, in the `currency`.
    """

    __tablename__ = "crowdstudy"
    __table_args__ = (
        UniqueConstraint("key"),
        CheckConstraint("platform IN ('prolific', 'mturk')", name="platform"),
        CheckConstraint("places >= 1 AND minutes >= 1", name="limits"),
        CheckConstraint("pay >= 0 AND screened_out_pay >= 0", name="pay"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaign.id")
    key: str
    platform: str
    places: int
    minutes: int
    completed_code: str
    screened_out_code: str
    paused_code: str
    pay: float
    screened_out_pay: float
    currency: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class CrowdSession(Table, table=True):
    """The one session of a participant in a campaign; `study` and `submission` are what the platform calls them.

    An `open` one is over by time-out at `expires_at`. `code` proves to the requester that it was completed here.
    """

    __tablename__ = "crowdsession"
    __table_args__ = (
        UniqueConstraint("campaign_id", "participant"),
        CheckConstraint("outcome IN ('open', 'completed', 'screened out', 'paused', 'returned')", name="outcome"),
    )

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    person_id: str = Field(foreign_key="person.id", index=True)
    participant: str
    study: str
    submission: str
    code: str
    outcome: str
    begun_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
