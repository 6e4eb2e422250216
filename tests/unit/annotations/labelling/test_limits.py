"""Limits of each person: who falls short is warned and paused, gets nothing more, and goes on when the manager says so."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import pytest
from sqlmodel import select

from annotations.campaigns.campaign import NewTask
from annotations.campaigns.task_texts import ShownTask
from annotations.exchange.campaign_import import import_campaign
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.limits import Signal
from annotations.labelling.queue import NoTask
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.records import RecordError, RightsError
from annotations.store.response_tables import Reservation
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, campaign_rows, make_campaign, save_items

WRONG = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}
ADA = Member("0", "ada", Role.MANAGER)


def with_gold(store: Store, items: int = 20, gold: int = 6, **rules: Any) -> CampaignFixture:
    opened = make_campaign(store, items=items, apart=0, **rules)
    known = [save_items(store, 100 + number)[0] for number in range(gold)]
    opened.add_tasks([NewTask(id, "gold", key={"verdict": "consistent"}) for id in known])
    return opened


def answer_until_paused(opened: CampaignFixture, annotator: AnnotatorActions, **sent: Any) -> int:
    """Answer what is handed out, looking ahead as the page does; how many answers were given before the pause."""
    for number in range(40):
        found = annotator.next(opened.campaign.id)
        if isinstance(found, NoTask):
            assert found.reason == "paused"
            return number
        annotator.ahead(found.reservation)
        receipt = opened.send(annotator, found, **sent)
        assert receipt.paused == isinstance(annotator.next(opened.campaign.id), NoTask)
    raise AssertionError("not paused by 40 answers")


def test_who_has_no_known_answer_right_is_paused_after_eight_items_at_most_and_places_are_free(store: Store) -> None:
    opened = with_gold(store, gold_every=10, least_gold=70)
    bad = opened.annotator("bad")
    assert answer_until_paused(opened, bad, answers=WRONG) <= 8
    found = bad.next(opened.campaign.id)
    assert found == NoTask("paused", Signal.GOLD)

    progress = ManagerActions(store, ADA).progress(opened.campaign.id)
    assert progress.in_progress == 0
    [person] = progress.people
    assert person.paused == "0 of 4 known answers right: at most 65%, at least 70% asked"
    assert opened.label(opened.annotator("good"), 20)


def test_a_pause_does_not_wait_for_what_another_tab_is_saving(store: Store) -> None:
    if store.engine.dialect.name == "sqlite":
        pytest.skip("SQLite has one writer: no tab saves beside another")
    opened = make_campaign(store, items=40, apart=0, least_seconds=5)
    quick = opened.annotator("quick")
    for _ in range(40):
        shown = quick.next(opened.campaign.id)
        assert isinstance(shown, ShownTask)
        ahead = quick.ahead(shown.reservation)
        assert isinstance(ahead, ShownTask)
        with ThreadPoolExecutor(1) as other, store.engine.connect() as connection:
            held = select(Reservation.id).where(Reservation.id == ahead.reservation).with_for_update()
            assert connection.execute(held).one()
            sending = other.submit(opened.send, quick, shown, active_ms=900)
            done, _ = wait([sending], timeout=10)
            connection.rollback()
        assert done
        if sending.result().paused:
            return
    raise AssertionError("not paused by 40 answers")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_early_gold_lies_at_other_places_for_each_person(store: Store, seed: int) -> None:
    opened = with_gold(store, least_gold=70, seed=seed)
    places = []
    for name in ("ben", "cem", "dia", "eva"):
        annotator = opened.annotator(name)
        had = ["Boat 10" in task.document and "Boat 10 " not in task.document for task in opened.label(annotator, 7)]
        places.append(tuple(had))
        assert sum(had) == 4
    assert len(set(places)) > 1


@pytest.mark.slow
def test_who_answers_right_goes_on(store: Store) -> None:
    opened = with_gold(store, least_gold=70, least_repeats=70, least_seconds=2, least_variety=50)
    annotator = opened.annotator("ben")
    for _ in range(20):
        opened.send(annotator, opened.next_task(annotator), active_ms=9000)
    assert annotator.progress(opened.campaign.id).warning == ""


@pytest.mark.slow
def test_without_limits_nobody_is_paused(store: Store) -> None:
    opened = with_gold(store, gold_every=2)
    annotator = opened.annotator("bad")
    for _ in range(12):
        assert not opened.send(annotator, opened.next_task(annotator), answers=WRONG).paused


def test_labels_that_come_too_fast_warn_and_then_pause(store: Store) -> None:
    opened = make_campaign(store, items=20, apart=0, least_seconds=2)
    annotator, warned = opened.annotator("hasty"), []
    while isinstance(found := annotator.next(opened.campaign.id), ShownTask):
        opened.send(annotator, found, active_ms=300)
        warned.append(annotator.progress(opened.campaign.id).warning)
    assert found == NoTask("paused", Signal.PACE)
    assert warned[:-1] == ["", "", "", Signal.PACE, Signal.PACE, Signal.PACE]


def test_repeats_that_are_answered_otherwise_pause(store: Store) -> None:
    opened = make_campaign(store, items=40, apart=0, repeat_every=2, least_repeats=70)
    annotator = opened.annotator("fickle")
    for number in range(40):
        found = annotator.next(opened.campaign.id)
        if isinstance(found, NoTask):
            break
        opened.send(annotator, found, answers=WRONG if number >= 10 else {"verdict": "consistent", "confidence": 4})
    assert found == NoTask("paused", Signal.REPEATS)


@pytest.mark.slow
def test_the_same_answer_to_everything_pauses_where_others_differ(store: Store) -> None:
    opened = make_campaign(store, items=60, apart=0, overlap=3, least_variety=50)
    careful, lazy = opened.annotator("careful"), opened.annotator("lazy")
    for number in range(40):
        answers = WRONG if number % 2 else {"verdict": "consistent", "confidence": 4}
        opened.send(careful, opened.next_task(careful), answers=answers)
    assert answer_until_paused(opened, lazy) == 16
    assert lazy.next(opened.campaign.id) == NoTask("paused", Signal.VARIETY)


def test_a_manager_lets_a_person_go_on_and_limits_count_from_there(store: Store) -> None:
    opened = with_gold(store, gold=12, gold_every=2, least_gold=70)
    bad = opened.annotator("bad")
    answer_until_paused(opened, bad, answers=WRONG)
    manager = ManagerActions(store, ADA)
    [state] = manager.states(opened.campaign.id).values()
    assert (state.person, state.paused, state.by) == ("bad", True, "the limits")
    manager.resume(opened.campaign.id, state.person_id)
    with pytest.raises(RecordError, match="is not paused"):
        manager.resume(opened.campaign.id, state.person_id)
    assert answer_until_paused(opened, bad, answers=WRONG) >= 4
    manager.resume(opened.campaign.id, state.person_id)
    manager.pause(opened.campaign.id, state.person_id, "Read the guidelines first.")
    assert bad.next(opened.campaign.id) == NoTask("paused")
    with pytest.raises(RightsError):
        ManagerActions(store, Member("1", "ben", Role.RESEARCHER))


def test_what_a_deactivated_person_had_open_is_free(store: Store) -> None:
    opened = make_campaign(store, items=1)
    gone, other = opened.person("gone"), opened.annotator("other")
    opened.next_task(opened.annotator_of(gone))
    assert opened.no_task_reason(other) == "reserved"
    ManagerActions(store, ADA).change_person(Member(gone.id, "gone", Role.ANNOTATOR, active=False), [])
    assert opened.next_task(other)


def test_pauses_are_exported_by_pseudonym_and_stay_in_an_imported_campaign(store: Store) -> None:
    opened = make_campaign(store, items=3)
    boss = opened.person("boss", Role.MANAGER)
    manager, ben = ManagerActions(store, boss), opened.person("ben")
    manager.pause(opened.campaign.id, ben.id, "Asked to.")
    rows = campaign_rows(store, opened.campaign.id)
    [row] = [row for row in rows if row["kind"] == "limit"]
    assert (row["act"], row["reason"], row["person"][:2], row["by"][:2]) == ("pause", "Asked to.", "p-", "p-")
    imported = import_campaign(store, [json.dumps(one) for one in rows], "Copy")
    assert [state.paused for state in manager.states(imported.id).values()] == [True]
