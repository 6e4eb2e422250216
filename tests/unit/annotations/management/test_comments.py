"""Comments and flags: who sees which conversation, what is refused, and what a manager resolves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import delete, update
from sqlmodel import select

from annotations.management.comments import (
    MAX_COMMENT,
    AdjudicatorComments,
    AnnotatorComments,
    ManagerComments,
    SentComment,
)
from annotations.people.people import Member, Role
from annotations.store.database import read_session
from annotations.store.records import RecordError, RightsError, StoreError
from annotations.store.response_tables import Comment, FlagResolution
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign

GOOD = {"verdict": "consistent", "confidence": 4}
BAD = {"verdict": "inconsistent", "confidence": 2, "reason": "No boat at all."}


class CommentFixture:
    """One item that ben, who flags it, and cem, who labels it, have; a manager and an adjudicator."""

    def __init__(self, store: Store) -> None:
        self.opened = make_campaign(store, items=1, overlap=3)
        self.id, self.store, self.own = self.opened.campaign.id, store, 0
        self.ben, self.cem, self.mia, self.dia = (
            self.opened.person("ben"),
            self.opened.person("cem"),
            self.opened.person("mia", Role.MANAGER),
            self.opened.person("dia", Role.ADJUDICATOR),
        )
        self.of_ben, self.of_cem = (AnnotatorComments(store, one) for one in (self.ben, self.cem))
        self.manager = ManagerComments(store, self.mia)

    def take(self, person: Member, act: str = "flag", **changes: object) -> int:
        """The reservation of a person who did something with the item."""
        actions = self.opened.annotator_of(person)
        work = self.opened.next_task(actions)
        self.opened.send(actions, work, act, **changes)  # type: ignore[arg-type]  # one of the acts
        return work.reservation


@pytest.fixture
def opened(store: Store) -> CommentFixture:
    return CommentFixture(store)


def test_a_flag_is_answered_and_resolved_and_the_annotator_reads_both(opened: CommentFixture) -> None:
    reservation = opened.take(opened.ben, reason="It is cut off.")
    opened.of_ben.send(reservation, "Is the last sentence missing?", "event-1")
    [waiting] = opened.manager.conversations(opened.id)
    assert (waiting.annotator, waiting.number, waiting.is_open) == ("ben", 1, True)
    assert [flag.reason for flag in waiting.flags] == ["It is cut off."]
    opened.manager.send(
        opened.id, SentComment(waiting.task, waiting.annotator_id, "Yes. Read it as it stands.", "event-2")
    )
    opened.manager.resolve(opened.id, waiting.flags[0].response, "The source ends there.", "event-3")
    [read] = opened.of_ben.conversations(opened.id)
    assert [(one.speaker, one.by, one.text) for one in read.comments] == [
        ("annotator", "", "Is the last sentence missing?"),
        ("manager", "", "Yes. Read it as it stands."),
    ]
    resolution = read.flags[0].resolution
    assert resolution
    assert (resolution.note, resolution.by, read.is_open) == ("The source ends there.", "", False)
    flag = waiting.flags[0].response
    assert opened.of_ben.answers(opened.id) == {read.task: 2, f"flag {flag}": flag}
    assert opened.of_cem.answers(opened.id) == {}
    [done] = opened.manager.conversations(opened.id)
    assert done.flags[0].resolution
    assert done.flags[0].resolution.by == "mia"


def test_who_else_labels_the_item_sees_nothing_of_it_and_cannot_join(opened: CommentFixture) -> None:
    reservation = opened.take(opened.ben)
    opened.of_ben.send(reservation, "I would say inconsistent.", "event-1")
    opened.take(opened.cem, "answer", answers=GOOD)
    assert opened.of_cem.conversations(opened.id) == []
    with pytest.raises(RecordError, match="not yours to comment on"):
        opened.of_cem.send(reservation, "Me too.", "event-2")
    [own] = opened.of_ben.conversations(opened.id)
    opened.of_cem.answer(
        opened.id, own.task, "What is it about?", "event-3"
    )  # the item, which is cem's too: another conversation
    assert [len(one.comments) for one in opened.of_ben.conversations(opened.id)] == [1]
    assert [one.comments[0].text for one in opened.of_cem.conversations(opened.id)] == ["What is it about?"]
    assert len(opened.manager.conversations(opened.id)) == 2


def test_no_label_goes_with_a_conversation(opened: CommentFixture) -> None:
    reservation = opened.take(opened.ben, "answer", answers=BAD)
    opened.take(opened.cem, "answer", answers=GOOD)
    opened.of_ben.send(reservation, "The document is odd.", "event-1")
    judged = AdjudicatorComments(opened.store, opened.dia)
    [waiting] = opened.manager.conversations(opened.id)
    for shown in (waiting, *opened.of_ben.conversations(opened.id), *judged.conversations(opened.id, waiting.task)):
        assert not [word for word in ("consistent", "No boat", "cem", "confidence") if word in repr(shown)]


def test_an_adjudicator_reads_and_answers_unnamed_people_and_writes_to_the_manager(opened: CommentFixture) -> None:
    reservation = opened.take(opened.ben, "answer", answers=BAD)
    opened.take(opened.cem, "answer", answers=GOOD)
    opened.of_ben.send(reservation, "The document is odd.", "event-1")
    judged = AdjudicatorComments(opened.store, opened.dia)
    task = opened.manager.conversations(opened.id)[0].task
    [shown] = judged.conversations(opened.id, task)
    assert "ben" not in repr(shown).replace(str(shown.annotator_id), "")
    judged.send(opened.id, SentComment(task, shown.annotator_id, "Which sentence?", "event-2"))
    judged.send(opened.id, SentComment(task, None, "Shall we drop it?", "event-3"))
    assert [one.speaker for one in opened.of_ben.conversations(opened.id)[0].comments] == ["annotator", "adjudicator"]
    assert [(one.annotator, one.is_open) for one in opened.manager.conversations(opened.id)] == [
        ("", True),
        ("ben", False),
    ]
    with pytest.raises(RecordError, match="labelled this one yourself"):
        AdjudicatorComments(opened.store, Member(opened.ben.id, "ben", Role.ADJUDICATOR)).conversations(opened.id, task)


def test_the_same_press_writes_one_comment_and_one_resolution(opened: CommentFixture) -> None:
    reservation = opened.take(opened.ben)
    for _ in range(2):
        opened.of_ben.send(reservation, "Once.", "event-1")
    [waiting] = opened.manager.conversations(opened.id)
    for _ in range(2):
        opened.manager.resolve(opened.id, waiting.flags[0].response, "", "event-2")
    with pytest.raises(RecordError, match="mia has resolved this flag"):
        opened.manager.resolve(opened.id, waiting.flags[0].response, "Mine.", "event-3")
    with read_session(opened.store.engine) as session:
        assert len(session.exec(select(Comment)).all()) == len(session.exec(select(FlagResolution)).all()) == 1


REFUSED: dict[str, Callable[[CommentFixture], object]] = {
    "no words": lambda opened: opened.of_ben.send(opened.own, "  ", "e"),
    "too many words": lambda opened: opened.of_ben.send(opened.own, "x" * (MAX_COMMENT + 1), "e"),
    "what no database holds": lambda opened: opened.of_ben.send(opened.own, "\0", "e"),
    "an item that is nobody's": lambda opened: opened.of_ben.send(opened.own + 1000, "Hello", "e"),
    "a conversation of no item": lambda opened: opened.of_ben.answer(opened.id, "x", "Hello", "e"),
    "a task of nowhere": lambda opened: opened.manager.send(opened.id, SentComment("x", None, "Hello", "e")),
    "somebody who never had it": lambda opened: opened.manager.send(
        opened.id, SentComment(opened.manager.conversations(opened.id)[0].task, opened.cem.id, "Hello", "e")
    ),
    "a campaign of nowhere": lambda opened: opened.manager.send("x", SentComment("x", None, "Hello", "e")),
    "a flag that is none": lambda opened: opened.manager.resolve(opened.id, 10**6, "", "e"),
    "an endless note": lambda opened: opened.manager.resolve(opened.id, 1, "x" * (MAX_COMMENT + 1), "e"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_belong_is_refused_in_words(opened: CommentFixture, what: str) -> None:
    opened.own = opened.take(opened.ben)
    with pytest.raises(RecordError):
        REFUSED[what](opened)
    with read_session(opened.store.engine) as session:
        assert session.exec(select(Comment)).all() == []


def test_rights_are_asked(opened: CommentFixture) -> None:
    for actions in (ManagerComments, AdjudicatorComments):
        with pytest.raises(RightsError):
            actions(opened.store, opened.ben)


def test_comments_and_resolutions_are_never_changed(opened: CommentFixture) -> None:
    reservation = opened.take(opened.ben)
    opened.of_ben.send(reservation, "Once.", "event-1")
    opened.manager.resolve(opened.id, opened.manager.conversations(opened.id)[0].flags[0].response, "", "event-2")
    for change in (update(Comment).values(text="x"), delete(Comment), delete(FlagResolution)):
        with pytest.raises(StoreError), opened.store.writing() as session:
            session.connection().execute(change)
