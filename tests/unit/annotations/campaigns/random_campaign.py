"""A campaign in which anything may happen next, for tests of what is counted as it happens."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from random import Random
from typing import Any

from sqlmodel import col, select

from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent
from annotations.campaigns.exclusions import WhatIsExcluded
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.task_texts import ShownTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.responses import SentResponse
from annotations.management.item_actions import ItemActions
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.store.campaign_tables import Task, WantedLabels
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.response_tables import Adjudication, Exclusion, Reservation
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign, save_items

RULES: Mapping[str, Any] = {"overlap": 2, "repeat_every": 3, "gold_every": 4, "calibration": 2, "expires_minutes": 60}
OTHER_RULES: Mapping[str, Any] = {**RULES, "overlap": 3, "most_overlap": 4, "calibration": 0, "reveal": True}
ANSWERS: Mapping[str, list[dict[str, Any]]] = {
    "label-summaries": [
        {"verdict": "consistent", "confidence": 4},
        {"verdict": "consistent", "confidence": 2},
        {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."},
    ],
    "label-pairs": [
        {"unfaithful": "left", "error_type": "Intrinsic Entity", "explanation": "It was a boat."},
        {"unfaithful": "right", "error_type": "Extrinsic Event", "explanation": "It was a boat."},
    ],
}
LEFT_OUT = {"label-summaries": ["", "confidence", "verdict"], "label-pairs": ["", "explanation", "unfaithful"]}
KEYS = {"label-summaries": {"verdict": "consistent"}, "label-pairs": {"unfaithful": "right"}}
MEASURES = {"label-summaries": ("verdict", "confidence"), "label-pairs": ("unfaithful", "error_type")}


class RandomCampaign:
    """A campaign in which anything may happen next, one step at a time."""

    def __init__(
        self, store: Store, questions: str, seed: int, items: int = 8, limits: Mapping[str, Any] | None = None
    ) -> None:
        self.random, self.questions = Random(seed), questions
        self.rules = [{**rules, **(limits or {})} for rules in (RULES, OTHER_RULES)]
        self.opened = make_campaign(store, questions, items=items, **self.rules[0])
        golds = [NewTask(save_items(store, 20 + number)[0], "gold", key=KEYS[questions]) for number in range(2)]
        self.opened.add_tasks(golds)
        self.people = [self.opened.person(name) for name in ("ben", "cem", "dia")]
        ada = self.opened.person("ada", Role.MANAGER)
        self.manager, self.items = ManagerActions(store, ada), ItemActions(store, ada)
        self.begun = datetime.now(UTC)

    def step(self) -> None:
        acts = [self.label] * 12 + [self.change] * 6
        acts += [self.exclude, self.reinstate, self.decide, self.revise, self.want, self.pause, *[self.resume] * 3]
        acts += [self.withdraw, self.bring_back]
        with suppress(RecordError):  # some acts do not fit what there is, and change nothing
            self.random.choice(acts)()

    def label(self) -> None:
        annotator = self.opened.annotator_of(self.random.choice(self.people))
        shown = annotator.next(self.opened.campaign.id)
        if isinstance(shown, ShownTask):
            self._send(annotator, shown.reservation, self.random.choice(["answer"] * 8 + ["skip", "flag"]))

    def change(self) -> None:
        with read_session(self.opened.store.engine) as session:
            number, person = self.random.choice(
                session.exec(select(Reservation.id, Reservation.person_id).order_by(col(Reservation.id))).all()
                or [(0, "")]
            )
        [member] = [one for one in self.people if one.id == person] or [self.people[0]]
        self._send(self.opened.annotator_of(member), number or 0, self.random.choice(["answer"] * 4 + ["undo", "skip"]))

    def _send(self, annotator: AnnotatorActions, reservation: int, act: Any) -> None:
        answers = self.random.choice(ANSWERS[self.questions]) if act == "answer" else {}
        active_ms = self.random.choice([0, 5_000, 5_001, 61_234, 61_235, self.random.randrange(90_000)])
        reason = "" if act == "answer" else "It is cut off."
        event = f"event-{next(self.opened.events)}"
        annotator.send(SentResponse(reservation, act, event, answers, reason, active_ms))

    def exclude(self) -> None:
        question = self.random.choice(LEFT_OUT[self.questions])
        what = WhatIsExcluded(
            self.random.choice(self.people).id, self.random.choice([None, self.begun.date()]), question
        )
        self.manager.exclude(self.opened.campaign.id, what, "Too fast.")

    def reinstate(self) -> None:
        with read_session(self.opened.store.engine) as session:
            made = session.exec(select(Exclusion.id)).all()
        self.manager.reinstate(self.opened.campaign.id, self.random.choice(made or [0]) or 0, "All were right.")

    def withdraw(self) -> None:
        task = self.random.choice(self.manager.tasks(self.opened.campaign.id)).task
        self.items.withdraw(self.opened.campaign.id, [task], "The text is cut off.")

    def bring_back(self) -> None:
        withdrawn = [row.task for row in self.manager.tasks(self.opened.campaign.id) if row.withdrawn]
        self.items.bring_back(self.opened.campaign.id, withdrawn, "It is whole.")

    def decide(self) -> None:
        with self.opened.store.writing() as session:
            tasks = sorted(session.exec(select(Task.id).where(Task.part == "work")).all())
            number = next(self.opened.events)
            decision = {"answers": ANSWERS[self.questions][0], "cause": "ambiguous text", "note": "", "settles": []}
            task, at = self.random.choice(tasks), datetime.now(UTC)
            row = Adjudication(
                task_id=task, revision=number, by="ada", event_id=f"d{number}", created_at=at, **decision
            )
            session.add(row)

    def revise(self) -> None:
        first, other = MEASURES[self.questions]
        measure = self.random.choice([first, first, other])
        text = bundled_question_sets()[self.questions].replace(f"measure: {first}", f"measure: {measure}")
        rules = self.random.choice(self.rules)
        self.manager.revise(self.opened.campaign.id, VersionContent(text, "", CampaignRules(**rules)))

    def want(self) -> None:
        with self.opened.store.writing() as session:
            task = self.random.choice(sorted(session.exec(select(Task.id).where(Task.part == "work")).all()))
            labels = self.random.randint(1, 4)
            session.add(WantedLabels(task_id=task, labels=labels, probability=0.7, created_at=datetime.now(UTC)))

    def pause(self) -> None:
        self.manager.pause(self.opened.campaign.id, self.random.choice(self.people).id, "Read the guidelines first.")

    def resume(self) -> None:
        self.manager.resume(self.opened.campaign.id, self.random.choice(self.people).id)
