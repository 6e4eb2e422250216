"""Counts that limits and pages look at are those of all labels, whatever happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign
from annotations.campaigns.qualification import is_correct
from annotations.campaigns.questions import unswap_answers
from annotations.campaigns.work_plan import load_person_tasks
from annotations.labelling import queue
from annotations.labelling.limit_counts import SignalCounts, load_signal_counts
from annotations.store.campaign_tables import AnswerKey, Task
from annotations.store.database import read_session
from annotations.store.response_tables import LimitCounts, LimitEvent, PersonTasks, Reservation, Response
from annotations.store.store import Store
from annotations.store.trigger_counts import recount_people
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.annotations.campaigns.random_campaign import ANSWERS, RandomCampaign

LIMITS: Mapping[str, Any] = {
    "repeat_every": 2,
    "least_gold": 2,
    "least_repeats": 2,
    "least_seconds": 5,
    "least_variety": 2,
}


def counts_by_definition(session: Session, campaign: CampaignSettings, person: str) -> SignalCounts:
    """Counts of a person by every response of theirs, read again."""
    events = session.exec(select(LimitEvent).where(LimitEvent.person_id == person).order_by(col(LimitEvent.id))).all()
    newest = next((one for one in reversed(events) if one.act != "warn"), None)
    rows = session.exec(
        select(Response, Reservation, Task, AnswerKey)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(AnswerKey, col(AnswerKey.task_id) == Task.id, isouter=True)
        .where(Reservation.person_id == person, Response.act == "answer")
        .order_by(col(Response.id).desc())
    )
    first = {reservation.id: (response, reservation, task, key) for response, reservation, task, key in rows}
    counts, before, answers = SignalCounts(), dict[str, Any](), Counter[Any]()
    for response, reservation, task, key in sorted(first.values(), key=lambda row: (row[1].turn, row[0].id)):
        if task.part == "gold" and reservation.excluded:
            continue
        given = unswap_answers(campaign.questions, response.answers, response.swapped)
        measured = given.get(campaign.questions.measure)
        if reservation.turn == 1:
            before[task.id] = measured
        if newest and newest.act == "resume" and response.created_at <= newest.created_at:
            continue
        if key and key.answers:
            counts.gold, counts.right = counts.gold + 1, counts.right + is_correct(key.answers, given)
        if reservation.turn == 2:
            counts.repeated, counts.same = counts.repeated + 1, counts.same + (before[task.id] == measured)
        else:
            counts.first, counts.read = counts.first + 1, counts.read + (response.active_ms >= 5000)
            answers.update([measured] if task.part == "work" else [])
    counts.answers = answers
    return counts


@pytest.mark.parametrize(
    ("questions", "seed"),
    [
        ("label-summaries", 1),
        *[pytest.param(name, seed, marks=pytest.mark.slow) for name in ANSWERS for seed in (2, 3, 4, 5)],
    ],
)
def test_kept_counts_equal_those_of_all_labels(
    store: Store, questions: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "_MIN_REPEAT_DISTANCE", 2)
    campaign = RandomCampaign(store, questions, seed, items=16, limits=LIMITS)
    id, read = campaign.opened.campaign.id, 0
    for _ in range(15):
        for _ in range(6):
            campaign.step()
        with read_session(store.engine) as session:
            settings = load_campaign(session, id)
            for person in campaign.people:
                kept = load_signal_counts(session, settings, person.id)
                expected = counts_by_definition(session, settings, person.id)
                assert kept == expected
                assert kept.answers.most_common() == expected.answers.most_common()
                read = max(read, kept.read)
            kept_rows = session.exec(select(LimitCounts)).all()
        with store.writing() as session:
            counted = session.exec(select(PersonTasks).order_by(col(PersonTasks.person_id))).all()
            before = [one.model_dump() for one in counted]
            recount_people(session.connection())
            session.expire_all()
            again = session.exec(select(PersonTasks).order_by(col(PersonTasks.person_id))).all()
            assert [one.model_dump() for one in again] == before
            session.add_all(LimitCounts(**one.model_dump()) for one in kept_rows)
    assert read > 1  # known answers and repeats come to most of these campaigns, but not to each


def test_numbers_of_a_persons_tasks_follow_what_they_do(store: Store) -> None:
    opened = make_campaign(store, items=5)
    ben = opened.person("ben")
    annotator = opened.annotator_of(ben)
    [first, _] = opened.label(annotator, 2)
    opened.send(annotator, opened.next_task(annotator), "skip")
    opened.next_task(annotator)
    opened.send(annotator, first, "undo")
    with read_session(store.engine) as session:
        tasks = load_person_tasks(session, opened.campaign.id, ben.id)
    assert (tasks.answered, tasks.finished, tasks.had, tasks.version) == (1, 2, 3, 1)


def test_an_answer_reads_no_other_label_of_the_person(store: Store) -> None:
    if store.engine.name != "sqlite":
        pytest.skip("PostgreSQL chooses its plans by statistics")
    opened = make_campaign(store, items=12, apart=0, least_gold=50, least_seconds=1)
    annotator = opened.annotator("ben")
    opened.label(annotator, 2)
    sent = list[tuple[str, object]]()
    listen = (store.engine, "before_cursor_execute", lambda _c, _u, text, params, *_: sent.append((text, params)))
    event.listen(*listen)
    opened.send(annotator, opened.next_task(annotator), active_ms=9000)
    event.remove(*listen)
    [(statement, params)] = [one for one in sent if "LEFT OUTER JOIN taskkey" in one[0]]
    with store.engine.connect() as connection:
        plan = " ".join(str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", params))
    assert "(task_id=? AND person_id=?)" in plan
