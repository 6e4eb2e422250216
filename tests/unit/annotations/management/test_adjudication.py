"""Adjudication, and the labels from which agreement is computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlmodel import Session, select

from annotations.campaigns.campaign import CampaignSettings, NewTask, load_campaign
from annotations.campaigns.questions import Answers
from annotations.labelling.labelling import AnnotatorActions
from annotations.management.adjudication import (
    AdjudicationQueue,
    AdjudicatorActions,
    DisagreementCause,
    QueuedTask,
    SentDecision,
)
from annotations.people.people import Member, Role
from annotations.results.label_agreement import OVERALL, compute_agreements
from annotations.results.resolution import tasks_by_model
from annotations.results.results import (
    LabelProvenance,
    first_blind_labels,
    latest_decisions,
    latest_labels,
    load_cases,
    load_labels,
    repeated_labels,
)
from annotations.store.database import read_session
from annotations.store.records import RecordError, RightsError
from annotations.store.response_tables import Adjudication, Reservation
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items
from tests.unit.annotations.campaigns.random_campaign import ANSWERS, RandomCampaign

GOOD: Answers = {"verdict": "consistent", "confidence": 4}
BAD: Answers = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}


def label_all(opened: CampaignFixture, annotator: AnnotatorActions, bad: str = "") -> None:
    """Call inconsistent what has one of these numbers in it, and the rest consistent."""
    for _ in range(4):
        work = opened.next_task(annotator)
        opened.send(annotator, work, answers=BAD if work.document[5] in bad else GOOD)


@pytest.fixture
def labelled(store: Store) -> CampaignFixture:
    """Four items, on two of which ben and cem differ."""
    opened = make_campaign(store, items=4, overlap=3)
    label_all(opened, opened.annotator("ben"), bad="01")
    label_all(opened, opened.annotator("cem"), bad="12")
    return opened


def judge_of(opened: CampaignFixture, name: str = "dia") -> AdjudicatorActions:
    return AdjudicatorActions(opened.store, opened.person(name, Role.ADJUDICATOR))


def decide(
    opened: CampaignFixture,
    judge: AdjudicatorActions,
    task: str,
    answers: Answers = BAD,
    cause: DisagreementCause = DisagreementCause.SLIP,
) -> int:
    shown = judge.task(opened.campaign.id, task)
    event = f"event-d{next(opened.events)}"
    return judge.save_decision(opened.campaign.id, SentDecision(task, answers, cause, shown.responses, event))


def change_mind(opened: CampaignFixture, annotator: AnnotatorActions, task: str, answers: Answers) -> None:
    """Another revision of the label of this person for a task."""
    number = 10**6
    while work := annotator.previous(opened.campaign.id, number):
        number = work.number
        with read_session(opened.store.engine) as session:
            reservation = session.get_one(Reservation, work.reservation)
        if reservation.task_id == task:
            opened.send(annotator, work, answers=answers)
            return
    raise AssertionError(task)


def test_only_disputed_tasks_are_in_the_queue(labelled: CampaignFixture) -> None:
    judge = judge_of(labelled)
    queue = judge.queue(labelled.campaign.id)
    found = [judge.task(labelled.campaign.id, case.task) for case in queue.open]
    assert {shown.document[5] for shown in found} == {"0", "2"}
    for shown in found:
        assert shown.agreement == 0
        assert sorted(answer["verdict"] for answer in shown.answers) == ["consistent", "inconsistent"]


def test_the_lowest_agreement_comes_first(labelled: CampaignFixture) -> None:
    label_all(labelled, labelled.annotator("eva"), bad="012")
    shares = [case.agreement for case in judge_of(labelled).queue(labelled.campaign.id).open]
    assert shares == sorted(shares)
    assert all(0 < share < 1 for share in shares)


def test_labels_are_shown_in_random_order(store: Store) -> None:
    opened = make_campaign(store, items=12, overlap=2)
    for name, answers in (("ben", GOOD), ("cem", BAD)):
        annotator = opened.annotator(name)
        for _ in range(12):
            opened.send(annotator, opened.next_task(annotator), answers=answers)
    judge = judge_of(opened)
    tasks = [case.task for case in judge.queue(opened.campaign.id).open]
    first = [judge.task(opened.campaign.id, task).answers[0]["verdict"] for task in tasks]
    assert len(tasks) == 12
    assert set(first) == {"consistent", "inconsistent"}
    assert first == [judge.task(opened.campaign.id, task).answers[0]["verdict"] for task in tasks]


def test_a_decision_names_its_labels_and_can_be_revised(labelled: CampaignFixture) -> None:
    judge = judge_of(labelled)
    task = judge.queue(labelled.campaign.id).open[0].task
    shown = judge.task(labelled.campaign.id, task)
    first = SentDecision(task, BAD, DisagreementCause.SLIP, shown.responses, "event-d1")
    assert judge.save_decision(labelled.campaign.id, first) == 1
    assert judge.save_decision(labelled.campaign.id, first) == 1  # the same press, sent twice
    assert judge.save_decision(labelled.campaign.id, replace(first, answers=GOOD, event_id="event-d2")) == 2
    with labelled.store.writing() as session:
        rows = session.exec(select(Adjudication)).all()
    assert [(row.revision, row.answers["verdict"]) for row in rows] == [(1, "inconsistent"), (2, "consistent")]
    assert rows[0].settles == sorted(shown.responses)
    queue = judge.queue(labelled.campaign.id)
    assert task not in {case.task for case in queue.open}
    assert [one.task for one in queue.decided] == [task]
    decided = judge.task(labelled.campaign.id, task).decision
    assert decided
    assert decided.cause == "annotator slip"


def test_a_decision_about_missing_labels_is_refused(labelled: CampaignFixture) -> None:
    judge = judge_of(labelled)
    task = judge.queue(labelled.campaign.id).open[0].task
    for settles in ((), (10**6,)):
        with pytest.raises(RecordError, match="names labels that do not exist"):
            judge.save_decision(
                labelled.campaign.id, SentDecision(task, BAD, DisagreementCause.SLIP, settles, "event-d1")
            )


def test_a_decision_answers_the_questions(labelled: CampaignFixture) -> None:
    judge = judge_of(labelled)
    task = judge.queue(labelled.campaign.id).open[0].task
    with pytest.raises(RecordError, match="not answered yet"):
        decide(labelled, judge, task, {"verdict": "inconsistent", "confidence": 4})
    with pytest.raises(RecordError, match="the text has"):
        decide(labelled, judge, task, {**GOOD, "evidence": [[0, 9999]]})


def test_a_later_label_that_says_otherwise_reopens_what_was_decided(labelled: CampaignFixture) -> None:
    judge = judge_of(labelled)
    first, second = (case.task for case in judge.queue(labelled.campaign.id).open)
    decide(labelled, judge, first)
    decide(labelled, judge, second, GOOD)
    label_all(labelled, labelled.annotator("eva"), bad="0123")
    queue = judge.queue(labelled.campaign.id)
    assert [case.task for case in queue.decided] == [first]
    assert {case.task: case.reopened for case in queue.open}[second]
    assert judge.task(labelled.campaign.id, second).reopened
    decide(labelled, judge, second, GOOD)
    assert {case.task for case in judge.queue(labelled.campaign.id).decided} == {first, second}


def test_people_who_agree_against_a_decision_reopen_it(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=2)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    opened.send(ben, opened.next_task(ben), answers=GOOD)
    opened.send(cem, opened.next_task(cem), answers=BAD)
    judge = judge_of(opened)
    [case] = judge.queue(opened.campaign.id).open
    decide(opened, judge, case.task, BAD)
    change_mind(opened, cem, case.task, GOOD)
    [again] = judge.queue(opened.campaign.id).open
    assert (again.agreement, again.reopened) == (1, True)


def test_the_queue_counts_labels_by_provenance(labelled: CampaignFixture) -> None:
    label_one = labelled.annotator("gus")
    labelled.add_tasks([NewTask(id) for id in save_items(labelled.store, 7)])
    for _ in range(5):
        work = labelled.next_task(label_one)
        labelled.send(label_one, work, answers=BAD if work.document[5] in "01" else GOOD)
    judge = judge_of(labelled)
    task = judge.queue(labelled.campaign.id).open[0].task
    decide(labelled, judge, task, BAD)
    with read_session(labelled.store.engine) as session:
        found = {case.provenance: case for case in load_cases(session, labelled.campaign)}
    assert set(found) == set(LabelProvenance)
    assert found[LabelProvenance.ADJUDICATED].answers == BAD
    assert found[LabelProvenance.SINGLE].answers == GOOD
    assert found[LabelProvenance.UNANIMOUS].answers["confidence"] == 4
    assert found[LabelProvenance.UNRESOLVED].answers == {}


def test_labels_given_after_the_scores_were_shown_do_not_count(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=2, reveal=True)
    for name in ("ben", "cem"):
        annotator = opened.annotator(name)
        work = opened.next_task(annotator)
        opened.send(annotator, work, answers=GOOD)
        opened.send(annotator, work, answers=BAD)
    with read_session(store.engine) as session:
        [case] = load_cases(session, opened.campaign)
    assert (case.provenance, case.answers["verdict"]) == (LabelProvenance.UNANIMOUS, "consistent")


def queue_by_definition(session: Session, campaign: CampaignSettings, judge: Member) -> AdjudicationQueue:
    """The queue by every label of the campaign, read again; ada made all items."""
    by_model, cases = tasks_by_model(session, campaign), load_cases(session, campaign)
    disputed = [case for case in cases if case.decision or (case.agreement < 1 and case.task not in by_model)]
    people = {case.task: {label.person for label in case.labels} | {"ada"} for case in disputed}
    allowed = [
        (QueuedTask(case.task, case.agreement, case.reopened), case.provenance)
        for case in disputed
        if judge.name not in people[case.task]
    ]
    return AdjudicationQueue(
        open=tuple(one for one, provenance in allowed if provenance is LabelProvenance.UNRESOLVED),
        decided=tuple(one for one, provenance in allowed if provenance is LabelProvenance.ADJUDICATED),
        excluded=len(disputed) - len(allowed),
        counts=Counter(case.provenance for case in cases),
    )


def ordered(tasks: Sequence[QueuedTask]) -> list[QueuedTask]:
    return sorted(tasks, key=lambda one: (one.agreement, one.task))


@pytest.mark.parametrize(
    ("questions", "seed"),
    [
        ("label-summaries", 11),
        *[pytest.param(name, seed, marks=pytest.mark.slow) for name in ANSWERS for seed in (12, 13, 14)],
    ],
)
def test_the_queue_is_that_of_all_labels_whatever_happened(store: Store, questions: str, seed: int) -> None:
    campaign = RandomCampaign(store, questions, seed)
    nobody = campaign.opened.person("eva", Role.ADJUDICATOR)
    judges = [replace(person, role=Role.ADJUDICATOR) for person in campaign.people] + [nobody]
    for _ in range(10):
        for _ in range(6):
            campaign.step()
        for judge in judges:
            queue = AdjudicatorActions(store, judge).queue(campaign.opened.campaign.id)
            with read_session(store.engine) as session:
                settings = load_campaign(session, campaign.opened.campaign.id)
                expected = queue_by_definition(session, settings, judge)
            assert replace(queue, open=(), decided=()) == replace(expected, open=(), decided=())
            assert [one.agreement for one in queue.open] == sorted(one.agreement for one in queue.open)
            assert ordered(queue.open) == ordered(expected.open)
            assert ordered(queue.decided) == ordered(expected.decided)
    assert queue.counts


def test_sides_are_shown_in_random_order_and_decisions_are_stored_unswapped(store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=12, overlap=2)
    for name, side in (("ben", "left"), ("cem", "right")):
        annotator = opened.annotator(name)
        for _ in range(12):
            work = opened.next_task(annotator)
            chosen = side if work.left.startswith("Boat") else {"left": "right", "right": "left"}[side]
            given = {"unfaithful": chosen, "error_type": "Other", "explanation": "It was a boat."}
            opened.send(annotator, work, answers=given)
    judge = judge_of(opened)
    made_sides = []
    for case in judge.queue(opened.campaign.id).open:
        shown = judge.task(opened.campaign.id, case.task)
        made = "left" if shown.left.startswith("Raft") else "right"
        made_sides.append(made)
        taken = next(one for one in shown.answers if one["unfaithful"] == made)
        decide(opened, judge, case.task, taken)
    assert set(made_sides) == {"left", "right"}
    with read_session(store.engine) as session:
        assert {one.answers["unfaithful"] for one in latest_decisions(session, opened.campaign).values()} == {"right"}


def test_adjudicators_cannot_decide_tasks_that_they_labelled(labelled: CampaignFixture) -> None:
    fay = labelled.person("fay", Role.ADJUDICATOR)
    label_all(labelled, AnnotatorActions(labelled.store, fay))
    judge = AdjudicatorActions(labelled.store, fay)
    queue = judge.queue(labelled.campaign.id)
    assert (queue.open, queue.excluded) == ((), 3)
    with read_session(labelled.store.engine) as session:
        task = first_blind_labels(load_labels(session, labelled.campaign))[0].task
    with pytest.raises(RecordError, match="labelled this one yourself"):
        judge.task(labelled.campaign.id, task)
    with pytest.raises(RecordError, match="labelled this one yourself"):
        judge.save_decision(labelled.campaign.id, SentDecision(task, GOOD, DisagreementCause.SLIP, (), "event-d3"))


def test_adjudicators_cannot_decide_tasks_that_they_made(labelled: CampaignFixture) -> None:
    task = judge_of(labelled).queue(labelled.campaign.id).open[0].task
    maker = judge_of(labelled, "ada")
    assert maker.queue(labelled.campaign.id).excluded == 2
    with pytest.raises(RecordError, match="made this one yourself"):
        maker.task(labelled.campaign.id, task)


def test_reasons_of_flags_are_shown(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=3)
    for name, answers in (("ben", GOOD), ("cem", BAD)):
        annotator = opened.annotator(name)
        opened.send(annotator, opened.next_task(annotator), answers=answers)
    eva = opened.annotator("eva")
    opened.send(eva, opened.next_task(eva), "flag", reason="The document is cut off.")
    judge = judge_of(opened)
    [case] = judge.queue(opened.campaign.id).open
    assert judge.task(opened.campaign.id, case.task).flags == ("The document is cut off.",)


def test_an_annotator_may_not_adjudicate(labelled: CampaignFixture) -> None:
    with pytest.raises(RightsError, match="may not adjudicate"):
        AdjudicatorActions(labelled.store, labelled.person("gil"))


def test_agreement_is_that_of_first_blind_labels(labelled: CampaignFixture) -> None:
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
    opened = make_campaign(store, items=1)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    opened.send(annotator, work, answers=GOOD)
    assert opened.send(annotator, work, answers=BAD).revision == 2
    with read_session(store.engine) as session:
        assert [one.answers["verdict"] for one in first_blind_labels(load_labels(session, opened.campaign))] == [
            "consistent"
        ]
        assert [one.answers["verdict"] for one in latest_labels(load_labels(session, opened.campaign))] == [
            "inconsistent"
        ]


def test_undone_answers_do_not_count(store: Store) -> None:
    opened = make_campaign(store, items=2)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    opened.send(annotator, work, answers=BAD)
    opened.send(annotator, work, "undo")
    assert opened.next_task(annotator) == replace(work, answers=opened.next_task(annotator).answers, revision=2)
    opened.send(annotator, work, answers=GOOD)
    with read_session(store.engine) as session:
        assert [one.answers["verdict"] for one in first_blind_labels(load_labels(session, opened.campaign))] == [
            "consistent"
        ]


def test_answers_about_sides_are_unswapped(store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=12)
    annotator = opened.annotator("ben")
    for _ in range(12):
        work = opened.next_task(annotator)
        side = "left" if work.left.startswith("Raft") else "right"
        opened.send(
            annotator,
            work,
            answers={"unfaithful": side, "error_type": "Other", "explanation": "It was left at the mill."},
        )
    with read_session(store.engine) as session:
        labels = first_blind_labels(load_labels(session, opened.campaign))
    assert {one.answers["unfaithful"] for one in labels} == {"right"}
    assert {one.answers["explanation"] for one in labels} == {"It was left at the mill."}


def test_repeated_labels_come_in_pairs(store: Store) -> None:
    opened = make_campaign(store, items=30, repeat_every=4)
    opened.label(opened.annotator("ben"), 34)
    with read_session(store.engine) as session:
        pairs = repeated_labels(load_labels(session, opened.campaign))
        assert len(first_blind_labels(load_labels(session, opened.campaign))) < 34
    assert pairs
    assert all(first.task == second.task for first, second in pairs)
