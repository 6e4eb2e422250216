"""Overlap that adapts: an item gets a further label while a model of annotators is not sure of its answer, up to a limit."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.work_plan import wanted_labels
from annotations.results.annotator_fit import FittedLabels, fit_labels
from annotations.results.results import CampaignLabel, labels_by_task, latest_blind_labels, load_labels
from annotations.store.campaign_tables import Task, WantedLabels
from annotations.store.response_tables import Reservation

_MODEL = "dawid-skene"
_GROWTH = 1.1  # times as many labels as at the last fit, after which the model is fitted again
_MOST_FITS = 32

_fits: dict[str, tuple[tuple[int, int], FittedLabels]] = {}
"""The last fit of each campaign of this process, with its version and how many labels there were, as a power of the growth."""
_fitting = threading.Lock()


def adapts(campaign: CampaignSettings) -> bool:
    """True if items of a campaign may want more labels than the overlap."""
    return campaign.rules.most_overlap > campaign.rules.overlap


def ask_for_labels(session: Session, campaign: CampaignSettings, tasks: Collection[str], now: datetime) -> None:
    """Record how many labels tasks need once they have as many as the overlap: one more while the model is not sure and the limit is not reached.

    Where it is sure, they need no more than they have. When the model is fitted again, all tasks are reconsidered.
    """
    if not adapts(campaign):
        return
    votes = _votes_by_task(campaign, latest_blind_labels(load_labels(session, campaign, list(tasks))))
    if all(len(task_votes) < campaign.rules.overlap for task_votes in votes.values()):
        return
    fitted, is_new = _fit(session, campaign)
    if fitted is None:
        return
    if is_new:
        work = [label for label in fitted.labels if label.part == "work"]
        votes, before = _votes_by_task(campaign, work), load_wanted(session, campaign)
    else:
        before = {task: wanted_labels(session, campaign, task) for task in tasks}
    rules = campaign.rules
    for task, task_votes in votes.items():
        if len(task_votes) < rules.overlap:
            continue
        sure = float(fitted.probabilities(task_votes).max())
        further = 0 if sure >= rules.sure / 100 else 1
        wants = max(rules.overlap, min(rules.most_overlap, len(task_votes) + further))
        if wants != before.get(task, rules.overlap):
            session.add(WantedLabels(task_id=task, labels=wants, probability=sure, created_at=now))
    session.flush()


def _votes_by_task(campaign: CampaignSettings, labels: Sequence[CampaignLabel]) -> dict[str, list[tuple[str, object]]]:
    """The people and their answers to the measured question, of each task."""
    measured = campaign.questions.measured
    return {
        task: [(label.person, measured(label.answers)) for label in task_labels if measured(label.answers) is not None]
        for task, task_labels in labels_by_task(labels).items()
    }


def _fit(session: Session, campaign: CampaignSettings) -> tuple[FittedLabels | None, bool]:
    """The model of a campaign, and whether it is new: it is fitted again after every tenth more labels, by one thread at a time, so that few answers wait for it."""
    number = session.exec(_COUNT_ANSWERED, params={"campaign": campaign.id}).one()
    state = (campaign.version, int(log(number or 1) / log(_GROWTH)))
    cached = _fits.get(campaign.id)
    if cached and cached[0] == state:
        return cached[1], False
    if not _fitting.acquire(blocking=cached is None):
        return cached[1] if cached else None, False
    try:
        fitted = fit_labels(session, campaign, _MODEL)
        if fitted:
            _fits.pop(campaign.id, None)
            _fits[campaign.id] = (state, fitted)
            for oldest in list(_fits)[:-_MOST_FITS]:
                _fits.pop(oldest, None)
        return fitted, True
    finally:
        _fitting.release()


_COUNT_ANSWERED = (
    select(func.count())
    .select_from(Reservation)
    .where(
        Reservation.campaign_id == bindparam("campaign"),
        Reservation.state == "answered",
        ~col(Reservation.excluded),
    )
)


@dataclass(frozen=True, slots=True)
class OverlapSaving:
    """Labels of the items that are done under adaptive overlap, and those that the largest overlap would have taken for them."""

    items: int
    labels: int
    fixed: int


def load_wanted(session: Session, campaign: CampaignSettings) -> dict[str, int]:
    """The number of labels that each task wants other than the overlap."""
    statement = (
        select(WantedLabels.task_id, WantedLabels.labels)
        .join(Task, col(Task.id) == WantedLabels.task_id)
        .where(Task.campaign_id == campaign.id)
        .order_by(col(WantedLabels.id))
    )
    return dict(session.exec(statement).all()) if adapts(campaign) else {}
