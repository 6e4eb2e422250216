"""Models of annotators on the labels of a campaign: who is competent, final labels by a model, and labels for a second look."""

from __future__ import annotations

import numpy as np
import pytest

from annotations.campaigns.campaign import NewTask, VersionContent, add_version
from annotations.management.adjudication import AdjudicatorActions
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.results.annotator_fit import load_annotator_models, neighbour_shares
from annotations.results.resolution import Resolution, resolve_tasks
from annotations.store.database import read_session
from annotations.store.store import Store
from core.types import Result, Seen
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items

ADA = Member("0", "ada", Role.MANAGER)
NO = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat."}
YES = {"verdict": "consistent", "confidence": 4}


def crowd(store: Store, **rules: object) -> CampaignFixture:
    """Twelve items by two careful people and one who says the opposite of them; of the last item only one and that one."""
    opened = make_campaign(store, items=12, overlap=3, apart=0, **rules)
    known = [save_items(store, 100 + number)[0] for number in range(2)]
    opened.add_tasks([NewTask(id, "gold", key={"verdict": "consistent"}) for id in known])
    for name in ("good", "fine", "bad"):
        annotator = opened.annotator(name)
        for _ in range(12 if name != "fine" else 11):
            task = opened.next_task(annotator)
            even = int(task.document.split()[1]) % 2 == 0
            opened.send(annotator, task, answers=YES if even != (name == "bad") else NO)
    return opened


@pytest.mark.slow
def test_competence_tells_who_says_the_opposite(store: Store) -> None:
    opened = crowd(store)
    people, doubtful = ManagerActions(store, ADA).annotator_models(opened.campaign.id)
    assert people[0].person == "bad"
    worst, best = (person.competence["dawid-skene"] for person in (people[0], people[-1]))
    assert worst.high is not None
    assert best.low is not None
    assert worst.high < best.low
    assert {label.person for label in doubtful} == {"bad"}
    assert all(label.probability < 0.2 and label.source == "dawid-skene" for label in doubtful)


@pytest.mark.slow
def test_a_model_resolves_what_the_majority_leaves_open(store: Store) -> None:
    opened = crowd(store)
    with read_session(store.engine) as session:
        before = [task.resolution for task in resolve_tasks(session, opened.campaign)]
    assert before.count(Resolution.UNRESOLVED) == 1
    assert before.count(Resolution.MAJORITY) == 11
    adjudicator = AdjudicatorActions(store, opened.person("dia", Role.ADJUDICATOR))
    assert (
        len(adjudicator.queue(opened.campaign.id).open)
        == ManagerActions(store, ADA).progress(opened.campaign.id).disputed
        == 12
    )
    for method in ("dawid-skene", "mace"):
        with store.writing() as session:
            wording = ManagerActions(store, ADA).versions(opened.campaign.id)[0].content
            rules = opened.campaign.rules.model_copy(update={"resolve": method, "sure": 80})
            campaign = add_version(
                session, opened.campaign.id, "ada", VersionContent(wording.questions, wording.guidelines, rules)
            )
        with read_session(store.engine) as session:
            tasks = resolve_tasks(session, campaign)
        assert {task.resolution for task in tasks} == {Resolution.MODEL}, method
        assert adjudicator.queue(opened.campaign.id).open == ()
        assert ManagerActions(store, ADA).progress(opened.campaign.id).disputed == 0
        for task in tasks:
            by_good = next(label for label in task.labels if label.person == "good")
            assert task.answers["verdict"] == by_good.answers["verdict"]


@pytest.mark.slow
def test_a_label_that_scores_speak_against_is_listed(store: Store) -> None:
    opened = make_campaign(store, items=24, overlap=1, apart=0)
    annotator = opened.annotator("ben")
    for _ in range(24):
        task = opened.next_task(annotator)
        number = int(task.document.split()[1])
        opened.send(annotator, task, answers=YES if number < 12 or number == 20 else NO)
    for number in range(24):
        [item] = save_items(store, number)
        store.save_outcomes([Result(item, "toy", "toy|1", 1 - number / 24, (), Seen(), 0.1, "cpu")])
    with read_session(store.engine) as session:
        _, labels = load_annotator_models(session, opened.campaign)
    [doubtful] = [label for label in labels if label.source == "toy"]
    assert doubtful.summary.startswith("Raft 20")
    assert (doubtful.answer, doubtful.likely) == ("consistent", "inconsistent")


def test_nothing_is_found_before_a_label(store: Store) -> None:
    opened = make_campaign(store, items=1)
    assert ManagerActions(store, ADA).annotator_models(opened.campaign.id) == ([], [])


def test_the_nearest_items_are_counted_without_the_item_itself() -> None:
    shares = neighbour_shares(np.arange(9.0), np.array([0, 0, 0, 0, 1, 0, 0, 0, 0]), 2)
    assert shares[4].tolist() == [1, 0]
