"""A campaign in long form: all that was asked, who said what of it and when, and what it came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlmodel import col, select

from annotations.campaigns.exported import known_of, setup_of, tasks_of, texts_of
from annotations.campaigns.exported_labels import corrections_of, decisions_of, labels_of, turns_of
from annotations.campaigns.longform import (
    COLUMNS,
)
from annotations.campaigns.people import Member, Right
from annotations.campaigns.questions import read_questions
from annotations.campaigns.setup import load_campaigns, terms
from annotations.campaigns.tables import (
    Version,
)
from annotations.database import read
from annotations.errors import RecordError
from annotations.export import Row, to_csv, to_jsonl
from annotations.store import Store

_ANSWER = "answer."


class Exporting:
    """The way out for a manager; raises RightsError for somebody who may not manage."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.MANAGE)
        self._store = store

    def jsonl(self, campaign_id: str) -> str:
        return "".join(to_jsonl(rows(self._store, campaign_id)))

    def table(self, campaign_id: str) -> str:
        return "".join(to_table(rows(self._store, campaign_id), question_ids(self._store, campaign_id)))


def campaign_id(store: Store, name: str) -> str:
    """The id of the campaign of a name. Raises RecordError where there is none."""
    with read(store.engine) as session:
        known = {campaign.name: campaign.id for campaign in load_campaigns(session)}
    if name not in known:
        raise RecordError(f"No campaign is called {name!r}. There are: {', '.join(sorted(known)) or 'none'}.")
    return known[name]


def rows(store: Store, campaign_id: str) -> Iterator[Row]:
    """All rows of a campaign in one state of the database: what it consists of, then what was said, oldest first.

    JSON-able; `longform` says what each kind holds. No row has a name of a person, nor an id that was made from one.
    """
    with read(store.engine) as session:
        known = known_of(session, terms(session, campaign_id))
        for lines in (setup_of, texts_of, tasks_of, turns_of, labels_of, decisions_of, corrections_of):
            yield from (line.model_dump(mode="json") for line in lines(session, known))


def to_table(rows: Iterable[Row], questions: Iterable[str]) -> Iterator[str]:
    """Lines of CSV, guarded as every export is; besides `answers` as JSON a column `answer.ID` for each question."""
    names = [*questions]
    flat = ({**row, **{_ANSWER + id: row.get("answers", {}).get(id) for id in names}} for row in rows)
    return to_csv(flat, (*COLUMNS, *(_ANSWER + id for id in names)))


def question_ids(store: Store, campaign_id: str) -> list[str]:
    """The questions of all versions of a campaign, in order."""
    with read(store.engine) as session:
        asked = session.exec(
            select(Version.questions).where(Version.campaign_id == campaign_id).order_by(col(Version.version))
        )
        return [*dict.fromkeys(question.id for text in asked for question in read_questions(text).questions)]
