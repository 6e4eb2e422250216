"""What a manager does: campaigns, their tasks, people, invites, and a look at how it goes."""

from __future__ import annotations

from collections.abc import Iterable

from annotations.campaigns.agreeing import Agreement, agreements
from annotations.campaigns.candidates import Candidate, load_candidates
from annotations.campaigns.inviting import InviteRow, invite, load_invites, revoke
from annotations.campaigns.listing import Remark, TaskRow, load_remarks, load_tasks
from annotations.campaigns.people import Member, Right, Role, add_person, load_people
from annotations.campaigns.progress import Progress, count_responses, progress
from annotations.campaigns.revising import Revisions, revisions
from annotations.campaigns.setup import NewTask, Terms, Wording, add_tasks, create, load_campaigns, terms
from annotations.campaigns.versions import Issued, go_on, load_versions, require_passable
from annotations.database import read
from annotations.store import Store


class Managing:
    """A manager's desk; raises RightsError for somebody who may not manage. Every method raises as its namesake does."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.MANAGE)
        self._store = store
        self._person = person

    def campaigns(self) -> list[Terms]:
        with read(self._store.engine) as session:
            return load_campaigns(session)

    def create(self, name: str, wording: Wording, tasks: Iterable[NewTask] = ()) -> Terms:
        """A campaign with its tasks, or none of it."""
        with self._store.writing() as session:
            campaign = create(session, name, self._person.name, wording)
            add_tasks(session, campaign, tasks)
            require_passable(session, campaign)
            return campaign

    def revise(self, campaign_id: str, wording: Wording) -> Terms:
        with self._store.writing() as session:
            return go_on(session, campaign_id, self._person.name, wording)

    def versions(self, campaign_id: str) -> list[Issued]:
        with read(self._store.engine) as session:
            return load_versions(session, campaign_id)

    def candidates(self, dataset: str) -> list[Candidate]:
        with read(self._store.engine) as session:
            return load_candidates(session, dataset)

    def add(self, campaign_id: str, tasks: Iterable[NewTask]) -> int:
        with self._store.writing() as session:
            return add_tasks(session, terms(session, campaign_id), tasks)

    def tasks(self, campaign_id: str) -> list[TaskRow]:
        with read(self._store.engine) as session:
            return load_tasks(session, terms(session, campaign_id))

    def remarks(self, campaign_id: str) -> list[Remark]:
        with read(self._store.engine) as session:
            return load_remarks(session, terms(session, campaign_id))

    def progress(self, campaign_id: str) -> Progress:
        with read(self._store.engine) as session:
            return progress(session, terms(session, campaign_id))

    def labels_so_far(self, campaign_id: str) -> int:
        """A number that grows with every response, so that what follows from them need not be reckoned again."""
        with read(self._store.engine) as session:
            return count_responses(session, campaign_id)

    def agreements(self, campaign_id: str) -> list[Agreement]:
        with read(self._store.engine) as session:
            return agreements(session, terms(session, campaign_id))

    def revisions(self, campaign_id: str) -> Revisions:
        with read(self._store.engine) as session:
            return revisions(session, terms(session, campaign_id))

    def people(self) -> list[Member]:
        with read(self._store.engine) as session:
            return load_people(session)

    def add_person(self, name: str, role: Role) -> Member:
        with self._store.writing() as session:
            return add_person(session, name, role)

    def welcome(self, name: str, role: Role, days: int | None = None) -> tuple[Member, str]:
        """Somebody new with a code of their own, or neither."""
        with self._store.writing() as session:
            person = add_person(session, name, role)
            return person, invite(session, person.id, self._person.name, days)

    def invite(self, person_id: str, days: int | None = None) -> str:
        with self._store.writing() as session:
            return invite(session, person_id, self._person.name, days)

    def invites(self) -> list[InviteRow]:
        with read(self._store.engine) as session:
            return load_invites(session)

    def revoke(self, invite_id: str) -> None:
        with self._store.writing() as session:
            revoke(session, invite_id, self._person.name)
