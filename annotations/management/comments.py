"""Comments on items between an annotator, adjudicators and managers, and flags with what a manager did about them.

A conversation is about one task and belongs to one annotator: nobody else who labels sees it, and no label is shown with it.
One without an annotator is between adjudicators and managers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from annotations.campaigns.assignment import require_assigned
from annotations.campaigns.campaign import load_campaign
from annotations.campaigns.task_texts import TaskTexts, load_task_texts
from annotations.management.adjudication import AdjudicatorActions
from annotations.people.people import Member, Right
from annotations.store.campaign_tables import Task
from annotations.store.database import read_session
from annotations.store.people_tables import Person
from annotations.store.records import RecordError, require_storable, require_text
from annotations.store.response_tables import Comment, FlagResolution, Reservation, Response
from annotations.store.store import Store
from annotations.store.tables import ItemRow

MAX_COMMENT = 4_000

Speaker = Literal["annotator", "adjudicator", "manager"]


@dataclass(frozen=True, slots=True)
class ShownComment:
    """One comment; `by` is "" where its reader is not told who wrote it."""

    speaker: Speaker
    by: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ShownResolution:
    """Resolution of a flag: a note, its author and the time."""

    note: str
    by: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ShownFlag:
    """Flag of a task with the annotator's reason; open while nobody resolved it."""

    response: int
    reason: str
    created_at: datetime
    resolution: ShownResolution | None


@dataclass(frozen=True, slots=True)
class CommentThread:
    """Flags and comments on a task, oldest first; `annotator` is whose conversation it is, "" for nobody or for one who is not named.

    `number` is which item of the annotator it is, 0 without one.
    """

    task: str
    annotator_id: str | None
    annotator: str
    number: int
    summary: str
    flags: tuple[ShownFlag, ...] = ()
    comments: tuple[ShownComment, ...] = ()

    @property
    def is_open(self) -> bool:
        """True if a flag is not resolved, or the annotator, or an adjudicator among themselves, spoke last and has no answer."""
        resolutions = [flag.resolution for flag in self.flags]
        asks = "annotator" if self.annotator_id else "adjudicator"
        waits = bool(self.comments) and self.comments[-1].speaker == asks
        since = (
            [
                resolution
                for resolution in resolutions
                if resolution and resolution.created_at > self.comments[-1].created_at
            ]
            if waits
            else []
        )
        return None in resolutions or (waits and not since)

    @property
    def last_at(self) -> datetime:
        return max([*(flag.created_at for flag in self.flags), *(comment.created_at for comment in self.comments)])


@dataclass(frozen=True, slots=True)
class SentComment:
    """A comment on a task, for the conversation of an annotator or of nobody; `event_id` is made once per press."""

    task: str
    annotator_id: str | None
    text: str
    event_id: str


class AnnotatorComments:
    """An annotator's own conversations; raises RightsError for a person without that right."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.LABEL)
        self._store = store
        self._person = person

    def answers(self, campaign_id: str) -> dict[str, int]:
        """The tasks of this person on which somebody else spoke last, each with the number of that comment, and their flags that are resolved."""
        own = select(Comment.task_id, Comment.id, Comment.role).where(
            Comment.campaign_id == campaign_id, Comment.annotator_id == self._person.id
        )
        with read_session(self._store.engine) as session:
            last = {task: (id or 0, role) for task, id, role in session.exec(own.order_by(col(Comment.id)))}
            resolved = session.exec(
                select(FlagResolution.response_id)
                .join(Response, col(Response.id) == FlagResolution.response_id)
                .join(Reservation, col(Reservation.id) == Response.reservation_id)
                .where(Reservation.campaign_id == campaign_id, Reservation.person_id == self._person.id)
            ).all()
        answers = {task: id for task, (id, role) in last.items() if role != "annotator"}
        return answers | {f"flag {response}": response for response in resolved}

    def conversations(self, campaign_id: str) -> list[CommentThread]:
        """The conversations with a comment or flag of this person, the most recent first; nobody else is named."""
        with read_session(self._store.engine) as session:
            require_assigned(session, campaign_id, self._person)
            own = col(Comment.annotator_id) == self._person.id, col(Reservation.person_id) == self._person.id
            return [_without_names(conversation) for conversation in _load_conversations(session, campaign_id, *own)]

    def send(self, reservation_id: int, text: str, event_id: str) -> None:
        """Comment on a task that this person has or had. Raises RecordError for any other, and for a comment of no or too many words."""
        with self._store.writing() as session:
            own = session.get(Reservation, reservation_id)
            if own is None or own.person_id != self._person.id:
                raise RecordError("This item is not yours to comment on. Reload the page.")
            require_assigned(session, own.campaign_id, self._person)
            sent = SentComment(own.task_id, self._person.id, text, event_id)
            _save_comment(session, own.campaign_id, sent, "annotator", self._person.name)

    def answer(self, campaign_id: str, task: str, text: str, event_id: str) -> None:
        """Go on with a conversation of this person's own."""
        with read_session(self._store.engine) as session:
            had = select(Reservation.id).where(Reservation.task_id == task, Reservation.person_id == self._person.id)
            reservation = session.exec(had.where(Reservation.campaign_id == campaign_id).limit(1)).first()
        self.send(reservation or 0, text, event_id)


