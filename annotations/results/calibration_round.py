"""The calibration round of a campaign: how far everybody is, how far they agree, and on which items they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from annotations.campaigns.assignment import assigned_people
from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.work_plan import calibration_tasks
from annotations.results.label_agreement import LabelAgreement, compute_agreement
from annotations.results.results import first_blind_labels, labels_by_task, load_labels, share_of_agreeing_pairs
from annotations.store.campaign_tables import Task
from annotations.store.tables import ItemRow

_SLICE = "Calibration round"


@dataclass(frozen=True, slots=True)
class DisputedItem:
    """An item on which people differ: the answer of each to the measured question."""

    task: str
    summary: str
    agreement: float
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CalibrationRound:
    """The first items of a campaign, which everybody labels: how many each person has done, and what was found.

    `agreement` is that of the measured question, None before any label; the most disputed item comes first.
    """

    items: int
    done: Mapping[str, int]
    agreement: LabelAgreement | None
    disputed: tuple[DisputedItem, ...]


def load_calibration(session: Session, campaign: CampaignSettings) -> CalibrationRound:
    """The calibration round as it is now, on first labels given without sight of a score."""
    texts = dict(
        session.exec(
            select(Task.id, ItemRow.text)
            .join(ItemRow, col(ItemRow.id) == Task.item_id)
            .where(col(Task.id).in_(calibration_tasks(campaign)))
        ).all()
    )
    labels = [label for label in first_blind_labels(load_labels(session, campaign)) if label.task in texts]
    everybody = {person.name for person in assigned_people(session, campaign.id)} | {label.person for label in labels}
    measured = campaign.questions.measured
    disputed = [
        DisputedItem(
            task,
            texts[task],
            share_of_agreeing_pairs(campaign, task_labels),
            {label.person: measured(label.answers) for label in task_labels},
        )
        for task, task_labels in labels_by_task(labels).items()
        if share_of_agreeing_pairs(campaign, task_labels) < 1
    ]
    return CalibrationRound(
        items=len(texts),
        done={name: sum(label.person == name for label in labels) for name in sorted(everybody)},
        agreement=compute_agreement(campaign.questions.by_id[campaign.questions.measure], _SLICE, labels),
        disputed=tuple(sorted(disputed, key=lambda item: (item.agreement, item.task))),
    )
