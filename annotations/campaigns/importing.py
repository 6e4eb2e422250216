"""A campaign that was exported as JSONL, put into another database: the same tasks, labels and decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlmodel import Session, select

from annotations.campaigns.arriving import (
    Arrival,
    take_campaign,
    take_documents,
    take_explanations,
    take_items,
    take_origins,
    take_people,
    take_tasks,
    take_versions,
)
from annotations.campaigns.arriving_labels import take_corrections, take_decisions, take_labels, take_turns
from annotations.campaigns.longform import (
    CampaignLine,
    CorrectionLine,
    DecisionLine,
    DocumentLine,
    ExplanationLine,
    ItemLine,
    LabelLine,
    Line,
    OriginLine,
    PersonLine,
    TaskLine,
    TurnLine,
    VersionLine,
    read_lines,
)
from annotations.campaigns.setup import Terms, terms
from annotations.campaigns.tables import (
    Campaign,
)
from annotations.errors import RecordError
from annotations.records import require_text
from annotations.store import Store


def import_campaign(store: Store, lines: Iterable[str], name: str = "") -> Terms:
    """Add an exported campaign, under its own name or another: all of it or nothing.

    People who are not here are added under their pseudonyms. Raises RecordError for a file that is no export, and for a
    campaign, or labels, that are here already.
    """
    told: dict[type[Line], list[Any]] = defaultdict(list)
    for line in read_lines(lines):
        told[type(line)].append(line)
    if len(told[CampaignLine]) != 1 or not told[VersionLine]:
        raise RecordError("This is no export of one campaign. Export it as JSONL, and import that file.")
    with store.writing() as session:
        arrival = _begin(session, told[CampaignLine][0], name)
        for kind, take in _TAKEN.items():
            take(arrival, told[kind])
            session.flush()
        return terms(session, arrival.campaign_id)


def _begin(session: Session, line: CampaignLine, name: str) -> Arrival:
    called = name or line.campaign
    require_text("name of the campaign", called)
    if session.exec(select(Campaign.id).where(Campaign.name == called)).first():
        raise RecordError(f"There is a campaign called {called!r} already. Import it under another name.")
    return Arrival(session, uuid4().hex, line.campaign, called, datetime.now(UTC))


_TAKEN: Mapping[type[Line], Callable[[Arrival, list[Any]], None]] = {
    PersonLine: take_people,
    CampaignLine: take_campaign,
    VersionLine: take_versions,
    DocumentLine: take_documents,
    ItemLine: take_items,
    OriginLine: take_origins,
    ExplanationLine: take_explanations,
    TaskLine: take_tasks,
    TurnLine: take_turns,
    LabelLine: take_labels,
    DecisionLine: take_decisions,
    CorrectionLine: take_corrections,
}
"""What comes of each kind of row, in the order in which one needs the other."""
