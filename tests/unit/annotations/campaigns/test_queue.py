"""The queue: who gets which task, and when there is none."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import col, select

from annotations.campaigns.campaign import NewTask, VersionContent, add_version
from annotations.campaigns.labelling import AnnotatorActions
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.queue import NoTask, ShownTask, reserve_next
from annotations.campaigns.tables import Reservation
from annotations.store import Store
from tests.unit.annotations.campaigns.desks import Hall, hall, keep

LATER = datetime.now(UTC) + timedelta(hours=2)


def after_two_hours(opened: Hall, name: str) -> Reservation | NoTask:
    person = opened.person(name)
    with opened.store.writing() as session:
        return reserve_next(session, opened.campaign, person, LATER)


def test_everything_is_labelled_once_and_then_there_is_nothing(store: Store) -> None:
    opened = hall(store, items=4)
    desk = opened.desk("ben")
    had = opened.label(desk, 4)
    assert len({work.document for work in had}) == 4
    assert opened.nothing(desk) == "over"


def test_a_task_stays_in_hand_until_it_is_answered(store: Store) -> None:
    opened = hall(store)
    desk = opened.desk("ben")
    assert opened.work(desk) == opened.work(desk)


def test_two_people_never_hold_the_same_task_beyond_the_overlap(store: Store) -> None:
    opened = hall(store, items=1)
    ben, cem = opened.desk("ben"), opened.desk("cem")
    opened.work(ben)
    assert opened.nothing(cem) == "held"


def test_what_was_labelled_least_comes_first(store: Store) -> None:
    opened = hall(store, items=6, overlap=2)
    ben, cem = opened.desk("ben"), opened.desk("cem")
    first = {work.document for work in opened.label(ben, 3)}
    assert not first & {work.document for work in opened.label(cem, 3)}


def test_an_expired_place_goes_to_somebody_else(store: Store) -> None:
    opened = hall(store, items=1, expires_minutes=60)
    opened.work(opened.desk("ben"))
    assert isinstance(after_two_hours(opened, "cem"), Reservation)


def test_a_label_that_comes_after_its_place_was_taken_is_kept_and_does_not_count(store: Store) -> None:
    opened = hall(store, items=1, expires_minutes=60)
    ben = opened.desk("ben")
    late = opened.work(ben)
    assert isinstance(after_two_hours(opened, "cem"), Reservation)
    assert opened.send(ben, late).fresh
    with store.writing() as session:
        states = session.exec(select(Reservation.state).order_by(col(Reservation.id))).all()
    assert list(states) == ["late", "open"]


def test_nobody_labels_what_they_made(store: Store) -> None:
    opened = hall(store, items=0)
    opened.add([NewTask(keep(store, 1, by="ben")[0]), NewTask(keep(store, 2)[0])])
    ben = opened.desk("ben")
    [work] = opened.label(ben, 1)
    assert "Boat 2" in work.document
    assert opened.nothing(ben) == "over"


def test_an_item_kept_by_several_people_is_shown_to_none_of_them(store: Store) -> None:
    opened = hall(store, items=0)
    [id] = keep(store, 1, by="cem")
    assert keep(store, 1, by="ben") == [id]
    opened.add([NewTask(id)])
    assert [opened.nothing(opened.desk(name)) for name in ("ben", "cem")] == ["over", "over"]


def test_two_versions_of_a_text_are_five_items_apart(store: Store) -> None:
    opened = hall(store, items=0)
    opened.add([NewTask(id) for number in range(8) for id in keep(store, number, versions=2)])
    desk = opened.desk("ben")
    seen = [work.document for work in opened.label(desk, 11)]
    for place, document in enumerate(seen):
        assert document not in seen[max(0, place - 5) : place]


def test_where_only_versions_of_the_last_texts_are_left_there_is_a_break(store: Store) -> None:
    opened = hall(store, items=0, apart_minutes=60)
    opened.add([NewTask(id) for id in keep(store, 1, versions=2)])
    desk = opened.desk("ben")
    opened.label(desk, 1)
    assert opened.nothing(desk) == "apart"
    assert isinstance(after_two_hours(opened, "cem"), Reservation)


def test_the_order_is_another_for_each_person_and_the_same_for_the_same(store: Store) -> None:
    opened = hall(store, items=12, overlap=3)
    orders = [tuple(work.document for work in opened.label(opened.desk(name), 12)) for name in ("ben", "cem", "dia")]
    assert len(set(orders)) == 3
    assert {frozenset(order) for order in orders} == {frozenset(orders[0])}


def test_sides_are_shuffled_and_stay_on_reload(store: Store) -> None:
    opened = hall(store, "label-pairs", items=24)
    desk = opened.desk("ben")
    first = opened.work(desk)
    assert opened.work(desk) == first
    sides = Counter("Raft" in work.left for work in opened.label(desk, 24))
    assert set(sides) == {True, False}


def test_the_sides_of_an_explained_edit_are_not_shuffled(store: Store) -> None:
    opened = hall(store, "edit-quality", items=8)
    had = opened.label(opened.desk("ben"), 8)
    assert all("Raft" in (work.right or "") for work in had)
    assert {work.explanation for work in had} == {"It was a boat."}


def test_a_closed_campaign_hands_out_nothing(store: Store) -> None:
    opened = hall(store)
    with store.writing() as session:
        closed = VersionContent(bundled_question_sets()["label-summaries"], "", opened.campaign.rules, is_open=False)
        add_version(session, opened.campaign.id, "ada", closed)
    assert opened.nothing(opened.desk("ben")) == "closed"


@pytest.mark.parametrize("every", [3, 5])
def test_known_answers_are_mixed_in_unseen(store: Store, every: int) -> None:
    opened = hall(store, items=12, gold_every=every)
    opened.add([NewTask(keep(store, 90 + n)[0], "gold", key={"verdict": "inconsistent"}) for n in range(2)])
    had = opened.label(opened.desk("ben"), 2 * every)
    assert sum("Boat 9" in work.document for work in had if work.document[5:7] in {"90", "91"}) == 2
    assert {work.stage.value for work in had} == {"work"}


def test_known_answers_come_at_another_place_for_each_person(store: Store) -> None:
    opened = hall(store, items=10, gold_every=5, overlap=5)
    opened.add([NewTask(keep(store, 90)[0], "gold", key={"verdict": "inconsistent"})])
    places = []
    for name in ("ben", "cem", "dia", "eva"):
        had = [work.document for work in opened.label(opened.desk(name), 5)]
        places += [place for place, document in enumerate(had) if "Boat 90" in document]
    assert len(places) == 4
    assert len(set(places)) > 1


def test_a_part_comes_a_second_time_and_takes_no_place(store: Store) -> None:
    opened = hall(store, items=30, repeat_every=4)
    had = [work.document for work in opened.label(opened.desk("ben"), 34)]
    again = [document for document, times in Counter(had).items() if times == 2]
    assert again
    for document in again:
        first, second = [place for place, other in enumerate(had) if other == document]
        assert second - first >= 10


def test_the_work_begins_after_a_passed_qualification(store: Store) -> None:
    opened = hall(store, items=1, pass_right=1)
    opened.add([NewTask(keep(store, 50 + n)[0], "qualification", key={"verdict": "consistent"}) for n in range(2)])
    ben, cem = opened.desk("ben"), opened.desk("cem")
    assert [work.stage.value for work in opened.label(ben, 3)] == ["qualification", "qualification", "work"]
    wrong = {"verdict": "inconsistent", "confidence": 1, "reason": "It was a raft."}
    for _ in range(2):
        opened.send(cem, opened.work(cem), answers=wrong)
    assert opened.nothing(cem) == "unqualified"


def test_training_gives_feedback_and_nothing_else_does(store: Store) -> None:
    opened = hall(store, items=1)
    opened.add([NewTask(keep(store, 50)[0], "training", key={"verdict": "inconsistent"}, feedback="It was a boat.")])
    desk = opened.desk("ben")
    training, work = opened.label(desk, 2)
    marked = desk.feedback(training.reservation)
    assert marked is not None
    assert (marked.right, marked.feedback) == (False, "It was a boat.")
    assert desk.feedback(work.reservation) is None


def work_through(opened: Hall, desk: AnnotatorActions) -> int:
    done = 0
    while isinstance(found := desk.next(opened.campaign.id), ShownTask):
        opened.send(desk, found)
        done += 1
    return done


def test_many_people_at_once_share_the_work_and_nothing_is_had_twice(store: Store) -> None:
    opened = hall(store, items=20, overlap=2)
    desks = [opened.desk(name) for name in ("ben", "cem", "dia", "eva")]
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda desk: work_through(opened, desk), desks))
    assert sum(done) == 40
    with store.writing() as session:
        rows = session.exec(select(Reservation.task_id, Reservation.person_id)).all()
    assert len(rows) == len(set(rows))
    assert set(Counter(task for task, _ in rows).values()) == {2}
