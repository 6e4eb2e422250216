"""Adjudication, and what agreement is reckoned from."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlmodel import select

from annotations.campaigns.adjudication import AdjudicatorActions, DisagreementCause, SentDecision
from annotations.campaigns.campaign import NewTask
from annotations.campaigns.label_agreement import OVERALL, compute_agreements
from annotations.campaigns.labelling import AnnotatorActions
from annotations.campaigns.people import Role
from annotations.campaigns.questions import Answers
from annotations.campaigns.results import (
    LabelProvenance,
    first_blind_labels,
    latest_decisions,
    latest_labels,
    load_cases,
    repeated_labels,
)
from annotations.campaigns.tables import Reservation, Settlement
from annotations.database import read_session
from annotations.records import RecordError, RightsError
from annotations.store import Store
from tests.unit.annotations.campaigns.desks import Hall, hall, keep

GOOD: Answers = {"verdict": "consistent", "confidence": 4}
BAD: Answers = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}


def label_all(opened: Hall, desk: AnnotatorActions, bad: str = "") -> None:
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


def judge_of(opened: Hall, name: str = "dia") -> AdjudicatorActions:
    return AdjudicatorActions(opened.store, opened.person(name, Role.ADJUDICATOR))


def decide(
    opened: Hall,
    judge: AdjudicatorActions,
    task: str,
    answers: Answers = BAD,
    cause: DisagreementCause = DisagreementCause.SLIP,
) -> int:
    dispute = judge.dispute(opened.campaign.id, task)
    event = f"event-d{next(opened.events)}"
    return judge.settle(opened.campaign.id, SentDecision(task, answers, cause, dispute.responses, event))


def change_mind(opened: Hall, desk: AnnotatorActions, task: str, answers: Answers) -> None:
    """Another revision of what this person said of a task."""
    number = 10**6
    while work := desk.before(opened.campaign.id, number):
        number = work.number
        with read_session(opened.store.engine) as session:
            held = session.get_one(Reservation, work.reservation)
        if held.task_id == task:
            opened.send(desk, work, answers=answers)
            return
    raise AssertionError(task)


def test_only_what_people_differ_on_is_to_be_settled(labelled: Hall) -> None:
    judge = judge_of(labelled)
    docket = judge.docket(labelled.campaign.id)
    found = [judge.dispute(labelled.campaign.id, case.task) for case in docket.left]
    assert {dispute.document[5] for dispute in found} == {"0", "2"}
    for dispute in found:
        assert dispute.agreement == 0
        assert sorted(answer["verdict"] for answer in dispute.answers) == ["consistent", "inconsistent"]


def test_the_worst_agreement_comes_first(labelled: Hall) -> None:
    label_all(labelled, labelled.desk("eva"), bad="012")
    shares = [case.agreement for case in judge_of(labelled).docket(labelled.campaign.id).left]
    assert shares == sorted(shares)
    assert all(0 < share < 1 for share in shares)


def test_labels_stand_in_an_order_that_means_nothing(store: Store) -> None:
    opened = hall(store, items=12, overlap=2)
    for name, answers in (("ben", GOOD), ("cem", BAD)):
        desk = opened.desk(name)
        for _ in range(12):
            opened.send(desk, opened.work(desk), answers=answers)
    judge = judge_of(opened)
    tasks = [case.task for case in judge.docket(opened.campaign.id).left]
    first = [judge.dispute(opened.campaign.id, task).answers[0]["verdict"] for task in tasks]
    assert len(tasks) == 12
    assert set(first) == {"consistent", "inconsistent"}
    assert first == [judge.dispute(opened.campaign.id, task).answers[0]["verdict"] for task in tasks]


def test_a_decision_points_at_what_it_settles_and_can_be_revised(labelled: Hall) -> None:
    judge = judge_of(labelled)
    task = judge.docket(labelled.campaign.id).left[0].task
    dispute = judge.dispute(labelled.campaign.id, task)
    first = SentDecision(task, BAD, DisagreementCause.SLIP, dispute.responses, "event-d1")
    assert judge.settle(labelled.campaign.id, first) == 1
    assert judge.settle(labelled.campaign.id, first) == 1  # the same press, sent twice
    assert judge.settle(labelled.campaign.id, replace(first, answers=GOOD, event_id="event-d2")) == 2
    with labelled.store.writing() as session:
        rows = session.exec(select(Settlement)).all()
    assert [(row.revision, row.answers["verdict"]) for row in rows] == [(1, "inconsistent"), (2, "consistent")]
    assert rows[0].settles == sorted(dispute.responses)
    docket = judge.docket(labelled.campaign.id)
    assert task not in {case.task for case in docket.left}
    [decided] = docket.decided
    assert decided.decided is not None
    assert (decided.task, decided.decided.cause) == (task, "annotator slip")


def test_a_decision_settles_labels_that_are_there(labelled: Hall) -> None:
    judge = judge_of(labelled)
    task = judge.docket(labelled.campaign.id).left[0].task
    for settles in ((), (10**6,)):
        with pytest.raises(RecordError, match="settles labels that are not there"):
            judge.settle(labelled.campaign.id, SentDecision(task, BAD, DisagreementCause.SLIP, settles, "event-d1"))


def test_a_decision_answers_the_questions(labelled: Hall) -> None:
    judge = judge_of(labelled)
    task = judge.docket(labelled.campaign.id).left[0].task
    with pytest.raises(RecordError, match="not answered yet"):
        decide(labelled, judge, task, {"verdict": "inconsistent", "confidence": 4})
    with pytest.raises(RecordError, match="the text has"):
        decide(labelled, judge, task, {**GOOD, "evidence": [[0, 9999]]})


def test_a_later_label_that_says_otherwise_reopens_what_was_decided(labelled: Hall) -> None:
    judge = judge_of(labelled)
    first, second = (case.task for case in judge.docket(labelled.campaign.id).left)
    decide(labelled, judge, first)
    decide(labelled, judge, second, GOOD)
    label_all(labelled, labelled.desk("eva"), bad="0123")
    docket = judge.docket(labelled.campaign.id)
    assert [case.task for case in docket.decided] == [first]
    assert {case.task: case.reopened for case in docket.left}[second]
    assert judge.dispute(labelled.campaign.id, second).reopened
    decide(labelled, judge, second, GOOD)
    assert {case.task for case in judge.docket(labelled.campaign.id).decided} == {first, second}


def test_people_who_agree_against_a_decision_reopen_it(store: Store) -> None:
    opened = hall(store, items=1, overlap=2)
    ben, cem = opened.desk("ben"), opened.desk("cem")
    opened.send(ben, opened.work(ben), answers=GOOD)
    opened.send(cem, opened.work(cem), answers=BAD)
    judge = judge_of(opened)
    [case] = judge.docket(opened.campaign.id).left
    decide(opened, judge, case.task, BAD)
    change_mind(opened, cem, case.task, GOOD)
    [again] = judge.docket(opened.campaign.id).left
    assert (again.agreement, again.provenance) == (1, LabelProvenance.UNRESOLVED)


def test_where_a_label_comes_from_is_told(labelled: Hall) -> None:
    label_one = labelled.desk("gus")
    labelled.add([NewTask(id) for id in keep(labelled.store, 7)])
    for _ in range(5):
        work = labelled.work(label_one)
        labelled.send(label_one, work, answers=BAD if work.document[5] in "01" else GOOD)
    judge = judge_of(labelled)
    task = judge.docket(labelled.campaign.id).left[0].task
    decide(labelled, judge, task, BAD)
    with read_session(labelled.store.engine) as session:
        found = {case.provenance: case for case in load_cases(session, labelled.campaign)}
    assert set(found) == set(LabelProvenance)
    assert found[LabelProvenance.ADJUDICATED].answers == BAD
    assert found[LabelProvenance.SINGLE].answers == GOOD
    assert found[LabelProvenance.UNANIMOUS].answers["confidence"] == 4
    assert found[LabelProvenance.UNRESOLVED].answers == {}


def test_what_was_said_after_the_scores_were_shown_settles_nothing(store: Store) -> None:
    opened = hall(store, items=1, overlap=2, reveal=True)
    for name in ("ben", "cem"):
        desk = opened.desk(name)
        work = opened.work(desk)
        opened.send(desk, work, answers=GOOD)
        opened.send(desk, work, answers=BAD)
    with read_session(store.engine) as session:
        [case] = load_cases(session, opened.campaign)
    assert (case.provenance, case.answers["verdict"]) == (LabelProvenance.UNANIMOUS, "consistent")


def test_the_sides_of_a_pair_are_mixed_and_the_decision_is_told_as_if_they_were_not(store: Store) -> None:
    opened = hall(store, "label-pairs", items=12, overlap=2)
    for name, side in (("ben", "left"), ("cem", "right")):
        desk = opened.desk(name)
        for _ in range(12):
            work = opened.work(desk)
            chosen = side if work.left.startswith("Boat") else {"left": "right", "right": "left"}[side]
            given = {"unfaithful": chosen, "error_type": "Other", "explanation": "It was a boat."}
            opened.send(desk, work, answers=given)
    judge = judge_of(opened)
    shown = []
    for case in judge.docket(opened.campaign.id).left:
        dispute = judge.dispute(opened.campaign.id, case.task)
        made = "left" if dispute.left.startswith("Raft") else "right"
        shown.append(made)
        taken = next(one for one in dispute.answers if one["unfaithful"] == made)
        decide(opened, judge, case.task, taken)
    assert set(shown) == {"left", "right"}
    with read_session(store.engine) as session:
        assert {one.answers["unfaithful"] for one in latest_decisions(session, opened.campaign).values()} == {"right"}


def test_nobody_settles_what_they_labelled(labelled: Hall) -> None:
    fay = labelled.person("fay", Role.ADJUDICATOR)
    label_all(labelled, AnnotatorActions(labelled.store, fay))
    judge = AdjudicatorActions(labelled.store, fay)
    docket = judge.docket(labelled.campaign.id)
    assert (docket.left, docket.not_mine) == ((), 3)
    with read_session(labelled.store.engine) as session:
        task = first_blind_labels(session, labelled.campaign)[0].task
    with pytest.raises(RecordError, match="labelled this one yourself"):
        judge.dispute(labelled.campaign.id, task)
    with pytest.raises(RecordError, match="labelled this one yourself"):
        judge.settle(labelled.campaign.id, SentDecision(task, GOOD, DisagreementCause.SLIP, (), "event-d3"))


def test_nobody_settles_what_they_made(labelled: Hall) -> None:
    task = judge_of(labelled).docket(labelled.campaign.id).left[0].task
    maker = judge_of(labelled, "ada")
    assert maker.docket(labelled.campaign.id).not_mine == 2
    with pytest.raises(RecordError, match="made this one yourself"):
        maker.dispute(labelled.campaign.id, task)


def test_why_somebody_flagged_a_task_is_told(store: Store) -> None:
    opened = hall(store, items=1, overlap=3)
    for name, answers in (("ben", GOOD), ("cem", BAD)):
        desk = opened.desk(name)
        opened.send(desk, opened.work(desk), answers=answers)
    eva = opened.desk("eva")
    opened.send(eva, opened.work(eva), "flag", reason="The document is cut off.")
    judge = judge_of(opened)
    [case] = judge.docket(opened.campaign.id).left
    assert judge.dispute(opened.campaign.id, case.task).flags == ("The document is cut off.",)


def test_an_annotator_may_not_settle(labelled: Hall) -> None:
    with pytest.raises(RightsError, match="may not adjudicate"):
        AdjudicatorActions(labelled.store, labelled.person("gil"))


def test_agreement_is_that_of_first_blind_labels(labelled: Hall) -> None:
    """Two of four items alike: raw one half; both call two of four bad, so that kappa is nought."""
    with read_session(labelled.store.engine) as session:
        overall = next(one for one in compute_agreements(session, labelled.campaign) if one.slice == OVERALL)
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
    with read_session(store.engine) as session:
        assert [one.answers["verdict"] for one in first_blind_labels(session, opened.campaign)] == ["consistent"]
        assert [one.answers["verdict"] for one in latest_labels(session, opened.campaign)] == ["inconsistent"]


def test_what_was_taken_back_was_never_said(store: Store) -> None:
    opened = hall(store, items=2)
    desk = opened.desk("ben")
    work = opened.work(desk)
    opened.send(desk, work, answers=BAD)
    opened.send(desk, work, "undo")
    assert opened.work(desk) == replace(work, answers=opened.work(desk).answers)
    opened.send(desk, work, answers=GOOD)
    with read_session(store.engine) as session:
        assert [one.answers["verdict"] for one in first_blind_labels(session, opened.campaign)] == ["consistent"]


def test_answers_about_sides_are_told_as_if_nothing_was_swapped(store: Store) -> None:
    opened = hall(store, "label-pairs", items=12)
    desk = opened.desk("ben")
    for _ in range(12):
        work = opened.work(desk)
        side = "left" if work.left.startswith("Raft") else "right"
        opened.send(
            desk, work, answers={"unfaithful": side, "error_type": "Other", "explanation": "It was left at the mill."}
        )
    with read_session(store.engine) as session:
        said = first_blind_labels(session, opened.campaign)
    assert {one.answers["unfaithful"] for one in said} == {"right"}
    assert {one.answers["explanation"] for one in said} == {"It was left at the mill."}


def test_a_second_turn_stands_beside_the_first(store: Store) -> None:
    opened = hall(store, items=30, repeat_every=4)
    opened.label(opened.desk("ben"), 34)
    with read_session(store.engine) as session:
        pairs = repeated_labels(session, opened.campaign)
        assert len(first_blind_labels(session, opened.campaign)) < 34
    assert pairs
    assert all(first.task == second.task for first, second in pairs)
