"""Adjudication, and what agreement is reckoned from."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlmodel import select

from annotations.campaigns.agreeing import OVERALL, agreements
from annotations.campaigns.labelling import Labelling
from annotations.campaigns.people import Role
from annotations.campaigns.questions import Answers
from annotations.campaigns.reading import first_blind, last_words, repeated
from annotations.campaigns.settling import Cause, Decision, Settling
from annotations.campaigns.tables import Settlement
from annotations.database import read
from annotations.errors import RecordError, RightsError
from annotations.store import Store
from tests.unit.annotations.campaigns.desks import Hall, hall

GOOD: Answers = {"verdict": "consistent", "confidence": 4}
BAD: Answers = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}


def label_all(opened: Hall, desk: Labelling, bad: str = "") -> None:
    """Call inconsistent what has one of these numbers in it, and the rest consistent."""
    for _ in range(4):
        work = opened.work(desk)
        opened.send(desk, work, answers=BAD if work.document[5] in bad else GOOD)


@pytest.fixture
def labelled(store: Store) -> Hall:
    """Four items, on two of which ben and cem differ."""
    opened = hall(store, items=4, overlap=3)
    label_all(opened, opened.desk("ben"), bad="01")
    label_all(opened, opened.desk("cem"), bad="12")
    return opened


def test_only_what_people_differ_on_is_to_be_settled(labelled: Hall) -> None:
    judge = Settling(labelled.store, labelled.person("dia", Role.ADJUDICATOR))
    found = judge.disputes(labelled.campaign.id)
    assert {dispute.document[5] for dispute in found} == {"0", "2"}
    for dispute in found:
        assert dispute.agreement == 0
        assert sorted(answer["verdict"] for answer in dispute.answers) == ["consistent", "inconsistent"]


def test_the_worst_agreement_comes_first(labelled: Hall) -> None:
    label_all(labelled, labelled.desk("eva"), bad="012")
    judge = Settling(labelled.store, labelled.person("dia", Role.ADJUDICATOR))
    shares = [dispute.agreement for dispute in judge.disputes(labelled.campaign.id)]
    assert shares == sorted(shares)
    assert all(0 < share < 1 for share in shares)


def test_a_decision_points_at_what_it_settles_and_can_be_revised(labelled: Hall) -> None:
    judge = Settling(labelled.store, labelled.person("dia", Role.ADJUDICATOR))
    dispute, *_ = judge.disputes(labelled.campaign.id)
    first = Decision(dispute.task, BAD, Cause.SLIP, dispute.responses, "event-d1")
    assert judge.settle(labelled.campaign.id, first) == 1
    assert judge.settle(labelled.campaign.id, first) == 1  # the same press, sent twice
    assert judge.settle(labelled.campaign.id, replace(first, answers=GOOD, event_id="event-d2")) == 2
    with labelled.store.writing() as session:
        rows = session.exec(select(Settlement)).all()
    assert [(row.revision, row.answers["verdict"]) for row in rows] == [(1, "inconsistent"), (2, "consistent")]
    assert rows[0].settles == sorted(dispute.responses)
    assert dispute.task not in {other.task for other in judge.disputes(labelled.campaign.id)}
    *_, again = judge.disputes(labelled.campaign.id, decided=True)
    assert again.decided is not None
    assert again.decided.cause == "annotator slip"


def test_nobody_settles_what_they_labelled(labelled: Hall) -> None:
    fay = labelled.person("fay", Role.ADJUDICATOR)
    label_all(labelled, Labelling(labelled.store, fay))
    judge = Settling(labelled.store, fay)
    assert judge.disputes(labelled.campaign.id) == []
    with read(labelled.store.engine) as session:
        task = first_blind(session, labelled.campaign)[0].task
    with pytest.raises(RecordError, match="labelled this one yourself"):
        judge.settle(labelled.campaign.id, Decision(task, GOOD, Cause.SLIP, (), "event-d3"))


def test_an_annotator_may_not_settle(labelled: Hall) -> None:
    with pytest.raises(RightsError, match="may not adjudicate"):
        Settling(labelled.store, labelled.person("gil"))


def test_agreement_is_that_of_first_blind_labels(labelled: Hall) -> None:
    """Two of four items alike: raw one half; both call two of four bad, so that kappa is nought."""
    with read(labelled.store.engine) as session:
        overall = next(one for one in agreements(session, labelled.campaign) if one.slice == OVERALL)
    assert (overall.question, overall.scale, overall.people, overall.labels) == ("verdict", "ordinal", 2, 8)
    assert overall.raw.value == pytest.approx(0.5)
    assert overall.kappas["ben", "cem"].value == pytest.approx(0.0)
    assert overall.alpha.value == pytest.approx(1 - (8 - 1) * 4 / (2 * 4 * 4))
    assert overall.prevalence["inconsistent"].value == pytest.approx(0.5)
    assert overall.prevalence["borderline"].value == 0


def test_a_changed_mind_leaves_agreement_and_changes_the_last_word(store: Store) -> None:
    opened = hall(store, items=1)
    desk = opened.desk("ben")
    work = opened.work(desk)
    opened.send(desk, work, answers=GOOD)
    assert opened.send(desk, work, answers=BAD).revision == 2
    with read(store.engine) as session:
        assert [one.answers["verdict"] for one in first_blind(session, opened.campaign)] == ["consistent"]
        assert [one.answers["verdict"] for one in last_words(session, opened.campaign)] == ["inconsistent"]


def test_what_was_taken_back_was_never_said(store: Store) -> None:
    opened = hall(store, items=2)
    desk = opened.desk("ben")
    work = opened.work(desk)
    opened.send(desk, work, answers=BAD)
    opened.send(desk, work, "undo")
    assert opened.work(desk) == replace(work, answers=opened.work(desk).answers)
    opened.send(desk, work, answers=GOOD)
    with read(store.engine) as session:
        assert [one.answers["verdict"] for one in first_blind(session, opened.campaign)] == ["consistent"]


def test_answers_about_sides_are_told_as_if_nothing_was_swapped(store: Store) -> None:
    opened = hall(store, "label-pairs", items=12)
    desk = opened.desk("ben")
    for _ in range(12):
        work = opened.work(desk)
        side = "left" if work.left.startswith("Raft") else "right"
        opened.send(
            desk, work, answers={"unfaithful": side, "error_type": "Other", "explanation": "It was left at the mill."}
        )
    with read(store.engine) as session:
        said = first_blind(session, opened.campaign)
    assert {one.answers["unfaithful"] for one in said} == {"right"}
    assert {one.answers["explanation"] for one in said} == {"It was left at the mill."}


def test_a_second_turn_stands_beside_the_first(store: Store) -> None:
    opened = hall(store, items=30, repeat_every=4)
    opened.label(opened.desk("ben"), 34)
    with read(store.engine) as session:
        pairs = repeated(session, opened.campaign)
        assert len(first_blind(session, opened.campaign)) < 34
    assert pairs
    assert all(first.task == second.task for first, second in pairs)
