"""Overlap that adapts: a further label where people differ, none where they agree, never more than the limit."""

from __future__ import annotations

import pytest

from annotations.campaigns.exclusions import WhatIsExcluded
from annotations.labelling.queue import NoTask
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.results.adaptive_overlap import OverlapSaving
from annotations.store.records import RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

ADA = Member("0", "ada", Role.MANAGER)
NO = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat."}
YES = {"verdict": "consistent", "confidence": 4}


def label_all(opened: CampaignFixture, name: str, wrong: tuple[int, ...] = ()) -> int:
    """Answer what a person is handed out, even documents with yes; how many that were."""
    annotator = opened.annotator(name)
    for number in range(100):
        found = annotator.next(opened.campaign.id)
        if isinstance(found, NoTask):
            return number
        document = int(found.document.split()[1])
        opened.send(annotator, found, answers=YES if (document % 2 == 0) != (document in wrong) else NO)
    raise AssertionError("more than 100 items")


@pytest.mark.slow
def test_a_third_and_fourth_label_where_people_differ_and_the_saving_is_counted(store: Store) -> None:
    opened = make_campaign(store, items=20, overlap=2, most_overlap=4, sure=85, apart=0)
    assert label_all(opened, "ann") == 20
    assert label_all(opened, "ben", wrong=(3, 4)) == 20
    assert label_all(opened, "cem") == 2
    progress = ManagerActions(store, ADA).progress(opened.campaign.id)
    labels = 42 + label_all(opened, "dia")
    assert label_all(opened, "eva") == 0
    progress = ManagerActions(store, ADA).progress(opened.campaign.id)
    assert progress.complete == 20
    assert progress.saving == OverlapSaving(20, labels, 80)
    assert labels <= 44


def test_a_fixed_overlap_saves_nothing_and_a_limit_below_the_overlap_is_refused(store: Store) -> None:
    opened = make_campaign(store, items=2, overlap=2, apart=0)
    label_all(opened, "ann")
    assert label_all(opened, "ben", wrong=(0, 1)) == 2
    assert label_all(opened, "cem") == 0
    assert ManagerActions(store, ADA).progress(opened.campaign.id).saving is None
    with pytest.raises((RecordError, ValueError), match="most_overlap"):
        make_campaign(store, called="Rafts", overlap=3, most_overlap=2)


@pytest.mark.slow
def test_what_is_left_out_gives_its_place_to_others(store: Store) -> None:
    opened = make_campaign(store, items=10, overlap=2, most_overlap=3, sure=85, apart=0)
    label_all(opened, "ann")
    label_all(opened, "bad", wrong=tuple(range(10)))
    manager = ManagerActions(store, ADA)
    before = manager.progress(opened.campaign.id)
    assert before.required == 30
    bad = next(one for one in manager.people() if one.name == "bad")
    manager.exclude(opened.campaign.id, WhatIsExcluded(bad.id), "Guessed.")
    assert label_all(opened, "cem") == 10
    label_all(opened, "dia")
    assert manager.progress(opened.campaign.id).complete == 10
