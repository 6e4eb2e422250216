"""Figures of progress are counted as labels come, and equal those that are computed from all labels."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import Session, col, delete, select

from annotations.campaigns import campaign_progress
from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent, load_campaign
from annotations.campaigns.exclusions import WhatIsExcluded
from annotations.campaigns.labelling import AnnotatorActions
from annotations.campaigns.manage import ManagerActions
from annotations.campaigns.people import Role
from annotations.campaigns.progress_counts import active_bucket, active_range, changed_campaigns, count_changed
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.responses import SentResponse
from annotations.campaigns.task_texts import ShownTask
from annotations.store.campaign_tables import Task, WantedLabels
from annotations.store.database import read_session
from annotations.store.progress_marks import mark_all
from annotations.store.records import ReadOnlyError, RecordError
from annotations.store.response_tables import Adjudication, Exclusion, ProgressCount, Reservation, Response
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items
from tests.unit.annotations.campaigns.progress_definition import progress_by_definition

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

    def __init__(self, store: Store, questions: str, seed: int) -> None:
        self.random, self.questions = Random(seed), questions
        self.opened = make_campaign(store, questions, items=8, **RULES)
        golds = [NewTask(save_items(store, 20 + number)[0], "gold", key=KEYS[questions]) for number in range(2)]
        self.opened.add_tasks(golds)
        self.people = [self.opened.person(name) for name in ("ben", "cem", "dia")]
        self.manager = ManagerActions(store, self.opened.person("ada", Role.MANAGER))
        self.begun = datetime.now(UTC)

    def step(self) -> None:
        acts = [self.label] * 12 + [self.change] * 6
        acts += [self.exclude, self.reinstate, self.decide, self.revise, self.want]
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
        rules = self.random.choice([RULES, OTHER_RULES])
        self.manager.revise(self.opened.campaign.id, VersionContent(text, "", CampaignRules(**rules)))

    def want(self) -> None:
        with self.opened.store.writing() as session:
            task = self.random.choice(sorted(session.exec(select(Task.id).where(Task.part == "work")).all()))
            labels = self.random.randint(1, 4)
            session.add(WantedLabels(task_id=task, labels=labels, probability=0.7, created_at=datetime.now(UTC)))


def figures(manager: ManagerActions, opened: CampaignFixture, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The progress as it is counted, and by its definition, at one moment."""
    now = datetime.now(UTC)
    monkeypatch.setattr(campaign_progress, "datetime", type("Still", (datetime,), {"now": lambda _=None: now}))
    counted = manager.progress(opened.campaign.id)
    with read_session(opened.store.engine) as session:
        return counted, progress_by_definition(session, load_campaign(session, opened.campaign.id), now)


@pytest.mark.parametrize(
    ("questions", "seed"),
    [
        ("label-summaries", 1),
        *[pytest.param(name, seed, marks=pytest.mark.slow) for name in ANSWERS for seed in (2, 3, 4, 5)],
    ],
)
def test_counted_figures_equal_those_computed_from_all_labels(
    store: Store, questions: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = RandomCampaign(store, questions, seed)
    for _ in range(12):
        for _ in range(6):
            campaign.step()
        counted, expected = figures(campaign.manager, campaign.opened, monkeypatch)
        assert counted == expected
    assert expected.answered
    assert expected.active_s is not None


def counts(session: Session) -> list[tuple[int, int, int]]:
    """Sums of all counts by kind and bucket."""
    rows = session.exec(select(ProgressCount.kind, ProgressCount.bucket, ProgressCount.number))
    sums: dict[tuple[int, int], int] = {}
    for kind, bucket, number in rows:
        sums[kind, bucket] = sums.get((kind, bucket), 0) + number
    return sorted((*key, number) for key, number in sums.items() if number)


def test_counts_are_the_same_when_all_is_counted_again(store: Store) -> None:
    campaign = RandomCampaign(store, "label-summaries", 6)
    for _ in range(40):
        campaign.step()
    campaign.manager.progress(campaign.opened.campaign.id)
    with store.writing() as session:
        before = counts(session)
        mark_all(session.connection())
        assert counts(session) == []
    campaign.manager.progress(campaign.opened.campaign.id)
    with read_session(store.engine) as session:
        assert counts(session) == before


def test_what_changed_by_whatever_way_is_marked_until_somebody_looks(store: Store) -> None:
    opened = make_campaign(store, items=3, overlap=2)
    opened.label(opened.annotator("ben"), 2)
    assert changed_campaigns(store) == [opened.campaign.id]
    manager = ManagerActions(store, opened.person("ada", Role.MANAGER))
    assert manager.count_events(opened.campaign.id) == 2
    assert changed_campaigns(store) == []
    with store.writing() as session:
        [first, *_] = session.exec(select(Response).order_by(col(Response.id))).all()
        values = first.model_dump(exclude={"id"}) | {"revision": 2, "event_id": "by hand", "active_ms": 7_000}
        session.add(Response(**values))
    assert len(changed_campaigns(store)) == 1
    assert manager.count_events(opened.campaign.id) == 3
    with store.writing() as session:
        session.execute(delete(Reservation).where(col(Reservation.state) == "lapsed"))
    assert changed_campaigns(store) == []


def test_a_store_that_keeps_nothing_says_that_labels_are_not_counted(store: Store) -> None:
    opened = make_campaign(store, items=1)
    opened.label(opened.annotator("ben"), 1)
    shown = replace(store, read_only=True)
    with pytest.raises(ReadOnlyError, match="not counted yet"):
        count_changed(shown, opened.campaign.id)
    count_changed(store, opened.campaign.id)
    count_changed(shown, opened.campaign.id)


def test_tasks_that_nobody_had_are_part_of_what_is_required(store: Store) -> None:
    opened = make_campaign(store, items=5, overlap=2)
    progress = ManagerActions(store, opened.person("ada", Role.MANAGER)).progress(opened.campaign.id)
    assert (progress.tasks, progress.required, progress.answered, progress.people) == (5, 10, 0, ())


@given(st.integers(min_value=0, max_value=2**31 - 1))
def test_each_time_has_one_bucket_as_wide_as_a_64th_of_it_at_most(time: int) -> None:
    first, last = active_range(active_bucket(time))
    assert first <= time <= last
    assert last - first <= time / 64
    assert active_bucket(last + 1) == active_bucket(first) + 1
    assert timedelta(milliseconds=last) >= timedelta(milliseconds=first)
