"""The scores of an item, for whoever labelled it blind first, in a campaign that shows them afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, col, select

from annotations.campaigns.people import Member
from annotations.campaigns.setup import terms
from annotations.campaigns.tables import Reservation, Task
from annotations.database import read
from annotations.errors import RightsError
from annotations.store import Store
from annotations.tables import Item, ScoreRow


@dataclass(frozen=True, slots=True)
class Revealed:
    """What one metric says of the item, and of what it was made from."""

    metric: str
    original: float | None
    edited: float


def reveal(store: Store, person: Member, reservation: int) -> list[Revealed]:
    """The stored scores of a task that this person answered. Raises RightsError before that, and where none are shown."""
    with read(store.engine) as session:
        held = session.get(Reservation, reservation)
        if held is None or held.person_id != person.id or held.state != "answered":
            raise RightsError("Scores are shown after your own label, not before.")
        if not terms(session, held.campaign_id).rules.reveal:
            raise RightsError("This campaign does not show scores.")
        item = session.get_one(Item, session.get_one(Task, held.task_id).item_id)
        edited, original = _scores(session, item.id), _scores(session, item.parent_id or "")
    return [Revealed(metric, original.get(metric), value) for metric, value in edited.items()]


def _scores(session: Session, item_id: str) -> dict[str, float]:
    """The newest score of each metric."""
    rows = session.exec(select(ScoreRow).where(ScoreRow.item_id == item_id).order_by(col(ScoreRow.id)))
    return {row.metric: row.value for row in rows if row.value is not None}
