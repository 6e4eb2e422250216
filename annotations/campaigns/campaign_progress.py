"""How far a campaign is, and how each person does where the answers are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

from sqlmodel import Session, col, func, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.people import Member, load_people
from annotations.campaigns.qualification import Stage, current_stage, mark_answers
from annotations.campaigns.results import (
    CampaignLabel,
    first_blind_labels,
    labels_by_task,
    latest_decisions,
    latest_labels,
    repeated_labels,
    share_of_agreeing_pairs,
)
from annotations.campaigns.tables import Reservation, Response, Task


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; no value where there were none."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """One person in one campaign. `gold` are silent known answers, `again` answers that were the same a second time.

    `active_s` is the median of the seconds in which they read or typed, for one task of work; `last_at` is when they
    answered one last.
    """

    name: str
    stage: Stage
    answered: int
    skipped: int
    flagged: int
    qualification: Share
    gold: Share
    again: Share
    active_s: float | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """A campaign as a whole: `tasks` of work, each to be labelled `overlap` times; `answered` of `wanted` labels are there.

    `held` are in somebody's hands, `left` are still to be handed out; `active_s` is the median time for one label.

    `revised` are labels whose person said something else later, after the scores were shown or not.
    """

    tasks: int
    wanted: int
    answered: int
    held: int
    complete: int
    disputed: int
    settled: int
    flags: int
    revised: Share
    active_s: float | None
    people: tuple[PersonProgress, ...]

    @property
    def left(self) -> int:
        return max(0, self.wanted - self.answered - self.held)


def compute_progress(session: Session, campaign: CampaignSettings) -> CampaignProgress:
    """Everything that a manager looks at."""
    tasks = session.exec(select(Task.id).where(Task.campaign_id == campaign.id, Task.part == "work")).all()
    states, done = _count_states(session, campaign), latest_decisions(session, campaign)
    first, last = first_blind_labels(session, campaign), latest_labels(session, campaign)
    together, twice = labels_by_task(last), repeated_labels(session, campaign)
    disputed = [
        task for task, said in together.items() if len(said) > 1 and share_of_agreeing_pairs(campaign, said) < 1
    ]
    return CampaignProgress(
        tasks=len(tasks),
        wanted=len(tasks) * campaign.rules.overlap,
        answered=len(last),
        held=states["open"],
        complete=sum(len(said) >= campaign.rules.overlap for said in together.values()),
        disputed=sum(task not in done for task in disputed),
        settled=len(done),
        flags=states["flagged"],
        revised=_share_revised(campaign, first, last),
        active_s=_median_seconds(first),
        people=tuple(
            _person_progress(session, campaign, member, first, twice) for member in _members(session, campaign)
        ),
    )


def count_responses(session: Session, campaign_id: str) -> int:
    """How many responses of any kind a campaign has."""
    found = (
        select(func.count())
        .select_from(Response)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .where(Reservation.campaign_id == campaign_id)
    )
    return session.exec(found).one()


def _count_states(session: Session, campaign: CampaignSettings) -> Counter[str]:
    """How many tasks of work are in which state; what expired is in nobody's hands."""
    rows = session.exec(
        select(Reservation.state, Reservation.expires_at)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(Reservation.campaign_id == campaign.id, Task.part == "work")
    )
    now = datetime.now(UTC)
    return Counter(state for state, expires_at in rows if state != "open" or expires_at > now)


def _members(session: Session, campaign: CampaignSettings) -> list[Member]:
    """Who has had a task of a campaign, by name."""
    had = set(session.exec(select(Reservation.person_id).where(Reservation.campaign_id == campaign.id).distinct()))
    return [member for member in load_people(session) if member.id in had]


def _person_progress(
    session: Session,
    campaign: CampaignSettings,
    member: Member,
    first: Sequence[CampaignLabel],
    twice: Sequence[tuple[CampaignLabel, CampaignLabel]],
) -> PersonProgress:
    mine = select(Reservation.state).where(Reservation.campaign_id == campaign.id, Reservation.person_id == member.id)
    states, known = Counter(session.exec(mine)), mark_answers(session, campaign, member)
    mine_first = [said for said in first if said.person == member.name]
    return PersonProgress(
        name=member.name,
        stage=current_stage(session, campaign, member),
        answered=states["answered"],
        skipped=states["skipped"],
        flagged=states["flagged"],
        qualification=_share_of(one.right for one in known if one.part == "qualification"),
        gold=_share_of(one.right for one in known if one.part == "gold"),
        again=_share_of(_is_same_answer(campaign, *pair) for pair in twice if pair[0].person == member.name),
        active_s=_median_seconds(mine_first),
        last_at=max((said.created_at for said in mine_first), default=None),
    )


def _median_seconds(said: Sequence[CampaignLabel]) -> float | None:
    return median(one.active_ms / 1000 for one in said) if said else None


def _share_revised(campaign: CampaignSettings, first: Sequence[CampaignLabel], last: Sequence[CampaignLabel]) -> Share:
    now = {(said.task, said.person): said for said in last}
    places = [(said, now.get((said.task, said.person))) for said in first]
    return _share_of(not _is_same_answer(campaign, said, later) for said, later in places if later)


def _is_same_answer(campaign: CampaignSettings, one: CampaignLabel, other: CampaignLabel) -> bool:
    return campaign.questions.measured(one.answers) == campaign.questions.measured(other.answers)


def _share_of(hits: Iterable[bool]) -> Share:
    found = list(hits)
    return Share(sum(found), len(found))
