"""Write access with a token: campaigns, their state, items, people and assignments; each request once per idempotency key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlmodel import Session, select

from annotations.campaigns.assignment import CampaignPeople, assign
from annotations.campaigns.campaign import (
    CampaignRules,
    NewTask,
    TaskPart,
    VersionContent,
    add_tasks,
    create_campaign,
    load_campaign,
)
from annotations.campaigns.questions import bundled_question_sets
from annotations.exchange.api_reads import JsonRow, UnknownCampaignError, campaign_row
from annotations.management.campaign_versions import load_versions, require_passable, revise_campaign
from annotations.people.people import ListedPerson, Role, add_listed_people, find_person, load_pseudonyms
from annotations.people.tokens import use_token
from annotations.store.people_tables import ApiRequest
from annotations.store.records import PairRecord, RecordError, RightsError
from annotations.store.store import Store
from core.text import recover

_MOST_ITEMS = 1000
_MOST_KEY = 200  # characters
_SOURCE = "api"


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NewCampaignBody(_Body):
    """A new campaign. `questions` is the name of a question set that comes with Touchstone, or a set as YAML."""

    name: str
    questions: str
    guidelines: str = ""
    rules: CampaignRules = CampaignRules()


class NewItem(_Body):
    """A summary with its document, or an edited summary with its `original`. `key` are the known answers of other parts than work, `columns` your own ids and fields."""

    document: str
    summary: str
    original: str | None = None
    part: TaskPart = "work"
    key: dict[str, Any] = Field(default_factory=dict)
    feedback: str = ""
    asked: dict[str, str] = Field(default_factory=dict)
    columns: dict[str, str] = Field(default_factory=dict)


class NewItemsBody(_Body):
    """Items to label; existing ones are not added again."""

    items: list[NewItem] = Field(min_length=1, max_length=_MOST_ITEMS)


class CampaignStateBody(_Body):
    """State of a campaign: open, or closed for labels."""

    open: bool


class AssignedPeopleBody(_Body):
    """People, by name, and groups who label a campaign, in place of those before; none at all means everybody."""

    people: list[str] = Field(default_factory=list)
    groups: list[str] = Field(default_factory=list)


class NewPerson(_Body):
    """A person by name; their links are made under Campaigns, People."""

    name: str
    role: Literal["annotator", "adjudicator", "researcher"] = "annotator"
    groups: list[str] = Field(default_factory=list)


class NewPeopleBody(_Body):
    """People to add; those who are registered keep their role and join the groups."""

    people: list[NewPerson] = Field(min_length=1, max_length=_MOST_ITEMS)


AnyBody = TypeVar("AnyBody", bound=_Body)


class ReadOnlyTokenError(RightsError):
    """A token that does not write, or not this."""


class RepeatedKeyError(RecordError):
    """An idempotency key that another request has used."""


class ApiWrites:
    """Writes that a token allows, in the name of its owner; raises WrongTokenError, and ReadOnlyTokenError for one that only reads.

    `key` names a request: sent again it gives its first answer, and another one raises RepeatedKeyError. Methods raise RecordError
    for what cannot be kept, and UnknownCampaignError; then nothing is kept.
    """

    def __init__(self, store: Store, token: str, key: str = "") -> None:
        self._store, self._key = store, key
        self._access = use_token(store, token)
        if not self._access.writes:
            raise ReadOnlyTokenError("This token only reads. Ask a manager for one that writes.")
        if len(key) > _MOST_KEY or not (key.isascii() and key.isprintable()):
            raise RecordError(f"An idempotency key has at most {_MOST_KEY} printable ASCII characters.")

    def create_campaign(self, body: bytes) -> JsonRow:
        """Open a campaign without items."""

        def write(session: Session, request: NewCampaignBody) -> JsonRow:
            questions = bundled_question_sets().get(request.questions, request.questions)
            content = VersionContent(questions, request.guidelines, request.rules)
            return campaign_row(create_campaign(session, request.name, self._access.owner, content))

        return self._once("", body, NewCampaignBody, write)

    def change_campaign(self, campaign_id: str, body: bytes) -> JsonRow:
        """Open or close a campaign, by its next version."""

        def write(session: Session, request: CampaignStateBody) -> JsonRow:
            newest = load_versions(session, campaign_id)[0].content
            if newest.is_open == request.open:
                return campaign_row(load_campaign(session, campaign_id))
            content = VersionContent(newest.questions, newest.guidelines, newest.rules, request.open)
            return campaign_row(revise_campaign(session, campaign_id, self._access.owner, content))

        return self._once(campaign_id, body, CampaignStateBody, write)

    def add_items(self, campaign_id: str, body: bytes) -> JsonRow:
        """Add items to a campaign, all or none, and return how many are new."""

        def write(session: Session, request: NewItemsBody) -> JsonRow:
            campaign = load_campaign(session, campaign_id)
            if campaign.rules.order == "drawn" and any(item.part == "work" for item in request.items):
                raise RecordError("The items of this campaign were drawn from a pool. Draw another campaign for more.")
            tasks = []
            for item in request.items:
                original = item.summary if item.original is None else item.original
                edits = () if item.original is None else tuple(recover(original, item.summary))
                by = self._access.owner
                pair = PairRecord(item.document, original, item.summary, edits, by=by, intended=None, source=_SOURCE)
                tasks.append(
                    NewTask(
                        part=item.part,
                        asked=item.asked,
                        key=item.key,
                        feedback=item.feedback,
                        pair=pair,
                        columns=item.columns,
                    )
                )
            added = add_tasks(session, campaign, tasks)
            require_passable(session, campaign)
            return {"added": added, "sent": len(tasks)}

        return self._once(campaign_id, body, NewItemsBody, write)

    def assign_people(self, campaign_id: str, body: bytes) -> JsonRow:
        """Set who labels a campaign."""

        def write(session: Session, request: AssignedPeopleBody) -> JsonRow:
            people = {name: find_person(session, name) for name in request.people}
            if missing := [name for name, person in people.items() if person is None]:
                raise RecordError(f"Nobody is called {missing[0]!r}. Add the person first.")
            ids = tuple(person.id for person in people.values() if person)
            assign(session, campaign_id, CampaignPeople(ids, tuple(request.groups)), self._access.owner)
            return {"people": len(ids), "groups": len(request.groups)}

        return self._once(campaign_id, body, AssignedPeopleBody, write)

    def add_people(self, body: bytes) -> JsonRow:
        """Add people, and return the name and the pseudonym of each new one."""

        def write(session: Session, request: NewPeopleBody) -> JsonRow:
            listed = [
                ListedPerson(person.name.strip(), Role(person.role), tuple(person.groups)) for person in request.people
            ]
            new, pseudonyms = add_listed_people(session, listed), load_pseudonyms(session)
            return {"people": [{"name": person.name, "person": pseudonyms[person.name]} for person in new]}

        return self._once("", body, NewPeopleBody, write)

    def _once(
        self, campaign_id: str, body: bytes, kind: type[AnyBody], write: Callable[[Session, AnyBody], JsonRow]
    ) -> JsonRow:
        """Write in one transaction, together with the record of the request. `campaign_id` is "" for writes to the whole server."""
        if not campaign_id and self._access.campaigns:
            raise ReadOnlyTokenError("This token is for some campaigns. Ask a manager for one for all of them.")
        request = _read_body(kind, body)
        digest = hashlib.sha256(json.dumps([kind.__name__, campaign_id]).encode() + body).hexdigest()
        with self._store.writing() as session:
            if self._key:
                same = select(ApiRequest).where(
                    ApiRequest.token_id == self._access.token_id, ApiRequest.key == self._key
                )
                if earlier := session.exec(same).first():
                    if earlier.request_hash != digest:
                        raise RepeatedKeyError("Something else was sent under this idempotency key. Take a new one.")
                    return earlier.answer
            if campaign_id:
                self._require_campaign(session, campaign_id)
            answer = write(session, request)
            if self._key:
                note: Mapping[str, Any] = {"token_id": self._access.token_id, "key": self._key, "answer": answer}
                session.add(ApiRequest(request_hash=digest, created_at=datetime.now(UTC), **note))
        return answer

    def _require_campaign(self, session: Session, campaign_id: str) -> None:
        unknown = UnknownCampaignError("This token writes no campaign of this id. List the campaigns that it reads.")
        if not self._access.may_read(campaign_id):
            raise unknown
        try:
            load_campaign(session, campaign_id)
        except RecordError:
            raise unknown from None


def _read_body(kind: type[AnyBody], body: bytes) -> AnyBody:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, detail['loc'])) or 'the body'}: {detail['msg']}" for detail in error.errors()]
        more = f"; {len(problems) - 5} more" if len(problems) > 5 else ""
        raise RecordError(f"Nothing was written: {'; '.join(problems[:5])}{more}.") from None
