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
from annotations.store.campaign_tables import Task
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
    """One person in one campaign. `gold` is the share of right answers to hidden known tasks, `consistency` that of repeated tasks answered the same way.

    `excluded` of the labels are left out. `active_s` is the median of the seconds in which they read or typed, for one task of work; `last_at` is when they
    answered one last. `signals` are those that the rules limit, `paused` why nothing is handed out to them, "" where something is.
    """

    name: str
    stage: Stage
    answered: int
    skipped: int
    flagged: int
    training: tuple[TrainingRound, ...]
    qualification: Share
    gold: Share
    consistency: Share
    active_s: float | None
    last_at: datetime | None
    excluded: int = 0
    signals: tuple[LimitSignal, ...] = ()
    paused: str = ""


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """A campaign as a whole: `tasks` of work, each to be labelled `overlap` times; `answered` of `required` labels are there.

    `in_progress` are reserved, `remaining` are still to be handed out; `active_s` is the median time for one label.

    `finish_at` is when the rest will be labelled at the pace of the last week.

    `saving` is what adaptive overlap saves on the items that are done; None where the overlap is fixed.

    `draw` is the interval of a campaign whose items were drawn from a pool, None of any other.

    `revised` is the share of labels that their person changed later, after the scores were shown or not.
    """

    tasks: int
    required: int
    answered: int
    in_progress: int
    complete: int
    disputed: int
    adjudicated: int
    flags: int
    revised: Share
    active_s: float | None
    finish_at: datetime | None
    people: tuple[PersonProgress, ...]
    saving: OverlapSaving | None = None
    draw: DrawProgress | None = None

    @property
    def remaining(self) -> int:
        return max(0, self.required - self.answered - self.in_progress)


def compute_progress(session: Session, campaign: CampaignSettings) -> CampaignProgress:
    """Every figure of the overview of a campaign, of all that was counted: see `count_changed`."""
    counts, members, now = load_counts(session, campaign.id), _members(session, campaign), datetime.now(UTC)
    needs = _needs(session, campaign, counts, len(members))
    missing = sum(number * max(0, needed - labels) for labels, needed, number in needs)
    done = [(labels, number) for labels, needed, number in needs if labels >= needed]
    complete = sum(number for _, number in done)
    recent = count_first_labels(session, campaign.id, now - _PACE_WINDOW)
    paused = {id: state.reason for id, state in load_states(session, campaign.id).items() if state.paused}
    return CampaignProgress(
        tasks=sum(number for *_, number in needs),
        required=sum(number * needed for _, needed, number in needs),
        answered=counts.total(Kind.LABELS),
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
    """Estimate when so many missing labels will be there, at the pace of the `recent` ones of the last seven days, or of all days since the first one if fewer.

    A first day counts whole. None where nothing is missing, or nothing came in these days.
    """
    if not missing or not recent or first_at is None:
        return None
    spanned = min(_PACE_WINDOW, max(timedelta(days=1), now - first_at))
    return now + spanned * (missing / recent)


def count_events(session: Session, campaign_id: str) -> int:
    """Number of counted responses of any kind in a campaign, and of exclusions and reinstatements: it grows with all that figures depend on."""
    left_out = select(func.count()).select_from(Exclusion).where(Exclusion.campaign_id == campaign_id)
    reinstated = (
        select(func.count())
        .select_from(Reinstatement)
        .join(Exclusion, col(Exclusion.id) == Reinstatement.exclusion_id)
        .where(Exclusion.campaign_id == campaign_id)
    )
    return count_responses(session, campaign_id) + sum(
        session.exec(statement).one() for statement in (left_out, reinstated)
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
    select(func.count()).select_from(Task).where(Task.campaign_id == bindparam("campaign"), Task.part == "work")
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
