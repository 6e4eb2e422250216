"""Curation: the error type that a written edit really has. The required one is kept too (BUMP, Ma et al. 2023, task 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign, stable_number
from annotations.campaigns.questions import EditSource, pair_from_answers
from annotations.people.people import Member, Right
from annotations.results.results import CampaignLabel, latest_labels, load_labels
from annotations.store.campaign_tables import Task
from annotations.store.database import read_session
from annotations.store.records import PairRecord, RecordError, require_storable
from annotations.store.response_tables import Correction, Reservation, Response
from annotations.store.store import Store
from annotations.store.tables import Document, ItemRow
from annotations.store.writes import example_from_rows, next_revision, pair_item_id
from core.types import ErrorType


@dataclass(frozen=True, slots=True)
class CurationTask:
    """A written edit with its texts; its writer is not named."""

    response: int
    """Id of the label with the edit."""
    pair: PairRecord
    """Summary before and after the edit, with its document and the writer's explanation."""
    required: str
    """Error type that was to be written."""
    corrected_type: ErrorType | None
    """Error type that a curator found last; None before the first correction."""
    note: str
    """Note of the last correction; "" for none."""
    revision: int
    """Number of corrections so far."""


class CuratorActions:
    """Actions of a curator; raises RightsError for a person who may not adjudicate."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.ADJUDICATE)
        self._store = store
        self._person = person

    def edits(self, campaign_id: str) -> dict[int, ErrorType | None]:
        """The corrected error type of each edit that others wrote, by its response; None before it is corrected.

        Uncorrected ones come first, in an order that does not reveal their writers.
        """
        with read_session(self._store.engine) as session:
            campaign = load_campaign(session, campaign_id)

            rows = session.exec(
                select(Correction)
                .join(Response, col(Response.id) == Correction.response_id)
                .join(Reservation, col(Reservation.id) == Response.reservation_id)
                .where(Reservation.campaign_id == campaign.id)
                .order_by(col(Correction.revision))
            )
            corrected = {row.response_id: ErrorType(row.error_type) for row in rows}

            written = [label.response for label in self._written_labels(session, campaign)]
        written.sort(key=lambda response: (response in corrected, stable_number(self._person.id, response)))
        return {response: corrected.get(response) for response in written}

    def task(self, campaign_id: str, response: int) -> CurationTask:
        """One edit with its texts. Raises RecordError for one that this person may not curate."""
        with read_session(self._store.engine) as session:
            label = self._find_label(session, load_campaign(session, campaign_id), response)
            pair = _written_pair(session, load_campaign(session, campaign_id), label)
            corrections = (
                select(Correction).where(Correction.response_id == response).order_by(col(Correction.revision).desc())
            )
            newest = session.exec(corrections.limit(1)).first()
            return CurationTask(
                response=response,
                pair=pair,
                required=_required_error_type(session, label),
                corrected_type=ErrorType(newest.error_type) if newest else None,
                note=newest.note if newest else "",
                revision=newest.revision if newest else 0,
            )

    def correct(self, campaign_id: str, response: int, error_type: ErrorType, event_id: str, note: str = "") -> int:
        """Save the error type of an edit as the next revision, the required one again or another; a re-sent event changes nothing."""
        require_storable("the note", note, event_id)
        with self._store.writing() as session:
            saved = session.exec(select(Correction).where(Correction.event_id == event_id)).first()
            if saved:
                return saved.revision
            campaign = load_campaign(session, campaign_id)
            pair = _written_pair(session, campaign, self._find_label(session, campaign, response))
            session.exec(select(Response.id).where(Response.id == response).with_for_update(key_share=True)).one()
            last = select(func.max(Correction.revision)).where(Correction.response_id == response)
            correction = Correction(
                response_id=response,
                item_id=pair_item_id(pair),
                revision=next_revision(session, last),
                error_type=error_type.value,
                note=note,
                by=self._person.name,
                event_id=event_id,
                created_at=datetime.now(UTC),
            )
            session.add(correction)
            return correction.revision

    def _written_labels(self, session: Session, campaign: CampaignSettings) -> Iterator[CampaignLabel]:
        """The labels of others that contain an edit."""
        edit_ids = [question.id for question in campaign.questions.questions if question.kind == "edit"]
        for label in latest_labels(load_labels(session, campaign)):
            if label.person != self._person.name and any(label.answers.get(id) for id in edit_ids):
                yield label

    def _find_label(self, session: Session, campaign: CampaignSettings, response: int) -> CampaignLabel:
        edit_label = next(
            (label for label in self._written_labels(session, campaign) if label.response == response), None
        )
        if edit_label is None:
            raise RecordError("This edit was undone or rewritten, or is your own. Reload the page.")
        return edit_label


def _written_pair(session: Session, campaign: CampaignSettings, label: CampaignLabel) -> PairRecord:
    """The edit of a label, without the name of its writer."""
    item = session.get_one(ItemRow, label.item)
    about = example_from_rows(item.id, session.get_one(Document, item.document_id), item.text)
    pair = pair_from_answers(campaign.questions, label.answers, about, EditSource("", "", ""))
    if pair is None:
        raise RecordError("There is no edit in this answer any more. Reload the page.")
    return pair


def _required_error_type(session: Session, label: CampaignLabel) -> str:
    required: str = session.get_one(Task, label.task).asked.get("error_type", "")
    return required
