"""The queue: who gets which task, and when there is none."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event
from sqlmodel import col, select

from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent, add_version, create_campaign
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.score_views import count_views, save_view
from annotations.campaigns.task_texts import ShownTask
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.queue import NoTask, reserve_ahead, reserve_next
from annotations.management.candidates import ready_known_tasks
from annotations.people.people import Member, Role
from annotations.store.response_tables import Reservation
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items
from tests.unit.annotations.conftest import quick_on_postgres
from tests.unit.annotations.pair_samples import EDITED, record

LATER = datetime.now(UTC) + timedelta(hours=2)


def after_two_hours(opened: CampaignFixture, person: Member) -> Reservation | NoTask:
    with opened.store.writing() as session:
        return reserve_next(session, opened.campaign, person, LATER)


@quick_on_postgres
def test_everything_is_labelled_once_and_then_there_is_nothing(store: Store) -> None:
    opened = make_campaign(store, items=4)
    annotator = opened.annotator("ben")
    had = opened.label(annotator, 4)
    assert len({work.document for work in had}) == 4
    assert opened.no_task_reason(annotator) == "over"


def test_a_task_stays_reserved_until_it_is_answered(store: Store) -> None:
    opened = make_campaign(store)
    annotator = opened.annotator("ben")
    assert opened.next_task(annotator) == opened.next_task(annotator)


@quick_on_postgres
def test_the_task_after_the_current_one_is_reserved_with_it(store: Store) -> None:
    opened = make_campaign(store, items=3)
    annotator = opened.annotator("ben")
    current = opened.next_task(annotator)
    ahead = annotator.ahead(current.reservation)
    assert isinstance(ahead, ShownTask)
    assert (ahead.number, annotator.ahead(current.reservation)) == (current.number + 1, ahead)
    opened.send(annotator, current)
    assert opened.next_task(annotator) == ahead
    last = annotator.ahead(ahead.reservation)
    assert isinstance(last, ShownTask)
    assert annotator.ahead(last.reservation) == NoTask("over")


def test_after_training_and_qualification_nothing_is_known_before_the_answer(store: Store) -> None:
    opened = make_campaign(store, items=2)
    [item] = save_items(store, 9)
    opened.add_tasks([NewTask(item, part="training", key={"verdict": "consistent"})])
    annotator = opened.annotator("ben")
    current = opened.next_task(annotator)
    assert isinstance(annotator.ahead(current.reservation), NoTask)
    opened.send(annotator, current)
    assert opened.next_task(annotator).number == current.number + 1


def test_what_is_reserved_in_one_campaign_is_not_given_in_another(store: Store) -> None:
    first, second = make_campaign(store, items=0), make_campaign(store, items=0, called="Rafts")
    first.add_tasks([NewTask(id) for number in (10, 11) for id in save_items(store, number)])
    second.add_tasks([NewTask(id) for number in (50, 51) for id in save_items(store, number)])
    for one, other, own in ((first, second, "Boat 1"), (second, first, "Boat 5")):
        annotator = one.annotator(f"ben {own}")
        other.next_task(annotator)
        here = one.next_task(annotator)
        assert own in here.document
        assert here.number == 1


def test_what_was_reserved_ahead_and_expired_is_given_only_where_it_has_a_place(store: Store) -> None:
    opened = make_campaign(store, items=2, expires_minutes=60)
    ben, cem = opened.person("ben"), opened.person("cem")
    current = opened.next_task(opened.annotator_of(ben))
    assert isinstance(opened.annotator_of(ben).ahead(current.reservation), ShownTask)
    after_two_hours(opened, cem)
    with store.writing() as session:
        held = session.get_one(Reservation, current.reservation)
        taken = session.exec(select(Reservation).where(Reservation.person_id == cem.id)).one()
        assert isinstance(reserve_ahead(session, opened.campaign, cem, taken, LATER), Reservation)
        assert isinstance(reserve_ahead(session, opened.campaign, ben, held, LATER), NoTask)


def test_two_people_never_hold_the_same_task_beyond_the_overlap(store: Store) -> None:
    opened = make_campaign(store, items=1)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    opened.next_task(ben)
    assert opened.no_task_reason(cem) == "reserved"


@quick_on_postgres
def test_what_was_labelled_least_comes_first(store: Store) -> None:
    opened = make_campaign(store, items=6, overlap=2)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    first = {work.document for work in opened.label(ben, 3)}
    assert not first & {work.document for work in opened.label(cem, 3)}


def test_an_expired_place_goes_to_somebody_else(store: Store) -> None:
    opened = make_campaign(store, items=1, expires_minutes=60)
    opened.next_task(opened.annotator("ben"))
    assert isinstance(after_two_hours(opened, opened.person("cem")), Reservation)


def test_a_label_that_comes_after_its_place_was_taken_is_kept_and_does_not_count(store: Store) -> None:
    opened = make_campaign(store, items=1, expires_minutes=60)
    ben = opened.annotator("ben")
    late = opened.next_task(ben)
    assert isinstance(after_two_hours(opened, opened.person("cem")), Reservation)
    assert opened.send(ben, late).is_new
    with store.writing() as session:
        states = session.exec(select(Reservation.state).order_by(col(Reservation.id))).all()
    assert list(states) == ["late", "open"]


def test_tasks_are_not_given_to_those_who_made_them(store: Store) -> None:
    opened = make_campaign(store, items=0)
    opened.add_tasks([NewTask(save_items(store, 1, by="ben")[0]), NewTask(save_items(store, 2)[0])])
    ben = opened.annotator("ben")
    [work] = opened.label(ben, 1)
    assert "Boat 2" in work.document
    assert opened.no_task_reason(ben) == "over"


def test_a_pair_is_not_given_to_those_who_labelled_it_on_probe_in_sight_of_its_scores(store: Store) -> None:
    ids = [store.save_label(record("seen", annotator="ben", blind=False, answers=None)).id]
    other = record("blind", annotator="ben", blind=True, answers=None, edited=EDITED + " Today.", edits=())
    ids.append(store.save_label(other).id)
    opened = make_campaign(store, items=0, overlap=2, apart=0)
    opened.add_tasks([NewTask(id) for id in ids])
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    [work] = opened.label(ben, 1)
    assert work.left.endswith(" Today.")
    assert opened.no_task_reason(ben) == "over"
    assert len(opened.label(cem, 2)) == 2


@pytest.mark.parametrize(("mode", "handed_out"), [("unaided", 1), ("assisted", 2)])
@quick_on_postgres
def test_a_pair_that_somebody_opened_on_probe_is_not_given_to_them_for_an_unaided_label(
    store: Store, mode: str, handed_out: int
) -> None:
    opened = make_campaign(store, items=0, overlap=2, apart=0, mode=mode)
    seen, other = save_items(store, 1), save_items(store, 2)
    opened.add_tasks([NewTask(id) for id in (*seen, *other)])
    ben, cem = opened.person("ben"), opened.person("cem")
    with store.writing() as session:
        for _ in range(2):
            save_view(session, seen[0], ben.id)
        assert count_views(session, opened.campaign) == (1, 1)
    assert len(opened.label(opened.annotator_of(ben), handed_out)) == handed_out
    statement = ExportActions(store, opened.person("ada", Role.MANAGER)).file(
        opened.campaign.id, "data-statement", ExportTerms()
    )
    assert b"counted for each person: 1; people: 1." in statement
    assert (b"was not given it afterwards" in statement) == (mode == "unaided")
    assert opened.no_task_reason(opened.annotator_of(ben)) == "over"
    assert len(opened.label(opened.annotator_of(cem), 2)) == 2


def test_an_item_kept_by_several_people_is_shown_to_none_of_them(store: Store) -> None:
    opened = make_campaign(store, items=0)
    [id] = save_items(store, 1, by="cem")
    assert save_items(store, 1, by="ben") == [id]
    opened.add_tasks([NewTask(id)])
    assert [opened.no_task_reason(opened.annotator(name)) for name in ("ben", "cem")] == ["over", "over"]


def test_two_versions_of_a_text_are_five_items_apart(store: Store) -> None:
    opened = make_campaign(store, items=0)
    opened.add_tasks([NewTask(id) for number in range(8) for id in save_items(store, number, versions=2)])
    annotator = opened.annotator("ben")
    seen = [work.document for work in opened.label(annotator, 11)]
    for place, document in enumerate(seen):
        assert document not in seen[max(0, place - 5) : place]


def test_where_only_versions_of_the_last_texts_are_left_there_is_a_break(store: Store) -> None:
    opened = make_campaign(store, items=0, apart_minutes=60)
    opened.add_tasks([NewTask(id) for id in save_items(store, 1, versions=2)])
    ben = opened.person("ben")
    opened.label(opened.annotator_of(ben), 1)
    assert opened.no_task_reason(opened.annotator_of(ben)) == "apart"
    assert isinstance(after_two_hours(opened, ben), Reservation)


def test_the_orders_of_two_people_are_more_than_two_beginnings_of_one_round(store: Store) -> None:
    opened = make_campaign(store, items=12, overlap=2)
    ben, cem = ([work.document for work in opened.label(opened.annotator(name), 12)] for name in ("ben", "cem"))
    start = cem.index(ben[0])
    assert cem[start:] + cem[:start] != ben


@quick_on_postgres
def test_the_order_is_another_for_each_person_and_the_same_for_the_same(store: Store) -> None:
    opened = make_campaign(store, items=12, overlap=3)
    orders = [
        tuple(work.document for work in opened.label(opened.annotator(name), 12)) for name in ("ben", "cem", "dia")
    ]
    assert len(set(orders)) == 3
    assert {frozenset(order) for order in orders} == {frozenset(orders[0])}


def test_sides_are_shuffled_and_stay_on_reload(store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=24)
    annotator = opened.annotator("ben")
    first = opened.next_task(annotator)
    assert opened.next_task(annotator) == first
    sides = Counter("Raft" in work.left for work in opened.label(annotator, 24))
    assert set(sides) == {True, False}


def test_a_summary_has_no_sides_to_shuffle(store: Store) -> None:
    opened = make_campaign(store, "label-summaries", items=12)
    opened.label(opened.annotator("ben"), 12)
    with store.writing() as session:
        assert set(session.exec(select(Reservation.swapped))) == {False}


def test_the_sides_of_an_explained_edit_are_not_shuffled(store: Store) -> None:
    opened = make_campaign(store, "edit-quality", items=8)
    had = opened.label(opened.annotator("ben"), 8)
    assert all("Raft" in (work.right or "") for work in had)
    assert {work.explanation for work in had} == {"It was a boat."}


def test_a_closed_campaign_hands_out_nothing(store: Store) -> None:
    opened = make_campaign(store)
    with store.writing() as session:
        closed = VersionContent(bundled_question_sets()["label-summaries"], "", opened.campaign.rules, is_open=False)
        add_version(session, opened.campaign.id, "ada", closed)
    assert opened.no_task_reason(opened.annotator("ben")) == "closed"


@pytest.mark.parametrize("every", [3, 5])
def test_known_answers_are_mixed_in_unseen(store: Store, every: int) -> None:
    opened = make_campaign(store, items=12, gold_every=every)
    opened.add_tasks([NewTask(save_items(store, 90 + n)[0], "gold", key={"verdict": "inconsistent"}) for n in range(2)])
    had = opened.label(opened.annotator("ben"), 2 * every)
    assert sum("Boat 9" in work.document for work in had if work.document[5:7] in {"90", "91"}) == 2
    assert {work.stage.value for work in had} == {"work"}


def test_known_answers_and_repeats_are_found_in_the_order_of_an_index(store: Store) -> None:
    if store.engine.name != "sqlite":
        pytest.skip("PostgreSQL chooses its plans by statistics")
    opened = make_campaign(store, items=4, gold_every=2, repeat_every=2)
    sent = list[tuple[str, object]]()
    event.listen(store.engine, "before_cursor_execute", lambda _c, _u, text, params, *_: sent.append((text, params)))
    opened.label(opened.annotator("ben"), 2)
    searches = [next(one for one in sent if one[0].startswith(start)) for start in _SEARCHES]
    with store.engine.connect() as connection:
        plans = [
            " ".join(str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", params))
            for text, params in searches
        ]
    assert "task USING INDEX ix_task_in_order (campaign_id=? AND part=?)" in plans[0]
    assert "(person_id=? AND campaign_id=? AND number<?)" in plans[1]
    assert "TEMP B-TREE" not in "".join(plans)


_SEARCHES = (
    "SELECT task.id \nFROM task \nWHERE task.campaign_id",
    "SELECT reservation.task_id \nFROM reservation JOIN task",
)


@quick_on_postgres
def test_known_answers_come_at_another_place_for_each_person(store: Store) -> None:
    opened = make_campaign(store, items=10, gold_every=5, overlap=9)
    opened.add_tasks([NewTask(save_items(store, 90)[0], "gold", key={"verdict": "inconsistent"})])
    places = []
    for number in range(9):  # ids of people are random: of so few as four, all have the same place once in 125 times
        had = [work.document for work in opened.label(opened.annotator(f"person-{number}"), 5)]
        places += [place for place, document in enumerate(had) if "Boat 90" in document]
    assert len(places) == 9
    assert len(set(places)) > 1


def test_repeated_tasks_take_no_place(store: Store) -> None:
    opened = make_campaign(store, items=30, repeat_every=4)
    had = [work.document for work in opened.label(opened.annotator("ben"), 34)]
    again = [document for document, times in Counter(had).items() if times == 2]
    assert again
    for document in again:
        first, second = [place for place, other in enumerate(had) if other == document]
        assert second - first >= 10


def test_training_is_not_repeated(store: Store) -> None:
    opened = make_campaign(store, items=30, repeat_every=4)
    opened.add_tasks([NewTask(save_items(store, 90)[0], "training", key={"verdict": "consistent"})])
    had = [work.document for work in opened.label(opened.annotator("ben"), 30)]
    assert "Boat 90" in had[0]
    assert had.count(had[0]) == 1
    assert max(Counter(had).values()) == 2


def test_the_work_begins_after_a_passed_qualification(store: Store) -> None:
    opened = make_campaign(store, items=1, pass_right=1)
    opened.add_tasks(
        [NewTask(save_items(store, 50 + n)[0], "qualification", key={"verdict": "consistent"}) for n in range(2)]
    )
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    assert [work.stage.value for work in opened.label(ben, 3)] == ["qualification", "qualification", "work"]
    wrong = {"verdict": "inconsistent", "confidence": 1, "reason": "It was a raft."}
    for _ in range(2):
        opened.send(cem, opened.next_task(cem), answers=wrong)
    assert opened.no_task_reason(cem) == "unqualified"


def test_who_sat_one_qualification_gets_nothing_of_a_campaign_that_is_closed_to_it(store: Store) -> None:
    """BUMP kept the annotators of its two tasks apart."""
    first = make_campaign(store, items=1, pass_right=1)
    first.add_tasks([NewTask(save_items(store, 50)[0], "qualification", key={"verdict": "consistent"})])
    ben, cem = first.annotator("ben"), first.annotator("cem")
    first.send(ben, first.next_task(ben))
    rules = CampaignRules(overlap=2, closed_to=("Boats",))
    with store.writing() as session:
        wording = VersionContent(bundled_question_sets()["label-summaries"], "", rules)
        second = CampaignFixture(store, create_campaign(session, "Task two", "ada", wording))
    second.add_tasks([NewTask(save_items(store, 60)[0])])
    assert second.no_task_reason(ben) == "excluded"
    assert second.next_task(cem).stage.value == "work"
    assert first.next_task(ben).stage.value == "work"


@pytest.mark.parametrize(("questions", "number"), [("label-pairs", 7), ("label-summaries", 4)])
def test_a_ready_qualification_is_passed_by_its_known_answers_and_has_every_error_type(
    store: Store, questions: str, number: int
) -> None:
    opened = make_campaign(store, questions, items=1, pass_right=number)
    ready = ready_known_tasks(opened.campaign.questions, "ada")
    opened.add_tasks(ready)
    assert ([task.part for task in ready], len(ready)) == (["qualification"] * number, number)
    assert len({task.key.get("error_type") for task in ready}) == (7 if questions == "label-pairs" else 1)
    assert all(task.pair and task.feedback for task in ready)
    ben = opened.annotator("ben")
    assert [work.stage.value for work in opened.label(ben, number)] == ["qualification"] * number


def test_training_gives_feedback_and_nothing_else_does(store: Store) -> None:
    opened = make_campaign(store, items=1)
    opened.add_tasks(
        [NewTask(save_items(store, 50)[0], "training", key={"verdict": "inconsistent"}, feedback="It was a boat.")]
    )
    annotator = opened.annotator("ben")
    training, work = opened.label(annotator, 2)
    marked = annotator.feedback(training.reservation)
    assert marked is not None
    assert (marked.is_correct, marked.feedback) == (False, "It was a boat.")
    assert annotator.feedback(work.reservation) is None


def work_through(opened: CampaignFixture, annotator: AnnotatorActions) -> int:
    done = 0
    while isinstance(found := annotator.next(opened.campaign.id), ShownTask):
        opened.send(annotator, found)
        done += 1
    return done


def test_many_people_at_once_share_the_work_and_nothing_is_had_twice(store: Store) -> None:
    opened = make_campaign(store, items=20, overlap=2)
    annotators = [opened.annotator(name) for name in ("ben", "cem", "dia", "eva")]
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda annotator: work_through(opened, annotator), annotators))
    assert sum(done) == 40
    with store.writing() as session:
        rows = session.exec(select(Reservation.task_id, Reservation.person_id)).all()
    assert len(rows) == len(set(rows))
    assert set(Counter(task for task, _ in rows).values()) == {2}


def test_the_calibration_round_comes_first_and_goes_to_everybody(store: Store) -> None:
    opened = make_campaign(store, items=5, calibration=2, calibration_pause=True)
    everybody = [opened.annotator(name) for name in ("ben", "cem", "dia")]
    had = [{work.document for work in opened.label(annotator, 2)} for annotator in everybody]
    assert had[0] == had[1] == had[2] == {f"Boat {number} took {number} crates to the mill." for number in range(2)}
    assert {opened.no_task_reason(annotator) for annotator in everybody} == {"calibrated"}
    with store.writing() as session:
        wording = VersionContent(
            bundled_question_sets()["label-summaries"], "Clearer.", CampaignRules(overlap=1, calibration=2)
        )
        opened.campaign = add_version(session, opened.campaign.id, "ada", wording)
    rest = [work.document for annotator in everybody for work in opened.label(annotator, 1)]
    assert len({*rest} - had[0]) == 3
    with store.writing() as session:
        assert set(session.exec(select(Reservation.state))) == {"answered"}


def test_early_overlap_completes_an_item_before_the_next_is_begun(store: Store) -> None:
    opened = make_campaign(store, items=6, overlap=2, early_overlap=True)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    first = {work.document for work in opened.label(ben, 3)}
    assert first == {work.document for work in opened.label(cem, 3)}


def test_nobody_gets_more_than_the_limit_nor_anything_after_the_last_day(store: Store) -> None:
    opened = make_campaign(store, items=6, most_per_person=2, deadline=datetime.now(UTC).date())
    ben = opened.annotator("ben")
    opened.label(ben, 2)
    assert opened.no_task_reason(ben) == "limit"
    assert opened.next_task(opened.annotator("cem")).number == 1
    dia, tomorrow = opened.person("dia"), datetime.now(UTC) + timedelta(days=1)
    with store.writing() as session:
        assert reserve_next(session, opened.campaign, dia, tomorrow) == NoTask("deadline")


def test_repeats_do_not_count_to_the_limit(store: Store) -> None:
    opened = make_campaign(store, items=30, most_per_person=14, repeat_every=4, gold_every=0)
    ben, had = opened.annotator("ben"), Counter[str]()
    while isinstance(ben.next(opened.campaign.id), ShownTask):
        had.update(work.document for work in opened.label(ben, 1))
    assert opened.no_task_reason(ben) == "limit"
    assert (len(had), max(had.values())) == (14, 2)


def test_a_label_and_the_next_task_take_few_statements(store: Store) -> None:
    """Twenty people at once wait for one another's statements: a new one costs all of them."""
    opened = make_campaign(store, items=4, overlap=2, order="disagreement")
    annotator = opened.annotator("ben")
    opened.label(annotator, 1)
    work, sent = opened.next_task(annotator), list[str]()
    event.listen(store.engine, "before_cursor_execute", lambda _c, _cursor, statement, *_: sent.append(statement))
    opened.send(annotator, work)
    opened.next_task(annotator)
    statements = [one for one in sent if not one.startswith(("BEGIN", "PRAGMA"))]
    # lock, known responses, response, draft, state, pause | lock, pause, own reservations, stage, levels, candidates, lock, reservation, texts, answers
    assert len(statements) == 6 + 10, "\n".join(statements)
