"""Figures of progress by their definition: from every label and reservation, read again. What is counted has to agree with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from statistics import median

from sqlmodel import Session, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.qualification import current_stage, mark_answers, training_rounds
from annotations.campaigns.withdrawals import load_withdrawals
from annotations.campaigns.work_plan import calibration_tasks
from annotations.labelling.limits import has_limits, load_signals, load_states
from annotations.management.campaign_progress import CampaignProgress, PersonProgress, Share
from annotations.people.people import Member, load_people
from annotations.results.adaptive_overlap import OverlapSaving, adapts, load_wanted
from annotations.results.drawn import load_draw_progress
from annotations.results.resolution import tasks_by_model
from annotations.results.results import (
    CampaignLabel,
    first_blind_labels,
    labels_by_task,
    latest_decisions,
    latest_labels,
    load_labels,
    repeated_labels,
    share_of_agreeing_pairs,
)
from annotations.store.campaign_tables import Task
from annotations.store.response_tables import Reservation

_WEEK = timedelta(days=7)
_PARTS = ("training", "qualification", "gold")


def progress_by_definition(session: Session, campaign: CampaignSettings, now: datetime) -> CampaignProgress:
    """Every figure of a campaign that is assigned to nobody in particular, with one query for each table and no count that was kept."""
    every = session.exec(select(Task.id).where(Task.campaign_id == campaign.id, Task.part == "work")).all()
    withdrawn = load_withdrawals(session, campaign.id)
    tasks = [task for task in every if task not in withdrawn]
    reservations = session.exec(select(Reservation).where(Reservation.campaign_id == campaign.id)).all()
    members = [one for one in load_people(session) if one.id in {row.person_id for row in reservations}]
    labels = load_labels(session, campaign)
    first, last = first_blind_labels(labels), latest_labels(labels)
    by_task, decisions = labels_by_task(last), latest_decisions(session, campaign, tasks)
    wanted = {task: number for task, number in load_wanted(session, campaign).items() if task not in withdrawn}
    needed = dict.fromkeys(tasks, campaign.rules.overlap) | wanted
    everybody = max(campaign.rules.overlap, len(members))
    needed |= dict.fromkeys(session.exec(calibration_tasks(campaign)), everybody)
    done = [task for task, given in by_task.items() if len(given) >= needed[task]]
    by_model = tasks_by_model(session, campaign)
    work = [row for row in reservations if row.task_id in set(every)]
    now_of = {(label.task, label.person): label for label in last}
    return CampaignProgress(
        tasks=len(tasks),
        required=sum(needed.values()),
        answered=sum(min(len(given), needed[task]) for task, given in by_task.items()),
        in_progress=sum(row.state == "open" and row.expires_at > now for row in work),
        complete=len(done),
        disputed=sum(
            len(given) > 1
            and share_of_agreeing_pairs(campaign, given) < 1
            and task not in by_model
            and task not in decisions
            for task, given in by_task.items()
        ),
        adjudicated=len(decisions),
        flags=sum(row.state == "flagged" for row in work),
        revised=_share(not _same(campaign, one, now_of[one.task, one.person]) for one in first),
        active_s=_median_s(first),
        finish_at=_finish_at(
            [label.created_at for label in first],
            sum(max(0, number - len(by_task.get(task, ()))) for task, number in needed.items()),
            now,
        ),
        people=tuple(_person(session, campaign, member, reservations, labels) for member in members),
        saving=OverlapSaving(
            len(done), sum(len(by_task[task]) for task in done), len(done) * campaign.rules.most_overlap
        )
        if adapts(campaign)
        else None,
        draw=load_draw_progress(session, campaign),
    )


def _person(
    session: Session,
    campaign: CampaignSettings,
    member: Member,
    reservations: Sequence[Reservation],
    labels: Sequence[CampaignLabel],
) -> PersonProgress:
    own = [row for row in reservations if row.person_id == member.id]
    states = Counter(row.state for row in own)
    marked = mark_answers(session, campaign, member, _PARTS)
    first = [label for label in first_blind_labels(labels) if label.person == member.name]
    paused = load_states(session, campaign.id).get(member.id)
    return PersonProgress(
        name=member.name,
        stage=current_stage(session, campaign, member),
        answered=states["answered"],
        skipped=states["skipped"],
        flagged=states["flagged"],
        training=training_rounds(marked),
        qualification=_share(one.is_correct for one in marked if one.part == "qualification"),
        gold=_share(one.is_correct for one in marked if one.part == "gold"),
        consistency=_share(
            _same(campaign, one, two) for one, two in repeated_labels(labels) if one.person == member.name
        ),
        active_s=_median_s(first),
        last_at=max((label.created_at for label in first), default=None),
        excluded=sum(row.excluded for row in own),
        signals=tuple(load_signals(session, campaign, member.id)) if has_limits(campaign.rules) else (),
        paused=paused.reason if paused and paused.paused else "",
    )


def _finish_at(labelled_at: Sequence[datetime], missing: int, now: datetime) -> datetime | None:
    recent = [at for at in labelled_at if now - at <= _WEEK]
    if not missing or not recent or now - min(labelled_at) < timedelta(days=1):
        return None
    return now + min(_WEEK, now - min(labelled_at)) * (missing / len(recent))


def _median_s(labels: Sequence[CampaignLabel]) -> float | None:
    return median(label.active_ms / 1000 for label in labels) if labels else None


def _same(campaign: CampaignSettings, one: CampaignLabel, two: CampaignLabel) -> bool:
    return campaign.questions.measured(one.answers) == campaign.questions.measured(two.answers)


def _share(hits: Iterable[bool]) -> Share:
    found = list(hits)
    return Share(sum(found), len(found))
