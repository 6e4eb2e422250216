"""The work of a person: hours, periods, what was decided, gold."""

from __future__ import annotations

from dataclasses import replace

from annotations.campaigns.campaign import NewTask
from annotations.campaigns.questions import unswap_answers
from annotations.management.adjudication import AdjudicatorActions, DisagreementCause, SentDecision
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.results.person_work import as_decided, work_by_day, work_by_items
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign, save_items

BAD = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat."}


def test_hours_and_agreement_are_those_of_the_newest_answers(store: Store) -> None:
    opened = make_campaign(store, items=25, overlap=3, gold_every=5)
    gold = save_items(store, 99)[0]
    opened.add_tasks([NewTask(gold, "gold", key={"verdict": "inconsistent"})])
    manager = ManagerActions(store, opened.person("ada", Role.MANAGER))
    ben, cem, dot = (opened.annotator(name) for name in ("ben", "cem", "dot"))
    for person in (ben, cem):
        for _ in range(26):
            opened.send(person, opened.next_task(person), active_ms=3_000)
    task = opened.next_task(dot)
    opened.send(dot, task, active_ms=9_000)
    opened.send(dot, task, answers=BAD, active_ms=4_000)
    work = manager.people_work(opened.campaign.id)

    assert {name: (len(person.labels), person.active_ms) for name, person in work.items()} == {
        "ben": (26, 78_000),
        "cem": (26, 78_000),
        "dot": (1, 4_000),
    }
    assert list(work["ben"].gold.values()) == [False]
    matches = as_decided(work["dot"], opened.campaign, work["dot"].labels)
    assert matches in ([False], [])
    assert as_decided(work["ben"], opened.campaign, work["ben"].labels) == [True] * 25
    [day] = work_by_day(work["ben"], opened.campaign)
    assert (day["labels"], day["median s"], day["as decided"], day["gold right"]) == (26, 3.0, "25 of 25", "0 of 1")
    periods = work_by_items(work["ben"], opened.campaign)
    assert [(period["period"], period["labels"]) for period in periods] == [("1 to 20", 20), ("21 to 40", 6)]


def test_time_before_and_after_the_scores_is_paid_as_the_table_of_labels_has_it(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=1, reveal=True)
    manager = ManagerActions(store, opened.person("ada", Role.MANAGER))
    ben = opened.annotator("ben")
    task = opened.next_task(ben)
    opened.send(ben, task, active_ms=30_000)
    opened.send(ben, task, answers=BAD, active_ms=5_000)
    work = manager.people_work(opened.campaign.id)["ben"]
    assert work.active_ms == 35_000
    assert as_decided(work, opened.campaign, work.labels) == [True]


def test_an_annotator_sees_decisions_once_the_campaign_is_closed_and_no_gold(store: Store) -> None:
    opened = make_campaign(store, items=3, overlap=2)
    gold = save_items(store, 99)[0]
    opened.add_tasks([NewTask(gold, "gold", key={"verdict": "consistent"})])
    manager = ManagerActions(store, opened.person("ada", Role.MANAGER))
    id, ben, cem = opened.campaign.id, opened.annotator("ben"), opened.annotator("cem")
    opened.label(ben, 3)
    assert len(ben.own_work(id)[0].labels) == 3
    for place in range(3):
        opened.send(cem, opened.next_task(cem), **({"answers": BAD} if place == 0 else {}))
    work, seen = ben.own_work(id)
    assert not work.decided
    assert not work.gold
    assert {label.person for label in work.labels} == {"ben"}
    assert set(seen) == {label.response for label in work.labels}

    disputed = next(task for task in manager.resolved_tasks(id) if not task.answers)
    eva = AdjudicatorActions(store, opened.person("eva", Role.ADJUDICATOR))
    responses = [label.response for label in disputed.labels]
    eva.save_decision(id, SentDecision(disputed.task, BAD, DisagreementCause.SLIP, responses, "settled-1"))
    assert not ben.own_work(id)[0].decided  # an answer may still be changed
    manager.revise(id, replace(manager.versions(id)[0].content, is_open=False))
    work, _ = ben.own_work(id)
    assert work.decided[disputed.task] == "inconsistent"
    assert len(work.decided) == 3
    assert [label.task in work.decided for label in work.labels if label.part == "gold"] == []


def test_the_sides_of_a_pair_stand_in_their_own_work_as_the_person_saw_them(store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=30)
    ben = opened.annotator("ben")
    shown = opened.label(ben, 30)
    work, seen = ben.own_work(opened.campaign.id)
    assert [seen[label.response].text for label in work.labels] == [task.left for task in shown]
    assert [
        unswap_answers(opened.campaign.questions, label.answers, seen[label.response].is_swapped)["unfaithful"]
        for label in work.labels
    ] == ["right"] * 30
    assert len({row.is_swapped for row in seen.values()}) == 2
