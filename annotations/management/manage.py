"""Actions and views of a manager: campaigns and their versions, tasks, remarks, people and invites."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from sqlmodel import Session, select

from annotations.campaigns.active_order import order_by_disagreement, was_ordered_by_disagreement
from annotations.campaigns.assignment import EVERYBODY, CampaignPeople, assign, load_assignment
from annotations.campaigns.campaign import (
    CampaignSettings,
    NewTask,
    VersionContent,
    add_tasks,
    create_campaign,
    load_campaign,
    load_campaigns,
    set_mode,
)
from annotations.campaigns.exclusions import (
    ExclusionRow,
    WhatIsExcluded,
    count_left_out,
    exclude,
    labelled_tasks,
    load_exclusions,
    reinstate,
)
from annotations.campaigns.task_list import TaskRemark, TaskRow, load_column_names, load_remarks, load_tasks
from annotations.labelling.crowd import SessionRow, StudyTerms, load_sessions, load_study, return_session, set_study
from annotations.labelling.limits import PersonState, load_states, pause_person, resume_person
from annotations.management.campaign_progress import CampaignProgress, compute_progress, count_events
from annotations.management.campaign_templates import Qualification, with_skill
from annotations.management.campaign_versions import IssuedVersion, load_versions, require_passable, revise_campaign
from annotations.management.candidates import Candidate, load_candidates
from annotations.management.earlier_labels import add_earlier_labels
from annotations.management.mails import MAILTO, require_mail_target
from annotations.management.preannotation import (
    AnswerSource,
    count_suggestions,
    describe_modes,
    fill_in_answers,
    require_suggestions,
    scored_metrics,
)
from annotations.management.webhooks import (
    EventKind,
    WebhookState,
    load_webhook,
    remove_webhook,
    require_webhook_url,
    set_webhook,
)
from annotations.people.people import (
    ListedPerson,
    Member,
    Right,
    Role,
    add_listed_people,
    add_person,
    change_person,
    find_former_person,
    find_person,
    load_groups,
    load_people,
    set_groups,
)
from annotations.people.sign_in import InviteRow, create_invite, load_invites, revoke_invite
from annotations.people.tokens import TokenRow, create_token, load_tokens, revoke_token
from annotations.results.adaptive_overlap import ask_for_labels
from annotations.results.annotator_fit import AnnotatorCompetence, DoubtfulLabel, load_annotator_models
from annotations.results.calibration_round import CalibrationRound, load_calibration
from annotations.results.drawn import CampaignDrawing, create_drawn_campaign
from annotations.results.kept_edits import KeptEdits, count_kept_edits
from annotations.results.label_agreement import LabelAgreement, Revisions, compute_agreements, count_revisions
from annotations.results.person_work import PersonWork, load_people_work
from annotations.results.progress_counts import count_changed
from annotations.results.resolution import ResolvedTask, resolve_tasks
from annotations.results.results import CampaignLabel, load_labels
from annotations.store.campaign_tables import Campaign
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.store import Store
from annotations.store.usage import PersonUsage, load_usage


def local_member(store: Store, name: str) -> Member:
    """The one person of a local server, who may do everything; added on the first visit."""
    with read_session(store.engine) as session:
        member = find_person(session, name) or find_former_person(session, name)
    if member:
        return Member(member.id, member.name, Role.MANAGER)
    with store.writing() as session:
        return find_person(session, name) or add_person(session, name, Role.MANAGER)


class ManagerActions:
    """Actions of a manager; raises RightsError for a person without that right. Methods raise like functions of their name."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.MANAGE)
        self._store = store
        self._person = person

    def campaigns(self) -> list[CampaignSettings]:
        with read_session(self._store.engine) as session:
            return load_campaigns(session)

    def begun_at(self) -> dict[str, datetime]:
        """The time at which each campaign was made, by its id."""
        with read_session(self._store.engine) as session:
            return dict(session.exec(select(Campaign.id, Campaign.created_at)).all())

    def create(
        self,
        name: str,
        content: VersionContent,
        tasks: Iterable[NewTask] = (),
        people: CampaignPeople = EVERYBODY,
        earlier: Collection[str] = (),
    ) -> CampaignSettings:
        """A campaign with its tasks for some people, and the labels that those named in `earlier` gave elsewhere, or none of it."""
        with self._store.writing() as session:
            return self._create(session, name, content, list(tasks), people, earlier)

    def create_qualified(
        self,
        name: str,
        content: VersionContent,
        tasks: Sequence[NewTask],
        people: CampaignPeople,
        qualification: Qualification,
        earlier: Collection[str] = (),
    ) -> CampaignSettings:
        """A campaign as by `create` whose items are for those who pass another one, and that one, for the same people; or none of both."""
        with self._store.writing() as session:
            campaign = self._create(session, name, content, with_skill(tasks, qualification.group), people, earlier)
            # the newer one is the first that people see
            self._create(session, qualification.name, qualification.content, qualification.tasks, people)
            return campaign

    def _create(
        self,
        session: Session,
        name: str,
        content: VersionContent,
        tasks: Sequence[NewTask],
        people: CampaignPeople,
        earlier: Collection[str] = (),
    ) -> CampaignSettings:
        campaign = create_campaign(session, name, self._person.name, content)
        assign(session, campaign.id, people, self._person.name)
        add_tasks(session, campaign, tasks)
        add_earlier_labels(session, campaign, tasks, earlier)
        require_passable(session, campaign)
        require_suggestions(session, campaign)
        return campaign

    def draw(self, drawing: CampaignDrawing) -> CampaignSettings:
        with self._store.writing() as session:
            return create_drawn_campaign(session, drawing, self._person.name)

    def revise(self, campaign_id: str, content: VersionContent) -> CampaignSettings:
        with self._store.writing() as session:
            campaign = revise_campaign(session, campaign_id, self._person.name, content)
        count_changed(self._store, campaign_id)
        return campaign

    def versions(self, campaign_id: str) -> list[IssuedVersion]:
        with read_session(self._store.engine) as session:
            return load_versions(session, campaign_id)

    def candidates(self, dataset: str) -> list[Candidate]:
        with read_session(self._store.engine) as session:
            return load_candidates(session, dataset)

    def add(self, campaign_id: str, tasks: Iterable[NewTask]) -> int:
        """Add items. Raises RecordError for work in a campaign whose items were drawn."""
        with self._store.writing() as session:
            campaign, added = load_campaign(session, campaign_id), list(tasks)
            if campaign.rules.order == "drawn" and any(task.part == "work" for task in added):
                raise RecordError("The items of this campaign were drawn from a pool. Draw another campaign for more.")
            return add_tasks(session, campaign, added)

    def order_by_disagreement(
        self, unit: str, tasks: Sequence[NewTask], directions: Mapping[str, str]
    ) -> tuple[list[NewTask], int]:
        with read_session(self._store.engine) as session:
            return order_by_disagreement(session, unit, tasks, directions)

    def was_ordered_by_disagreement(self, campaign_id: str) -> bool:
        with read_session(self._store.engine) as session:
            return was_ordered_by_disagreement(session, load_campaign(session, campaign_id))

    def fill_in_answers(self, campaign_id: str, source: AnswerSource) -> int:
        """Fill in answers and let annotators see them from now on, both or neither."""
        with self._store.writing() as session:
            campaign = load_campaign(session, campaign_id)
            number = fill_in_answers(session, campaign, source, self._person.name)
            set_mode(session, campaign_id, "pre-annotated", self._person.name)
            return number

    def withdraw_answers(self, campaign_id: str) -> None:
        """Show no filled-in answers from the next version on; they are kept, and labels keep the mode they were given with."""
        with self._store.writing() as session:
            set_mode(session, campaign_id, "unaided", self._person.name)

    def show_answers(self, campaign_id: str) -> None:
        """Show the answers that were filled in again. Raises RecordError where there are none."""
        with self._store.writing() as session:
            require_suggestions(session, set_mode(session, campaign_id, "pre-annotated", self._person.name))

    def scored_metrics(self, campaign_id: str) -> dict[str, int]:
        with read_session(self._store.engine) as session:
            return scored_metrics(session, load_campaign(session, campaign_id))

    def count_suggestions(self, campaign_id: str) -> int:
        with read_session(self._store.engine) as session:
            return count_suggestions(session, load_campaign(session, campaign_id))

    def describe_modes(self, campaign_id: str) -> str:
        with read_session(self._store.engine) as session:
            return describe_modes(session, load_campaign(session, campaign_id))

    def tasks(self, campaign_id: str) -> list[TaskRow]:
        with read_session(self._store.engine) as session:
            return load_tasks(session, load_campaign(session, campaign_id))

    def column_names(self, campaign_id: str) -> list[str]:
        with read_session(self._store.engine) as session:
            return load_column_names(session, campaign_id)

    def remarks(self, campaign_id: str) -> list[TaskRemark]:
        with read_session(self._store.engine) as session:
            return load_remarks(session, load_campaign(session, campaign_id))

    def resolved_tasks(self, campaign_id: str) -> list[ResolvedTask]:
        with read_session(self._store.engine) as session:
            return resolve_tasks(session, load_campaign(session, campaign_id))

    def labels(self, campaign_id: str, tasks: Sequence[str] | None = None) -> list[CampaignLabel]:
        with read_session(self._store.engine) as session:
            return load_labels(session, load_campaign(session, campaign_id), tasks)

    def people_work(self, campaign_id: str) -> dict[str, PersonWork]:
        with read_session(self._store.engine) as session:
            return load_people_work(session, load_campaign(session, campaign_id))

    def progress(self, campaign_id: str) -> CampaignProgress:
        count_changed(self._store, campaign_id)
        with read_session(self._store.engine) as session:
            return compute_progress(session, load_campaign(session, campaign_id))

    def states(self, campaign_id: str) -> dict[str, PersonState]:
        with read_session(self._store.engine) as session:
            return load_states(session, campaign_id)

    def pause(self, campaign_id: str, person_id: str, reason: str) -> None:
        with self._store.writing() as session:
            pause_person(session, campaign_id, person_id, reason, self._person.name)

    def resume(self, campaign_id: str, person_id: str, reason: str = "") -> None:
        with self._store.writing() as session:
            resume_person(session, campaign_id, person_id, reason, self._person.name)

    def exclusions(self, campaign_id: str) -> list[ExclusionRow]:
        with read_session(self._store.engine) as session:
            return load_exclusions(session, load_campaign(session, campaign_id))

    def count_left_out(self, campaign_id: str) -> int:
        with read_session(self._store.engine) as session:
            return count_left_out(session, load_campaign(session, campaign_id))

    def exclude(self, campaign_id: str, what: WhatIsExcluded, reason: str) -> int:
        with self._store.writing() as session:
            campaign = load_campaign(session, campaign_id)
            number = exclude(session, campaign, what, reason, self._person.name)
            ask_for_labels(session, campaign, labelled_tasks(session, campaign_id, what.person_id), datetime.now(UTC))
        count_changed(self._store, campaign_id)
        return number

    def reinstate(self, campaign_id: str, exclusion_id: int, reason: str) -> None:
        with self._store.writing() as session:
            reinstate(session, load_campaign(session, campaign_id), exclusion_id, reason, self._person.name)
        count_changed(self._store, campaign_id)

    def calibration(self, campaign_id: str) -> CalibrationRound:
        with read_session(self._store.engine) as session:
            return load_calibration(session, load_campaign(session, campaign_id))

    def count_events(self, campaign_id: str) -> int:
        """A number that grows with every response and exclusion, so that figures computed from them can be cached."""
        count_changed(self._store, campaign_id)
        with read_session(self._store.engine) as session:
            return count_events(session, campaign_id)

    def agreements(self, campaign_id: str) -> list[LabelAgreement]:
        with read_session(self._store.engine) as session:
            return compute_agreements(session, load_campaign(session, campaign_id))

    def annotator_models(self, campaign_id: str) -> tuple[list[AnnotatorCompetence], list[DoubtfulLabel]]:
        with read_session(self._store.engine) as session:
            return load_annotator_models(session, load_campaign(session, campaign_id))

    def revisions(self, campaign_id: str) -> Revisions:
        with read_session(self._store.engine) as session:
            return count_revisions(session, load_campaign(session, campaign_id))

    def kept_edits(self, campaign_id: str) -> list[KeptEdits]:
        with read_session(self._store.engine) as session:
            return count_kept_edits(session, load_campaign(session, campaign_id))

    def people(self) -> list[Member]:
        with read_session(self._store.engine) as session:
            return load_people(session)

    def groups(self) -> dict[str, tuple[str, ...]]:
        with read_session(self._store.engine) as session:
            return load_groups(session)

    def change_person(self, changed: Member, groups: Sequence[str]) -> Member:
        """Save the name, role and groups of a person, all or none."""
        with self._store.writing() as session:
            set_groups(session, changed.id, groups)
            return change_person(session, changed, self._person.name)

    def import_people(self, listed: Sequence[ListedPerson], days: int | None = None) -> list[tuple[Member, str]]:
        """Add the new people of a list, with a code for each: all or none."""
        with self._store.writing() as session:
            new = add_listed_people(session, listed)
            return [(person, create_invite(session, person.id, self._person.name, days)) for person in new]

    def assignment(self, campaign_id: str) -> CampaignPeople:
        with read_session(self._store.engine) as session:
            return load_assignment(session, campaign_id)

    def assign(self, campaign_id: str, assignees: CampaignPeople) -> None:
        with self._store.writing() as session:
            assign(session, campaign_id, assignees, self._person.name)

    def add_person(self, name: str, role: Role) -> Member:
        with self._store.writing() as session:
            return add_person(session, name, role)

    def add_and_invite(self, name: str, role: Role, days: int | None = None) -> tuple[Member, str]:
        """Add a person and create their invite, both or neither."""
        with self._store.writing() as session:
            person = add_person(session, name, role)
            return person, create_invite(session, person.id, self._person.name, days)

    def invite(self, person_id: str, days: int | None = None) -> str:
        with self._store.writing() as session:
            return create_invite(session, person_id, self._person.name, days)

    def invites(self) -> list[InviteRow]:
        with read_session(self._store.engine) as session:
            return load_invites(session)

    def revoke(self, invite_id: str) -> None:
        with self._store.writing() as session:
            revoke_invite(session, invite_id, self._person.name)

    def tokens(self) -> list[TokenRow]:
        with read_session(self._store.engine) as session:
            return load_tokens(session)

    def create_token(
        self, name: str, owner_id: str = "", campaigns: Sequence[str] = (), *, writes: bool = False
    ) -> str:
        """A token of a manager, or of the person who makes it."""
        with self._store.writing() as session:
            owner = owner_id or self._person.id
            return create_token(session, name, owner, self._person.name, campaigns, writes=writes)

    def revoke_token(self, token_id: str) -> None:
        with self._store.writing() as session:
            revoke_token(session, token_id, self._person.name)

    def usage(self) -> Mapping[str, PersonUsage]:
        """Use of this server by the name of the person."""
        with read_session(self._store.engine) as session:
            return load_usage(session)

    def study(self, campaign_id: str) -> tuple[str, StudyTerms] | None:
        with read_session(self._store.engine) as session:
            return load_study(session, campaign_id)

    def set_study(self, campaign_id: str, terms: StudyTerms) -> str:
        with self._store.writing() as session:
            return set_study(session, campaign_id, terms, self._person.name)

    def sessions(self, campaign_id: str) -> list[SessionRow]:
        with read_session(self._store.engine) as session:
            return load_sessions(session, load_campaign(session, campaign_id))

    def return_session(self, campaign_id: str, participant: str) -> None:
        with self._store.writing() as session:
            return_session(session, campaign_id, participant)

    def webhook(self, campaign_id: str) -> WebhookState | None:
        with read_session(self._store.engine) as session:
            return load_webhook(session, campaign_id)

    def set_webhook(self, campaign_id: str, url: str, kinds: Sequence[EventKind] = ()) -> str:
        if url.startswith(MAILTO):
            require_mail_target(url, kinds)
        else:
            require_webhook_url(url)
        with self._store.writing() as session:
            return set_webhook(session, campaign_id, url, self._person.name, kinds)

    def remove_webhook(self, campaign_id: str) -> None:
        with self._store.writing() as session:
            remove_webhook(session, campaign_id)
