"""A campaign in which LongSciVerify's reviewers label what they labelled agrees as published."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import Session

from annotations.campaigns.campaign import (
    CampaignRules,
    CampaignSettings,
    NewTask,
    VersionContent,
    add_tasks,
    create_campaign,
)
from annotations.exchange.samples import load_samples
from annotations.labelling.queue import reserve_next
from annotations.labelling.responses import SentResponse, lock_reservation, save_response
from annotations.people.people import Member, Role, add_person
from annotations.results.label_agreement import OVERALL, compute_agreements
from annotations.store.campaign_tables import Task
from annotations.store.dataset_import import DatasetSource
from annotations.store.response_tables import Reservation
from annotations.store.store import Store
from core.types import Item
from tests.doubles.released import DATA, needs
from tests.unit.core.data.datasets.reading import items_of

QUESTIONS = """
name: longsciverify
title: Are the sentences factual?
unit: summary
measure: sentences
questions:
  - {id: factual, ask: "Is the sentence factual?", kind: choice, required: false,
     options: [{value: "yes", text: "Yes"}, {value: "no", text: "No"}]}
  - {id: sentences, ask: "How many sentences are factual?", kind: scale, low: 0, high: 3, required: false}
"""
WHOLE = "whole"

Verdicts = dict[tuple[str, str, str], int]
"""By item, which sentence or `WHOLE`, and reviewer: whether it is factual, or how many sentences are."""


@pytest.mark.slow
@needs("longsciverify")
def test_a_campaign_with_longsciverifys_labels_gives_the_published_alphas(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'labels.db'}")
    items = items_of("longsciverify", DATA / "longsciverify")
    file = DatasetSource("lsv", "longsciverify", "longsciverify", "ab" * 32, "its own", "1.0", "local")
    store.import_dataset(file, items, dict)
    stored = {sample.stored: sample.item for sample in load_samples(store, "lsv")}
    with store.writing() as session:
        campaign = create_campaign(
            session, "Reviewers", "local", VersionContent(QUESTIONS, "", CampaignRules(overlap=3, apart=0))
        )
        whats = ("0", "1", "2", WHOLE)
        add_tasks(session, campaign, [NewTask(id, asked={"explanation": what}) for id in stored for what in whats])
        for reviewer in ("reviewer-1", "reviewer-2", "reviewer-3"):
            label_everything(session, campaign, add_person(session, reviewer, Role.ANNOTATOR), verdicts(stored))
        found = {one.question: one for one in compute_agreements(session, campaign) if one.slice == OVERALL}
    store.close()
    assert [(found[name].people, found[name].labels) for name in ("factual", "sentences")] == [(3, 405), (3, 135)]
    assert found["factual"].alphas["nominal"].value == pytest.approx(0.7633, abs=5e-5)
    assert found["sentences"].alphas["interval"].value == pytest.approx(0.8201, abs=5e-5)


def verdicts(stored: dict[str, Item]) -> Verdicts:
    """Of a summary as a whole how many sentences are factual, which is its mean on another interval scale."""
    found: Verdicts = {}
    for id, item in stored.items():
        for one in item.ratings:
            if one.sentence is not None:
                found[id, str(one.sentence), one.judge] = int(one.value)
                found[id, WHOLE, one.judge] = found.get((id, WHOLE, one.judge), 0) + int(one.value)
    return found


def label_everything(session: Session, campaign: CampaignSettings, person: Member, verdicts: Verdicts) -> None:
    while isinstance(reservation := reserve_next(session, campaign, person), Reservation):
        task = session.get_one(Task, reservation.task_id)
        what = task.asked["explanation"]
        given = verdicts[task.item_id, what, person.name]
        answers = {"sentences": given} if what == WHOLE else {"factual": "yes" if given else "no"}
        id = reservation.id or 0
        sent = SentResponse(id, "answer", f"{person.name}-{id}", answers)
        save_response(session, person, lock_reservation(session, id, person), sent)
