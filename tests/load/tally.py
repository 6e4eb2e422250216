"""What a database kept of the labels that were acknowledged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import func
from sqlmodel import col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.store.campaign_tables import Task, WantedLabels
from annotations.store.database import read_session
from annotations.store.response_tables import Reservation, Response
from annotations.store.store import Store


@dataclass(frozen=True, slots=True)
class Tally:
    """How many labels were acknowledged and kept, and how many of what must never happen.

    `lost` were acknowledged and are not there; `doubled` are one task twice for one person in one turn, or one press twice;
    `beyond` are labels that count above the overlap of a task, or above the most that it ever wanted. `tasks` have a label, of
    which `further` wanted more than the overlap.
    """

    acknowledged: int
    kept: int
    lost: int
    doubled: int
    beyond: int
    tasks: int
    further: int

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.beyond)

    def lines(self) -> list[str]:
        return [f"{name:>18}  {value}" for name, value in asdict(self).items()]


def tally(store: Store, campaign: CampaignSettings, acknowledged: Collection[str]) -> Tally:
    """Look at every answer of a campaign."""
    with read_session(store.engine) as session:
        rows = session.exec(
            select(Response.event_id, Reservation, Task.part)
            .join(Reservation, col(Reservation.id) == Response.reservation_id)
            .join(Task, col(Task.id) == Reservation.task_id)
            .where(Reservation.campaign_id == campaign.id, Response.act == "answer")
        ).all()
        wants = select(WantedLabels.task_id, func.max(WantedLabels.labels)).join(
            Task, col(Task.id) == WantedLabels.task_id
        )
        wanted = dict(
            session.exec(wants.where(Task.campaign_id == campaign.id).group_by(col(WantedLabels.task_id))).all()
        )
    events = [event for event, _, _ in rows]
    turns = [(held.task_id, held.person_id, held.turn) for _, held, _ in rows]
    counted = Counter(
        held.task_id for _, held, part in rows if (held.state, held.turn, part) == ("answered", 1, "work")
    )
    return Tally(
        acknowledged=len(acknowledged),
        kept=len(rows),
        lost=len(set(acknowledged) - set(events)),
        doubled=_repeats(events) + _repeats(turns),
        beyond=sum(max(0, places - wanted.get(task, campaign.rules.overlap)) for task, places in counted.items()),
        tasks=len(counted),
        further=sum(labels > campaign.rules.overlap for labels in wanted.values()),
    )


def _repeats(values: Iterable[object]) -> int:
    return sum(times - 1 for times in Counter(values).values())
