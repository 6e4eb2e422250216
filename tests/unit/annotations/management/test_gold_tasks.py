"""Labelled items that are mixed in again as gold."""

from __future__ import annotations

import pytest

from annotations.management.item_actions import ItemActions
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.store.records import RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign

BAD = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat."}


def test_gold_has_the_decided_answer_and_needs_one(store: Store) -> None:
    opened = make_campaign(store, items=2, overlap=2)
    ada = opened.person("ada", Role.MANAGER)
    manager, items = ManagerActions(store, ada), ItemActions(store, ada)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    opened.label(ben, 2)
    for _ in range(2):
        task = opened.next_task(cem)
        opened.send(cem, task, answers=BAD) if "Boat 0" in task.document else opened.send(cem, task)
    agreed, disputed = sorted(manager.resolved_tasks(opened.campaign.id), key=lambda task: not task.answers)
    with pytest.raises(RecordError, match="1 of 2 items have no decided answer"):
        items.use_as_gold(opened.campaign.id, [agreed.task, disputed.task])
    assert items.use_as_gold(opened.campaign.id, [agreed.task]) == 1
    assert items.use_as_gold(opened.campaign.id, [agreed.task]) == 0
    gold = [task for task in manager.tasks(opened.campaign.id) if task.part == "gold"]
    assert [(task.key, task.summary) for task in gold] == [({"verdict": "consistent"}, "Raft 1 took crates.")]
