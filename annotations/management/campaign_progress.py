"""The progress of a campaign, and how many known answers each person gets right."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import bindparam
from sqlmodel import Session, col, exists, func, select

from annotations.campaigns.assignment import assigned_people
from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.qualification import Stage, TrainingRound, current_stage, mark_answers, training_rounds
from annotations.campaigns.withdrawals import IS_WITHDRAWN
from annotations.campaigns.work_plan import calibration_tasks
from annotations.labelling.limits import LimitSignal, has_limits, load_signals, load_states
from annotations.people.people import Member, load_people
from annotations.results.adaptive_overlap import OverlapSaving, adapts
from annotations.results.counted_figures import (
    CampaignCounts,
    PersonCounts,
    count_first_labels,
    count_responses,
    load_counts,
    median_active_s,
)
from annotations.results.drawn import DrawProgress, load_draw_progress
from annotations.results.progress_counts import Kind
from annotations.results.resolution import tasks_by_model
from annotations.store.campaign_tables import Task, TaskWithdrawal
from annotations.store.people_tables import Person
from annotations.store.response_tables import Exclusion, Reinstatement, Reservation, TaskCounts
from annotations.store.tables import UtcDateTime

_PACE_WINDOW = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Share:
    """A fraction; no value where the total is 0."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        return self.count / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """State of one person in one campaign."""

    name: str
    """Name of the person."""
    stage: Stage
    """Stage that the person is in."""
    answered: int
    """Number of answered tasks."""
    skipped: int
    """Number of skipped tasks."""
    flagged: int
    """Number of flagged tasks."""
    training: tuple[TrainingRound, ...]
    """Rounds of training, the first one first."""
    qualification: Share
    """Share of right answers in the qualification."""
    gold: Share
    """Share of right answers to hidden tasks whose answers are known."""
    consistency: Share
    """Share of repeated tasks that were answered the same way."""
    active_s: float | None
    """Median of the seconds in which the person read or typed, for one task of work; None without a label."""
    last_at: datetime | None
    """Time of the last answer; None before the first."""
    excluded: int = 0
    """Number of labels that are left out."""
    signals: tuple[LimitSignal, ...] = ()
    """State of each limit of the rules."""
    paused: str = ""
    """Reason why the person gets no tasks; "" for a person who does."""


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """State of a campaign as a whole."""

    tasks: int
    """Number of tasks of work."""
    required: int
    """Number of labels that these need."""
    answered: int
    """Number of the required labels that are there."""
    in_progress: int
    """Number of tasks that are reserved now."""
    complete: int
    """Number of tasks with all their labels."""
    disputed: int
    """Number of tasks whose labels differ and that nobody has decided."""
    adjudicated: int
    """Number of tasks with a decision."""
    flags: int
    """Number of flags of work."""
    revised: Share
    """Share of labels that their person changed later, after the scores were shown or not."""
    active_s: float | None
    """Median time for one label, in seconds; None without a label."""
    finish_at: datetime | None
    """Time at which the rest will be labelled at the pace of the last week; None without a pace."""
    people: tuple[PersonProgress, ...]
    """State of each person."""
    saving: OverlapSaving | None = None
    """Labels saved by adaptive overlap on the items that are done; None where the overlap is fixed."""
    draw: DrawProgress | None = None
    """Interval of a campaign whose items were drawn from a pool; None for any other."""

    @property
    def remaining(self) -> int:
        return max(0, self.required - self.answered - self.in_progress)


def compute_progress(session: Session, campaign: CampaignSettings) -> CampaignProgress:
    """Every figure of the overview of a campaign, from the stored counts; see `count_changed`."""
    counts, members, now = load_counts(session, campaign.id), _members(session, campaign), datetime.now(UTC)
    needs = _needs(session, campaign, counts, len(members))
    missing = sum(number * max(0, needed - labels) for labels, needed, number in needs)
    done = [(labels, number) for labels, needed, number in needs if labels >= needed]
    complete = sum(number for _, number in done)
    recent = count_first_labels(session, campaign.id, now - _PACE_WINDOW)
    paused = {id: state.reason for id, state in load_states(session, campaign.id).items() if state.paused}
    required = sum(number * needed for _, needed, number in needs)
    return CampaignProgress(
        tasks=sum(number for *_, number in needs),
        required=required,
        answered=required - missing,
        in_progress=session.exec(_COUNT_OPEN, params={"campaign": campaign.id, "now": now}).one(),
        complete=complete,
        saving=OverlapSaving(
            complete, sum(labels * number for labels, number in done), complete * campaign.rules.most_overlap
        )
        if adapts(campaign)
        else None,
        draw=load_draw_progress(session, campaign),
        disputed=_count_disputed(session, campaign, counts),
        adjudicated=counts.total(Kind.DECIDED),
        flags=counts.total(Kind.FLAGGED_WORK),
        revised=Share(counts.total(Kind.REVISED), counts.total(Kind.FIRST)),
        active_s=median_active_s(session, list(counts.people.values())),
        finish_at=estimate_finish(recent, counts.first_at, missing, now),
        people=tuple(
            _person_progress(
                session, campaign, member, counts.people.get(member.id, PersonCounts(0)), paused.get(member.id, "")
            )
            for member in members
        ),
    )


def estimate_finish(recent: int, first_at: datetime | None, missing: int, now: datetime) -> datetime | None:
    """Estimate when the missing labels will be complete, at the pace of the `recent` ones of the last seven days, or of the days since the first label if fewer.

    None where nothing is missing, nothing came in these days, or the first label is not a day old: an hour says nothing of a pace.
    """
    if not missing or not recent or first_at is None or now - first_at < timedelta(days=1):
        return None
    spanned = min(_PACE_WINDOW, now - first_at)
    return now + spanned * (missing / recent)


def count_events(session: Session, campaign_id: str) -> int:
    """Number of counted responses, exclusions, withdrawals and their ends in a campaign: it grows whenever the figures may change."""
    left_out = select(func.count()).select_from(Exclusion).where(Exclusion.campaign_id == campaign_id)
    reinstated = (
        select(func.count())
        .select_from(Reinstatement)
        .join(Exclusion, col(Exclusion.id) == Reinstatement.exclusion_id)
        .where(Exclusion.campaign_id == campaign_id)
    )
    withdrawn = (
        select(func.count())
        .select_from(TaskWithdrawal)
        .join(Task, col(Task.id) == TaskWithdrawal.task_id)
        .where(Task.campaign_id == campaign_id)
    )
    return count_responses(session, campaign_id) + sum(
        session.exec(statement).one() for statement in (left_out, reinstated, withdrawn)
    )


def _needs(
    session: Session, campaign: CampaignSettings, counts: CampaignCounts, people: int
) -> list[tuple[int, int, int]]:
    """The labels that tasks of work have, those that they need, and how many such tasks there are; those of a calibration round, which all `people` label, one by one."""
    rules, groups = campaign.rules, Counter(counts.groups)
    groups[0, 0] += session.exec(_COUNT_WORK, params={"campaign": campaign.id}).one() - groups.total()
    for_everybody = []
    if rules.calibration:
        state = select(TaskCounts.labels, TaskCounts.wanted).select_from(Task)
        state = state.outerjoin(TaskCounts, col(TaskCounts.task_id) == Task.id)
        for labels, target in session.exec(state.where(col(Task.id).in_(calibration_tasks(campaign)))):
            groups[labels or 0, target or 0] -= 1
            for_everybody.append((labels or 0, max(rules.overlap, people), 1))
    others = [
        (labels, target if target and adapts(campaign) else rules.overlap, number)
        for (labels, target), number in groups.items()
    ]
    return for_everybody + others


_COUNT_WORK = (
    select(func.count())
    .select_from(Task)
    .where(Task.campaign_id == bindparam("campaign"), Task.part == "work", ~IS_WITHDRAWN)
)
_COUNT_OPEN = (
    select(func.count())
    .select_from(Reservation)
    .join(Task, col(Task.id) == Reservation.task_id)
    .where(
        Reservation.campaign_id == bindparam("campaign"),
        Reservation.state == "open",
        col(Reservation.expires_at) > bindparam("now", type_=UtcDateTime),
        Task.part == "work",
    )
)


def _count_disputed(session: Session, campaign: CampaignSettings, counts: CampaignCounts) -> int:
    """Number of tasks whose labels differ, and which neither an adjudicator nor a model of annotators resolved."""
    if campaign.rules.resolve == "majority":
        return counts.total(Kind.DISPUTED)
    disputed = select(TaskCounts.task_id).where(TaskCounts.campaign_id == campaign.id, col(TaskCounts.disputed))
    return len(set(session.exec(disputed)) - tasks_by_model(session, campaign))


def _members(session: Session, campaign: CampaignSettings) -> list[Member]:
    """The people with a task of a campaign, and those who are assigned to it, by name."""
    had = exists().where(col(Reservation.person_id) == col(Person.id), col(Reservation.campaign_id) == campaign.id)
    ids = set(session.exec(select(Person.id).where(had)))
    ids |= {member.id for member in assigned_people(session, campaign.id)}
    return [member for member in load_people(session) if member.id in ids]


def _person_progress(
    session: Session, campaign: CampaignSettings, member: Member, own: PersonCounts, paused: str
) -> PersonProgress:
    sums = own.sums
    marked = mark_answers(session, campaign, member, (Stage.TRAINING, Stage.QUALIFICATION))
    qualified = [answer.is_correct for answer in marked if answer.part == Stage.QUALIFICATION]
    return PersonProgress(
        name=member.name,
        stage=current_stage(session, campaign, member),
        answered=sums[Kind.ANSWERED],
        skipped=sums[Kind.SKIPPED],
        flagged=sums[Kind.FLAGGED],
        training=training_rounds(marked),
        qualification=Share(sum(qualified), len(qualified)),
        gold=Share(sums[Kind.RIGHT], sums[Kind.GOLD]),
        consistency=Share(sums[Kind.SAME], sums[Kind.REPEATED]),
        active_s=median_active_s(session, [own]),
        last_at=own.last_at,
        excluded=sums[Kind.EXCLUDED],
        signals=tuple(load_signals(session, campaign, member.id)) if has_limits(campaign.rules) else (),
        paused=paused,
    )
