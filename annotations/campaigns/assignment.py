"""Assignment of people and groups to campaigns; a campaign that nobody is assigned to is for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import and_, bindparam, delete, or_
from sqlmodel import Session, col, exists, select

from annotations.campaigns.campaign import SELECT_NEWEST_VERSION, CampaignSettings, load_campaign, read_campaign
from annotations.people.people import Member, Right, member_of
from annotations.store.campaign_tables import Assignment, Campaign, CrowdSession
from annotations.store.people_tables import GroupMember, Person
from annotations.store.records import RecordError, RightsError
from annotations.store.tables import UtcDateTime


@dataclass(frozen=True, slots=True)
class CampaignPeople:
    """Ids of people and names of groups that label a campaign; both empty: everybody does."""

    people: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


EVERYBODY = CampaignPeople()


def load_assignment(session: Session, campaign_id: str) -> CampaignPeople:
    """People and groups that are assigned to a campaign."""
    rows = session.exec(select(Assignment).where(Assignment.campaign_id == campaign_id).order_by(col(Assignment.id)))
    assignments = rows.all()
    return CampaignPeople(
        tuple(row.person_id for row in assignments if row.person_id),
        tuple(row.group for row in assignments if row.group),
    )


def assign(session: Session, campaign_id: str, assignees: CampaignPeople, by: str) -> None:
    """Assign these people and groups, and nobody else. Raises RecordError for a campaign, person or group that is not there."""
    load_campaign(session, campaign_id)
    known_people = set(session.exec(select(Person.id).where(col(Person.id).in_(assignees.people))))
    known_groups = set(session.exec(select(GroupMember.group).where(col(GroupMember.group).in_(assignees.groups))))
    if missing := [*({*assignees.people} - known_people), *({*assignees.groups} - known_groups)]:
        raise RecordError(f"There is no person or group {missing[0]!r} to assign. Reload the page.")
    session.execute(delete(Assignment).where(col(Assignment.campaign_id) == campaign_id))
    now = datetime.now(UTC)
    for person in dict.fromkeys(assignees.people):
        session.add(Assignment(campaign_id=campaign_id, person_id=person, by=by, created_at=now))
    for group in dict.fromkeys(assignees.groups):
        session.add(Assignment(campaign_id=campaign_id, group=group, by=by, created_at=now))
    session.flush()


def assigned_people(session: Session, campaign_id: str) -> list[Member]:
    """Active people who are assigned to a campaign, directly or through a group, sorted by name; empty if it is open to everybody."""
    in_group = select(GroupMember.person_id).where(
        col(GroupMember.group).in_(select(Assignment.group).where(Assignment.campaign_id == campaign_id))
    )
    alone = select(Assignment.person_id).where(
        Assignment.campaign_id == campaign_id, col(Assignment.person_id).is_not(None)
    )
    is_assigned = or_(col(Person.id).in_(in_group), col(Person.id).in_(alone))
    return [
        member_of(person)
        for person in session.exec(select(Person).where(is_assigned, col(Person.active)).order_by(col(Person.name)))
    ]


def campaign_ids_for(session: Session, person: Member, ids: Sequence[str]) -> set[str]:
    """The given campaigns that a person labels; a manager may label all of them."""
    if person.may(Right.MANAGE):
        return set(ids)
    params = {"person": person.id, "campaigns": list(ids), "now": datetime.now(UTC)}
    return set(session.exec(_SELECT_OWN_CAMPAIGNS, params=params))


def require_assigned(session: Session, campaign_id: str, person: Member) -> None:
    """Raise RightsError unless a person labels a campaign; the message does not say whether there is one."""
    if not campaign_ids_for(session, person, [campaign_id]):
        raise RightsError(_NOT_ASSIGNED)


def lock_queue(session: Session, campaign_id: str, person: Member) -> CampaignSettings:
    """Load a campaign of a person and lock the person's queue until the transaction ends, so that no other tab takes a task.

    Raises RightsError as `require_assigned` does.
    """
    params = {"campaign": campaign_id, "person": person.id, "now": datetime.now(UTC)}
    row = session.execute(_LOCK_QUEUE, params).first()
    if row is None or not (row.is_own or person.may(Right.MANAGE)):
        raise RightsError(_NOT_ASSIGNED)
    return read_campaign(row)


_NOT_ASSIGNED = "You are not assigned to this campaign. Ask its manager, or choose another one."

_IS_ASSIGNED = exists().where(col(Assignment.campaign_id) == col(Campaign.id))
# a participant of a crowd platform labels only the campaigns in which they have an open session
_CAME_FROM_CROWD = exists().where(col(CrowdSession.person_id) == bindparam("person")).correlate(None)
_HAS_SESSION = exists().where(
    col(CrowdSession.person_id) == bindparam("person"),
    col(CrowdSession.campaign_id) == col(Campaign.id),
    col(CrowdSession.outcome) == "open",
    col(CrowdSession.expires_at) > bindparam("now", type_=UtcDateTime),
)
_IS_ONE_OF_THE_TEAM = or_(
    ~_IS_ASSIGNED,
    _IS_ASSIGNED.where(
        or_(
            col(Assignment.person_id) == bindparam("person"),
            col(Assignment.group).in_(
                select(GroupMember.group).where(col(GroupMember.person_id) == bindparam("person"))
            ),
        )
    ),
)
_IS_OWN = or_(and_(~_CAME_FROM_CROWD, _IS_ONE_OF_THE_TEAM), _HAS_SESSION)
_SELECT_OWN_CAMPAIGNS = select(Campaign.id).where(col(Campaign.id).in_(bindparam("campaigns", expanding=True)), _IS_OWN)
_LOCK_QUEUE = (
    SELECT_NEWEST_VERSION.add_columns(_IS_OWN.label("is_own"))
    .join(Person, col(Person.id) == bindparam("person"))
    .where(col(Campaign.id) == bindparam("campaign"))
    .with_for_update(of=Person, key_share=True)
)
