"""The progress of a campaign, and how many known answers each person gets right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from sqlmodel import Session, col, func, or_, select

from annotations.campaigns.adaptive_overlap import OverlapSaving, adapts, load_wanted
from annotations.campaigns.assignment import assigned_people
from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.drawn import DrawProgress, load_draw_progress
from annotations.campaigns.limits import LimitSignal, has_limits, load_signals, load_states
from annotations.campaigns.people import Member, load_people
from annotations.campaigns.qualification import Stage, TrainingRound, current_stage, mark_answers, training_rounds
from annotations.campaigns.resolution import tasks_by_model
from annotations.campaigns.results import (
    CampaignLabel,
    first_blind_labels,
    labels_by_task,
    latest_decisions,
    latest_labels,
    load_labels,
    repeated_labels,
    share_of_agreeing_pairs,
)
from annotations.campaigns.work_plan import calibration_tasks
from annotations.store.campaign_tables import Task
from annotations.store.response_tables import Exclusion, Reinstatement, Reservation, Response

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
    """Every figure of the overview of a campaign."""
    tasks = session.exec(select(Task.id).where(Task.campaign_id == campaign.id, Task.part == "work")).all()
    states, decisions = _count_states(session, campaign), latest_decisions(session, campaign)
    labels = load_labels(session, campaign)
    first, last = first_blind_labels(labels), latest_labels(labels)
    by_task, repeated = labels_by_task(last), repeated_labels(labels)
    first_of, repeated_of = defaultdict[str, list[CampaignLabel]](list), defaultdict[str, list[_Repeat]](list)
    for label in first:
        first_of[label.person].append(label)
    for pair in repeated:
        repeated_of[pair[0].person].append(pair)
    states_of = _count_states_by_person(session, campaign)
    members, needed = _members(session, campaign), dict.fromkeys(tasks, campaign.rules.overlap)
    needed |= load_wanted(session, campaign)
    if campaign.rules.calibration:
        everybody = max(campaign.rules.overlap, len(members))
        needed |= dict.fromkeys(session.exec(calibration_tasks(campaign)), everybody)
    paused = {id: state.reason for id, state in load_states(session, campaign.id).items() if state.paused}
    missing = sum(max(0, number - len(by_task.get(task, ()))) for task, number in needed.items())
    done = [task for task, labels in by_task.items() if len(labels) >= needed[task]]
    by_model = tasks_by_model(session, campaign)
    disputed = [
        task
        for task, labels in by_task.items()
        if len(labels) > 1 and share_of_agreeing_pairs(campaign, labels) < 1 and task not in by_model
    ]
    return CampaignProgress(
        tasks=len(tasks),
        required=sum(needed.values()),
        answered=len(last),
        in_progress=states["open"],
        complete=len(done),
        saving=OverlapSaving(
            len(done), sum(len(by_task[task]) for task in done), len(done) * campaign.rules.most_overlap
        )
        if adapts(campaign)
        else None,
        draw=load_draw_progress(session, campaign),
        disputed=sum(task not in decisions for task in disputed),
        adjudicated=len(decisions),
        flags=states["flagged"],
        revised=_share_revised(campaign, first, last),
        active_s=_median_seconds(first),
        finish_at=estimate_finish([label.created_at for label in first], missing, datetime.now(UTC)),
        people=tuple(
            _person_progress(
                session,
                campaign,
                member,
                _OwnLabels(states_of[member.id], first_of[member.name], repeated_of[member.name]),
                paused.get(member.id, ""),
            )
            for member in members
        ),
    )


def estimate_finish(labelled_at: Sequence[datetime], missing: int, now: datetime) -> datetime | None:
    """Estimate when so many missing labels will be there, at the pace of the last seven days, or of all days if fewer.

    A first day counts whole. None where nothing is missing, or nothing came in these days.
    """
    recent = [at for at in labelled_at if now - at <= _PACE_WINDOW]
    if not missing or not recent:
        return None
    spanned = min(_PACE_WINDOW, max(timedelta(days=1), now - min(labelled_at)))
    return now + spanned * (missing / len(recent))


def count_events(session: Session, campaign_id: str) -> int:
    """Number of responses of any kind in a campaign, and of exclusions and reinstatements: it grows with all that figures depend on."""
    left_out = select(func.count()).select_from(Exclusion).where(Exclusion.campaign_id == campaign_id)
    reinstated = (
        select(func.count())
        .select_from(Reinstatement)
        .join(Exclusion, col(Exclusion.id) == Reinstatement.exclusion_id)
        .where(Exclusion.campaign_id == campaign_id)
    )
    found = (
        select(func.count())
        .select_from(Response)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .where(Reservation.campaign_id == campaign_id)
    )
    return sum(session.exec(one).one() for one in (found, left_out, reinstated))


def _count_states(session: Session, campaign: CampaignSettings) -> Counter[str]:
    """Number of tasks of work in each state; expired reservations do not count."""
    rows = session.exec(
        select(Reservation.state, func.count())
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(Reservation.campaign_id == campaign.id, Task.part == "work")
        .where(or_(col(Reservation.state) != "open", col(Reservation.expires_at) > datetime.now(UTC)))
        .group_by(Reservation.state)
    )
    return Counter(dict(rows.all()))


def _members(session: Session, campaign: CampaignSettings) -> list[Member]:
    """The people with a task of a campaign, and those who are assigned to it, by name."""
    ids = set(session.exec(select(Reservation.person_id).where(Reservation.campaign_id == campaign.id).distinct()))
    ids |= {member.id for member in assigned_people(session, campaign.id)}
    return [member for member in load_people(session) if member.id in ids]


_Repeat = tuple[CampaignLabel, CampaignLabel]


@dataclass(frozen=True, slots=True)
class _OwnLabels:
    """Of one person: the number of reservations in each state and of those left out, the first labels, and the repeated ones."""

    states: Counter[str]
    first: Sequence[CampaignLabel]
    repeated: Sequence[_Repeat]


def _count_states_by_person(session: Session, campaign: CampaignSettings) -> defaultdict[str, Counter[str]]:
    """Number of reservations in each state, and under "excluded" of those that are left out, by the id of the person."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    rows = session.exec(
        select(Reservation.person_id, Reservation.state, Reservation.excluded, func.count())
        .where(Reservation.campaign_id == campaign.id)
        .group_by(Reservation.person_id, Reservation.state, col(Reservation.excluded))
    )
    for person, state, excluded, number in rows:
        counts[person][state] += number
        counts[person]["excluded"] += number if excluded else 0
    return counts


