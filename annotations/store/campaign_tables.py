"""The tables of campaigns. Only `reservation`, `signin`, `person`, `groupmember`, `assignment`, `apitoken`, `webhook`, `crowdstudy`, `crowdsession` and `taskplaces` do not only ever grow."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Index, UniqueConstraint, false, text, true
from sqlmodel import Field

from annotations.store.tables import Table, UtcDateTime
from core.types import ErrorType


class Person(Table, table=True):
    """A registered person; exports have the `pseudonym` instead of the name. Who is not `active` cannot sign in."""

    __table_args__ = (
        UniqueConstraint("name"),
        UniqueConstraint("pseudonym"),
        CheckConstraint("role IN ('manager', 'researcher', 'adjudicator', 'annotator')", name="role"),
    )

    id: str = Field(primary_key=True)
    name: str
    pseudonym: str
    role: str
    active: bool = Field(sa_column_kwargs={"server_default": true()})
    created_at: datetime = Field(sa_type=UtcDateTime)


class PersonChange(Table, table=True):
    """Name and role that a person had until this change; records keep the name that their author had."""

    id: int | None = Field(default=None, primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    name: str
    role: str
    active: bool
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class GroupMember(Table, table=True):
    """A person in a group."""

    group: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", primary_key=True, index=True)


class Assignment(Table, table=True):
    """A person or a group who labels a campaign; a campaign with no such row is for everybody."""

    __table_args__ = (CheckConstraint('(person_id IS NULL) <> ("group" IS NULL)', name="whom"),)

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id", index=True)
    person_id: str | None = Field(default=None, foreign_key="person.id")
    group: str | None = None
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Invite(Table, table=True):
    """A personal sign-in code, stored as a hash."""

    __table_args__ = (UniqueConstraint("code_hash"),)

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    code_hash: str
    by: str
    expires_at: datetime | None = Field(sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class Revocation(Table, table=True):
    """An invite that is not valid any more."""

    invite_id: str = Field(foreign_key="invite.id", primary_key=True)
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class SignIn(Table, table=True):
    """A browser that is signed in by an invite, under the hash of the id in its cookie; deleted when it signs out."""

    id_hash: str = Field(primary_key=True)
    invite_id: str = Field(foreign_key="invite.id", index=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)


class ApiToken(Table, table=True):
    """A token by which a program reads `campaigns`, or all where none is named, and `writes` them, as its owner may; stored as a hash."""

    __table_args__ = (UniqueConstraint("token_hash"),)

    id: str = Field(primary_key=True)
    name: str
    person_id: str = Field(foreign_key="person.id", index=True)
    token_hash: str
    campaigns: list[str] = Field(sa_type=JSON)
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_by: str = ""
    writes: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class ApiRequest(Table, table=True):
    """Request by which a program wrote something, under a key of its own, and the answer, which it gets again when it sends the same once more."""

    __tablename__ = "apirequest"
    __table_args__ = (UniqueConstraint("token_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    token_id: str = Field(foreign_key="apitoken.id")
    key: str
    request_hash: str
    answer: dict[str, Any] = Field(sa_type=JSON)
    created_at: datetime = Field(sa_type=UtcDateTime)


class Campaign(Table, table=True):
    """A name under which items are labelled; its questions and rules are in its versions."""

    __table_args__ = (UniqueConstraint("name"),)

    id: str = Field(primary_key=True)
    name: str
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
        Index("ix_task_campaign_id_part", "campaign_id", "part"),
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


def _where(condition: str) -> dict[str, Any]:
    """Options of an index of the rows alone for which a condition holds."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


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
        Index("ix_reservation_open", "campaign_id", "expires_at", **_where("state = 'open'")),
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
        Index("ix_taskplaces_wanted_shuffle", "campaign_id", "taken", "shuffle", **_where("wanted > taken")),
        Index("ix_taskplaces_wanted_position", "campaign_id", "taken", "position", **_where("wanted > taken")),
    )

    task_id: str = Field(foreign_key="task.id", primary_key=True)
    campaign_id: str = Field(foreign_key="campaign.id")
    taken: int
    wanted: int
    position: int
    shuffle: int = Field(sa_type=BigInteger)


class ScoreView(Table, table=True):
    """A person opened a summary on Probe, in sight of its scores. `item_id` is what it has or would have in the store: it may be kept later."""

    __tablename__ = "scoreview"

    item_id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)


class CampaignDraw(Table, table=True):
    """The draw by which the items of a campaign came from a pool of `size` summaries, as `core.cases.pool_draw` makes it.

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
