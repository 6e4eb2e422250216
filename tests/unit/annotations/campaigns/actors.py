"""A campaign with people and items, for tests of what happens in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from annotations.campaigns.campaign import (
    CampaignRules,
    CampaignSettings,
    NewTask,
    VersionContent,
    add_tasks,
    create_campaign,
    load_campaign,
)
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.task_texts import ShownTask
from annotations.exchange.campaign_export import load_export_context
from annotations.exchange.export import ExportRow
from annotations.exchange.export_format import exported_rows
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.queue import NoTask
from annotations.labelling.responses import ResponseAct, ResponseReceipt, SentResponse
from annotations.people.people import Member, Role, add_person
from annotations.store.database import read_session
from annotations.store.records import PairRecord
from annotations.store.store import Store
from core.types import Edit, Span, Verdict

ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "label-summaries": {"verdict": "consistent", "confidence": 4},
    "label-pairs": {"unfaithful": "right", "error_type": "Intrinsic Entity", "explanation": "It was two, not three."},
    "edit-quality": {"inconsistent": "yes", "interesting": "no"},
}


@dataclass
class CampaignFixture:
    """One store with one campaign."""

    store: Store
    campaign: CampaignSettings
    events: Any = field(default_factory=lambda: count(1))

    def person(self, name: str, role: Role = Role.ANNOTATOR) -> Member:
        with self.store.writing() as session:
            return add_person(session, name, role)

    def annotator(self, name: str) -> AnnotatorActions:
        return AnnotatorActions(self.store, self.person(name))

    def annotator_of(self, person: Member) -> AnnotatorActions:
        return AnnotatorActions(self.store, person)

    def next_task(self, annotator: AnnotatorActions) -> ShownTask:
        found = annotator.next(self.campaign.id)
        assert isinstance(found, ShownTask), found
        return found

    def no_task_reason(self, annotator: AnnotatorActions) -> str:
        found = annotator.next(self.campaign.id)
        assert isinstance(found, NoTask), found
        return found.reason

    def send(
        self, annotator: AnnotatorActions, work: ShownTask, act: ResponseAct = "answer", **changes: Any
    ) -> ResponseReceipt:
        given = {
            "answers": ANSWERS.get(self.campaign.questions.name, {}) if act == "answer" else {},
            "reason": "" if act == "answer" else "It is cut off.",
            "event_id": f"event-{next(self.events)}",
            **changes,
        }
        return annotator.send(SentResponse(work.reservation, act, **given))

    def label(self, annotator: AnnotatorActions, number: int) -> list[ShownTask]:
        """Take and answer so many tasks."""
        had = []
        for _ in range(number):
            had.append(self.next_task(annotator))
            self.send(annotator, had[-1])
        return had

    def add_tasks(self, tasks: list[NewTask]) -> int:
        with self.store.writing() as session:
            return add_tasks(session, self.campaign, tasks)


def save_items(store: Store, number: int, by: str = "ada", versions: int = 1) -> list[str]:
    """Keep edited summaries of one document each; their ids."""
    ids = []
    for version in range(versions):
        document, original = f"Boat {number} took {number} crates to the mill.", f"Boat {number} took crates."
        edited = Edit(Span(0, 4), f"Raft{version or ''}", "It was a boat.")
        pair = PairRecord(
            document,
            original,
            f"{edited.new}{original[4:]}",
            (edited,),
            by=by,
            intended=Verdict.INCONSISTENT,
            source="pasted",
        )
        ids.append(store.save_pair(pair).id)
    return ids


def make_campaign(
    store: Store, questions: str = "label-summaries", items: int = 3, called: str = "Boats", **rules: Any
) -> CampaignFixture:
    """A campaign with so many items of work, each labelled by one person unless the rules say otherwise."""
    with store.writing() as session:
        wording = VersionContent(bundled_question_sets()[questions], "", CampaignRules(**{"overlap": 1, **rules}))
        campaign = create_campaign(session, called, "ada", wording)
    opened = CampaignFixture(store, campaign)
    asked = {"explanation": "It was a boat."} if campaign.questions.unit == "explanation" else {}
    opened.add_tasks([NewTask(id, asked=asked) for number in range(items) for id in save_items(store, number)])
    return opened


def campaign_rows(store: Store, campaign_id: str) -> list[ExportRow]:
    """All rows of the export of a campaign."""
    with read_session(store.engine) as session:
        context = load_export_context(session, load_campaign(session, campaign_id))
        return [row.model_dump(mode="json") for row in exported_rows(session, context)]