def _person_progress(
    session: Session, campaign: CampaignSettings, member: Member, own: _OwnLabels, paused: str
) -> PersonProgress:
    states, marked = own.states, mark_answers(session, campaign, member)
    return PersonProgress(
        name=member.name,
        stage=current_stage(session, campaign, member),
        answered=states["answered"],
        skipped=states["skipped"],
        flagged=states["flagged"],
        training=training_rounds(marked),
        qualification=_share_of(answer.is_correct for answer in marked if answer.part == "qualification"),
        gold=_share_of(answer.is_correct for answer in marked if answer.part == "gold"),
        consistency=_share_of(_is_same_answer(campaign, *pair) for pair in own.repeated),
        active_s=_median_seconds(own.first),
        last_at=max((label.created_at for label in own.first), default=None),
        excluded=states["excluded"],
        signals=tuple(load_signals(session, campaign, member.id)) if has_limits(campaign.rules) else (),
        paused=paused,
    )


def _median_seconds(labels: Sequence[CampaignLabel]) -> float | None:
    return median(label.active_ms / 1000 for label in labels) if labels else None


def _share_revised(campaign: CampaignSettings, first: Sequence[CampaignLabel], last: Sequence[CampaignLabel]) -> Share:
    now = {(label.task, label.person): label for label in last}
    pairs = [(label, now.get((label.task, label.person))) for label in first]
    return _share_of(not _is_same_answer(campaign, label, later) for label, later in pairs if later)


def _is_same_answer(campaign: CampaignSettings, first: CampaignLabel, second: CampaignLabel) -> bool:
    return campaign.questions.measured(first.answers) == campaign.questions.measured(second.answers)


def _share_of(hits: Iterable[bool]) -> Share:
    found = list(hits)
    return Share(sum(found), len(found))