class AdjudicatorComments:
    """The conversations on tasks that an adjudicator may decide; raises RightsError for a person without that right."""

    def __init__(self, store: Store, person: Member) -> None:
        self._cases = AdjudicatorActions(store, person)
        self._store = store
        self._person = person

    def conversations(self, campaign_id: str, task: str) -> list[CommentThread]:
        """Those on one task; annotators are not named. Raises RecordError for one that this person may not adjudicate."""
        self._cases.task(campaign_id, task)
        with read_session(self._store.engine) as session:
            on_task = col(Comment.task_id) == task, col(Reservation.task_id) == task
            return [
                _without_names(conversation) for conversation in _load_conversations(session, campaign_id, *on_task)
            ]

    def send(self, campaign_id: str, sent: SentComment) -> None:
        """Comment on such a task, to the annotator of a conversation or to the managers. Raises like `conversations`."""
        self._cases.task(campaign_id, sent.task)
        with self._store.writing() as session:
            _save_comment(session, campaign_id, sent, "adjudicator", self._person.name)


class ManagerComments:
    """All conversations of campaigns; raises RightsError for a person who may not manage them."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.MANAGE)
        self._store = store
        self._person = person

    def conversations(self, campaign_id: str) -> list[CommentThread]:
        """Every conversation: open ones first, then the most recent."""
        with read_session(self._store.engine) as session:
            conversations = _load_conversations(session, campaign_id)
        return sorted(conversations, key=lambda conversation: not conversation.is_open)

    def texts(self, campaign_id: str, task: str) -> TaskTexts:
        """Texts of the task that a conversation is about."""
        with read_session(self._store.engine) as session:
            return load_task_texts(session, load_campaign(session, campaign_id), task)

    def send(self, campaign_id: str, sent: SentComment) -> None:
        """Comment on a task. Raises RecordError for one that is not of the campaign or that the annotator never had."""
        with self._store.writing() as session:
            _save_comment(session, campaign_id, sent, "manager", self._person.name)

    def resolve(self, campaign_id: str, response: int, note: str, event_id: str) -> None:
        """Resolve a flag with a note; a re-sent event changes nothing.

        Raises RecordError for what is no flag of the campaign, and for one that somebody resolved before.
        """
        require_storable("the note", note, event_id, most=MAX_COMMENT)
        with self._store.writing() as session:
            flagged = (
                select(Response.id)
                .join(Reservation, col(Reservation.id) == Response.reservation_id)
                .where(Response.id == response, Response.act == "flag", Reservation.campaign_id == campaign_id)
            )
            if session.exec(flagged.with_for_update(of=Response, key_share=True)).first() is None:
                raise RecordError("There is no such flag in this campaign. Reload the page.")
            resolution = session.exec(select(FlagResolution).where(FlagResolution.response_id == response)).first()
            if resolution and resolution.event_id == event_id:
                return
            if resolution:
                raise RecordError(f"{resolution.by} has resolved this flag meanwhile. Reload the page to see how.")
            now = datetime.now(UTC)
            session.add(
                FlagResolution(
                    response_id=response, note=note.strip(), by=self._person.name, event_id=event_id, created_at=now
                )
            )


def _save_comment(session: Session, campaign_id: str, sent: SentComment, speaker: Speaker, by: str) -> None:
    """Add a comment unless its event is known. Raises RecordError where the task is not of the campaign or never was the annotator's."""
    require_text("comment", sent.text, MAX_COMMENT)
    require_storable("the event", sent.event_id)
    if session.exec(select(Comment.id).where(Comment.event_id == sent.event_id)).first():
        return
    task = session.get(Task, sent.task)
    if task is None or task.campaign_id != load_campaign(session, campaign_id).id:
        raise RecordError("There is no such item in this campaign. Reload the page.")
    had = select(Reservation.id).where(Reservation.task_id == sent.task, Reservation.person_id == sent.annotator_id)
    if sent.annotator_id and session.exec(had.limit(1)).first() is None:
        raise RecordError("This person never had the item, so there is no conversation with them. Reload the page.")
    session.add(
        Comment(
            campaign_id=campaign_id,
            task_id=sent.task,
            annotator_id=sent.annotator_id,
            role=speaker,
            text=sent.text.strip(),
            by=by,
            event_id=sent.event_id,
            created_at=datetime.now(UTC),
        )
    )


