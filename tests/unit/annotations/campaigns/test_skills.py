"""Items that ask for a skill go to people of the group of its name, whom the manager put there or who passed a qualification."""

from __future__ import annotations

from annotations.campaigns.campaign import SKILL, NewTask
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items

ADA = Member("0", "ada", Role.MANAGER)


def in_german(store: Store, **rules: object) -> CampaignFixture:
    """One item for everybody and two in German."""
    opened = make_campaign(store, items=1, overlap=2, apart=0, skills=True, **rules)
    opened.add_tasks([NewTask(save_items(store, number)[0], asked={SKILL: "de"}) for number in (7, 8)])
    return opened


def test_an_item_goes_to_who_has_the_skill_that_it_asks_for(store: Store) -> None:
    opened = in_german(store)
    ben, cem = opened.person("ben"), opened.person("cem")
    ManagerActions(store, ADA).change_person(cem, ["de"])
    [first] = opened.label(opened.annotator_of(ben), 1)
    assert first.document.startswith("Boat 0")
    assert opened.no_task_reason(opened.annotator_of(ben)) == "skill"
    assert len(opened.label(opened.annotator_of(cem), 3)) == 3
    assert opened.no_task_reason(opened.annotator_of(cem)) == "over"
    ManagerActions(store, ADA).change_person(ben, ["de"])
    opened.label(opened.annotator_of(ben), 2)


def test_who_passes_the_qualification_has_the_skill_and_who_does_not_has_none(store: Store) -> None:
    opened = in_german(store, pass_right=1, grants="de")
    opened.add_tasks([NewTask(save_items(store, 20)[0], "qualification", key={"verdict": "consistent"})])
    ben, cem = opened.person("ben"), opened.person("cem")
    opened.label(opened.annotator_of(ben), 4)
    wrong = {"verdict": "inconsistent", "confidence": 2, "reason": "A raft."}
    annotator = opened.annotator_of(cem)
    opened.send(annotator, opened.next_task(annotator), answers=wrong)
    assert ManagerActions(store, ADA).groups() == {ben.id: ("de",)}
    assert opened.no_task_reason(annotator) == "unqualified"
