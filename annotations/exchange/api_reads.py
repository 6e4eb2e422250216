"""Read access with a token: pages of campaigns, items and labels, and progress, with pseudonyms as in exports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign
from annotations.exchange.campaign_export import (
    ExportContext,
    item_row,
    load_edits,
    load_export_context,
    numbered_tasks,
    task_rows,
)
from annotations.exchange.response_export import label_rows, response_of_event
from annotations.exchange.setup_rows import ExportedTask
from annotations.management.campaign_progress import CampaignProgress, compute_progress
from annotations.people.people import load_pseudonyms
from annotations.people.tokens import TokenAccess, use_token
from annotations.results.progress_counts import count_changed
from annotations.results.results import load_cases
from annotations.store.campaign_tables import Campaign, Task
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.response_tables import Reservation, Response
from annotations.store.store import Store
from annotations.store.tables import Document, Explanation, ItemRow

MOST_ROWS = 1000
_PROGRESS = TypeAdapter(CampaignProgress)
JsonRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PageOfRows:
    """JSON-able rows, and the cursor to go on after the last of them; none where nothing follows."""

    rows: list[JsonRow]
    next: str | None


class UnknownCampaignError(RecordError):
    """A campaign that is not there, or not for this token; the message does not say which."""


class ApiReads:
    """Data that a token may read; raises WrongTokenError for one that is not valid.

    `after` is the cursor of the page before, empty at the beginning: the `id` of a campaign, the `task` of an item, the
    `event_id` of a label. Methods raise RecordError for a cursor that is none, and UnknownCampaignError.
    """

    def __init__(self, store: Store, token: str) -> None:
        self._store = store
        self._access = use_token(store, token)

    def campaigns(self, after: str, limit: int) -> PageOfRows:
        """Campaigns in the order of their ids."""
        with read_session(self._store.engine) as session:
            ids = [id for id in _visible_campaigns(session, self._access) if id > after][: limit + 1]
            return _page((campaign_row(load_campaign(session, id)) for id in ids), "id", limit)

    def items(self, campaign_id: str, after: str, limit: int) -> PageOfRows:
        """Tasks of a campaign as the export has them, with their texts, edits and final answers."""
        if after and not (after.isascii() and after.isdecimal() and len(after) <= 9):
            raise RecordError("The cursor of items is the number of a task. Take `next` of the page before.")
        with read_session(self._store.engine) as session:
            campaign, start = self._campaign(session, campaign_id), int(after or 0)
            tasks = session.exec(
                _SELECT_TASKS, params={"campaign": campaign.id, "start": start, "most": limit + 1}
            ).all()
            context = load_export_context(session, campaign)
            rows = zip(task_rows(session, context, start, limit + 1), tasks, strict=True)
            return _page((_with_texts(session, context, row, task) for row, task in rows), "task", limit)

    def labels(self, campaign_id: str, after: str, limit: int) -> PageOfRows:
        """Every revision of every label as the export has it, in the order in which they were saved."""
        with read_session(self._store.engine) as session:
            campaign = self._campaign(session, campaign_id)
            response = response_of_event(session, campaign, after) if after else 0
            params = {"campaign": campaign.id, "response": response, "most": limit + 1}
            tasks = list(dict.fromkeys(session.exec(_SELECT_LABELLED_TASKS, params=params)))
            cases = {case.task: case.provenance.value for case in load_cases(session, campaign, tasks)}
            numbered = numbered_tasks(campaign)
            numbers = session.execute(select_columns(numbered).where(numbered.c.id.in_(tasks)))
            provenance = {number: cases.get(task) for task, number in numbers}
            context = load_export_context(session, campaign)
            rows = label_rows(session, context, provenance.get, tasks, response, limit + 1)
            return _page((row.model_dump(mode="json") for row in rows), "event_id", limit)

    def progress(self, campaign_id: str) -> JsonRow:
        """The figures of the overview, with people by their pseudonyms."""
        count_changed(self._store, campaign_id)
        with read_session(self._store.engine) as session:
            progress = compute_progress(session, self._campaign(session, campaign_id))
            pseudonyms = load_pseudonyms(session)
        people = tuple(replace(person, name=pseudonyms[person.name]) for person in progress.people)
        row: JsonRow = _PROGRESS.dump_python(replace(progress, people=people), mode="json")
        named = [{"person": person.pop("name"), **person} for person in row["people"]]
        return {**row, "remaining": progress.remaining, "people": named}

    def _campaign(self, session: Session, campaign_id: str) -> CampaignSettings:
        if campaign_id not in _visible_campaigns(session, self._access):
            raise UnknownCampaignError("This token reads no campaign of this id. List the campaigns that it reads.")
        return load_campaign(session, campaign_id)


_SELECT_TASKS = (
    select(Task.id)
    .where(Task.campaign_id == bindparam("campaign"))
    .order_by(col(Task.position), col(Task.id))
    .offset(bindparam("start"))
    .limit(bindparam("most"))
)
_SELECT_LABELLED_TASKS = (
    select(Reservation.task_id)
    .join(Response, col(Response.reservation_id) == Reservation.id)
    .where(Reservation.campaign_id == bindparam("campaign"), col(Response.id) > bindparam("response"))
    .order_by(col(Response.id))
    .limit(bindparam("most"))
)


def _visible_campaigns(session: Session, access: TokenAccess) -> list[str]:
    return [id for id in session.exec(select(Campaign.id).order_by(Campaign.id)) if access.may_read(id)]


def _page(rows: Iterable[JsonRow], cursor: str, limit: int) -> PageOfRows:
    """A page of up to `limit` rows; one row more tells that others follow. All rows are read, so that no cursor stays open."""
    all_rows = [*rows]
    shown = all_rows[:limit]
    return PageOfRows(shown, str(shown[-1][cursor]) if len(all_rows) > limit else None)


def campaign_row(campaign: CampaignSettings) -> JsonRow:
    """A campaign as JSON-able values."""
    return {
        "id": campaign.id,
        "name": campaign.name,
        "version": campaign.version,
        "open": campaign.is_open,
        "questions": campaign.questions.name,
        "unit": campaign.questions.unit,
        "measure": campaign.questions.measure,
        "overlap": campaign.rules.overlap,
        "deadline": campaign.rules.deadline.isoformat() if campaign.rules.deadline else None,
    }


def _with_texts(session: Session, context: ExportContext, row: ExportedTask, task_id: str) -> JsonRow:
    item = session.get_one(ItemRow, row.item_id)
    parent = session.get(ItemRow, item.parent_id) if item.parent_id else None
    explanation_id = session.get_one(Task, task_id).explanation_id
    explanation = session.get(Explanation, explanation_id) if explanation_id else None
    document = session.get_one(Document, item.document_id)
    exported = item_row(context, item, load_edits(session, [item.id])[item.id]).model_dump(
        mode="json", exclude={"kind", "item_id"}
    )
    return {
        **row.model_dump(mode="json"),
        **exported,
        "original": parent.text if parent else None,
        "document": document.text,
        "contexts": [{"name": name, "start": start, "end": end} for name, start, end in document.contexts],
        "question": document.question,
        "explanation": explanation.text if explanation else None,
    }