def _load_conversations(
    session: Session,
    campaign_id: str,
    comments: ColumnElement[bool] | None = None,
    flags: ColumnElement[bool] | None = None,
) -> list[CommentThread]:
    """The conversations of a campaign with the comments and flags that match, the most recent first."""
    conversations: dict[tuple[str, str | None], CommentThread] = {}
    names = dict(session.exec(select(Person.id, Person.name)).all())

    def conversation_of(task: str, annotator: str | None) -> CommentThread:
        current = conversations.get((task, annotator))
        return current or CommentThread(task, annotator, names.get(annotator or "", ""), 0, "")

    for person, task, flag in _load_flags(session, campaign_id, flags):
        current = conversation_of(task, person)
        conversations[task, person] = replace(current, flags=(*current.flags, flag))
    query = select(Comment).where(Comment.campaign_id == campaign_id).order_by(col(Comment.id))
    for row in session.exec(query if comments is None else query.where(comments)):
        speakers: Mapping[str, Speaker] = {"annotator": "annotator", "adjudicator": "adjudicator", "manager": "manager"}
        current = conversation_of(row.task_id, row.annotator_id)
        shown = ShownComment(speakers[row.role], row.by, row.text, row.created_at)
        conversations[row.task_id, row.annotator_id] = replace(current, comments=(*current.comments, shown))

    tasks = {task for task, _ in conversations}
    rows = session.exec(
        select(Reservation.task_id, Reservation.person_id, Reservation.number)
        .where(Reservation.campaign_id == campaign_id, col(Reservation.task_id).in_(tasks))
        .order_by(col(Reservation.number).desc())
    )
    numbers: dict[tuple[str, str | None], int] = {(task, person): number for task, person, number in rows}
    texts = select(Task.id, ItemRow.text).join(ItemRow, col(ItemRow.id) == Task.item_id)
    summaries = dict(session.exec(texts.where(col(Task.id).in_({task for task, _ in conversations}))).all())
    named = [
        replace(conversation, number=numbers.get(key, 0), summary=summaries[key[0]])
        for key, conversation in conversations.items()
    ]
    return sorted(named, key=lambda conversation: conversation.last_at, reverse=True)


def _load_flags(
    session: Session, campaign_id: str, condition: ColumnElement[bool] | None
) -> list[tuple[str, str, ShownFlag]]:
    """Person, task and flag, oldest first."""
    flagged = (
        select(Reservation, Response, FlagResolution)
        .join(Response, col(Response.reservation_id) == Reservation.id)
        .outerjoin(FlagResolution, col(FlagResolution.response_id) == Response.id)
        .where(Reservation.campaign_id == campaign_id, Response.act == "flag")
        .order_by(col(Response.id))
    )
    rows = session.exec(flagged if condition is None else flagged.where(condition))
    return [(own.person_id, own.task_id, _shown_flag(row, resolution)) for own, row, resolution in rows]


def _shown_flag(row: Response, resolution: FlagResolution | None) -> ShownFlag:
    done = ShownResolution(resolution.note, resolution.by, resolution.created_at) if resolution else None
    return ShownFlag(row.id or 0, row.reason, row.created_at, done)


def _without_names(conversation: CommentThread) -> CommentThread:
    """Return a conversation without names: its speakers are known only by their role."""
    return replace(
        conversation,
        annotator="",
        flags=tuple(
            replace(flag, resolution=replace(flag.resolution, by="") if flag.resolution else None)
            for flag in conversation.flags
        ),
        comments=tuple(replace(comment, by="") for comment in conversation.comments),
    )
