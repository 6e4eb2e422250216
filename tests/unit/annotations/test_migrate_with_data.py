"""A database made by each earlier version, with rows in all of its tables, comes to this version whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, Table, text
from sqlmodel import col, select

from annotations.campaigns.assignment import CampaignPeople
from annotations.campaigns.campaign import NewTask
from annotations.campaigns.score_views import save_view
from annotations.exchange.api_writes import ApiWrites
from annotations.labelling.crowd import StudyTerms, join_study
from annotations.labelling.limits import pause_person
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.people.project_links import ProjectLinks
from annotations.people.sign_in import create_invite, revoke_invite, start_session
from annotations.results.progress_counts import count_changed
from annotations.store.campaign_tables import (
    CampaignDraw,
    DrawnTask,
    DrawStop,
    Suggestion,
    Task,
    TaskWithdrawal,
    WantedLabels,
)
from annotations.store.database import connect, parse_url
from annotations.store.dataset_import import DatasetSource
from annotations.store.migrate import MIGRATIONS_FOLDER, upgrade
from annotations.store.migration import migrate
from annotations.store.people_tables import Invite
from annotations.store.records import AuditRecord, NotSavedError, ThresholdRecord
from annotations.store.reports import PersonReports
from annotations.store.response_tables import (
    Adjudication,
    Comment,
    Correction,
    Exclusion,
    FlagResolution,
    Reinstatement,
    Reservation,
    Response,
)
from annotations.store.score_writes import save_code
from annotations.store.store import Store
from annotations.store.tables import CHANGEABLE, COUNTED
from annotations.store.tables import StoreTable as Model
from core.types import Example, Item
from tests.unit.annotations.campaigns.actors import make_campaign, save_items
from tests.unit.annotations.conftest import postgres_schema
from tests.unit.annotations.pair_samples import PAIR, record
from tests.unit.annotations.store.database_schema import schema

Rows = Mapping[str, list[dict[str, Any]]]
"""By table."""


def earlier_versions() -> list[str]:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER))
    config.set_main_option("path_separator", "os")
    return sorted(script.revision for script in ScriptDirectory.from_config(config).walk_revisions())[:-1]


VERSIONS = earlier_versions()


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """The rows of a database of this version in which everything was used."""
    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('full') / 'full.db'}")
    use_everything(store)
    with store.engine.connect() as connection:
        found = {table.name: rows_of(connection, table) for table in Model.metadata.sorted_tables}
    store.close()
    return found


def use_everything(store: Store) -> None:
    with store.writing() as session:
        save_code(session, ["rouge2|code:aaaaaaaaaaaa"], lambda _: {"numpy": "2.4.6"})
    store.save_pair(PAIR)
    store.save_label(record())
    store.save_draft("d", "local", "half done")
    store.append_run(store.begin_run("Sweep", "local", "{}"), ["one", "two"])
    store.save_audits([AuditRecord("rouge2", "rouge2|1", "harbour", "ab" * 32, "0.1.0", "{}", datetime.now(UTC))])
    store.save_threshold(ThresholdRecord("own", "rouge2", "{}", datetime.now(UTC)))
    file = DatasetSource("harbour", "pairs", "harbour.jsonl", "ab" * 32, "your own", "1.0", "local")
    store.import_dataset(file, [Item(Example("h1", "The harbour was closed.", "It was closed."))], dict)
    store.tag_version("harbour", "first", "local")
    opened = make_campaign(store, items=2, least_seconds=1)
    opened.add_tasks([NewTask(save_items(store, 9)[0], "gold", key={"verdict": "consistent"})])
    opened.label(opened.annotator("ben"), 1)
    cem = opened.person("cem")
    with store.writing() as session:
        start_session(session, create_invite(session, cem.id, "ada"))
        revoke_invite(session, session.exec(select(Invite.id)).first(), "ada")
    manager = ManagerActions(store, Member("0", "ada", Role.MANAGER))
    manager.change_person(replace(cem, name="Cem"), ["Harbour team"])
    manager.assign(opened.campaign.id, CampaignPeople(groups=("Harbour team",)))
    key = manager.set_study(opened.campaign.id, StudyTerms("mturk"))
    with store.writing() as session:
        join_study(session, key, {"workerId": "W", "hitId": "H", "assignmentId": "A"})
    manager.set_webhook(opened.campaign.id, "https://example.org/ended")
    token = manager.create_token("dashboard", opened.person("mia", Role.MANAGER).id, writes=True)
    ApiWrites(store, token, "once").add_people(b'{"people": [{"name": "noa"}]}')
    reports = PersonReports(store, cem.id)
    project = reports.create("Harbour")
    reports.pin(project, "{}", "Look.")
    ProjectLinks(store, cem.id).create(project, days=7)
    decide(store)
    count_changed(store, opened.campaign.id)


def decide(store: Store) -> None:
    """What an adjudicator and a curator say of the only label."""
    with store.writing() as session:
        labelled = select(Response.id, Task.id, Task.item_id, Task.campaign_id).join(
            Reservation, col(Reservation.id) == Response.reservation_id
        )
        response, task, item, campaign = session.exec(labelled.join(Task, col(Task.id) == Reservation.task_id)).one()
        now, answers = datetime.now(UTC), {"verdict": "consistent"}
        by = {"by": "dia", "note": "", "revision": 1, "created_at": now}
        settled = {
            "task_id": task,
            "answers": answers,
            "cause": "ambiguous text",
            "settles": [response],
            "event_id": "s",
        }
        corrected = {"response_id": response, "item_id": item, "error_type": "Coreference", "event_id": "c"}
        session.add(Adjudication.model_validate(settled | by))
        session.add(Correction.model_validate(corrected | by))
        said = {"campaign_id": campaign, "task_id": task, "role": "manager", "text": "Why?", "event_id": "t"}
        filled = {"task_id": task, "answers": answers, "source": "labels of harbour"}
        session.add(Suggestion.model_validate(filled | by))
        session.add(Comment.model_validate(said | by))
        person = session.exec(select(Reservation.person_id)).one()
        left_out = {"campaign_id": campaign, "person_id": person, "day": now.date(), "question": "", "event_id": "x"}
        session.add(Exclusion(**left_out, reason="Too fast.", by="ada", created_at=now))
        session.flush()
        exclusion = session.exec(select(Exclusion.id)).one()
        session.add(Reinstatement(exclusion_id=exclusion or 0, reason="All were right.", by="ada", created_at=now))
        drawing = {"way": "random", "dataset": "harbour", "metrics": [], "size": 2, "scores": "", "by": "ada"}
        session.add(CampaignDraw(campaign_id=campaign, **drawing, created_at=now))
        session.add(DrawnTask(task_id=task, place=0, weight=0.5, arrival=1.0))
        session.add(DrawStop(campaign_id=campaign, points=5, labels=1, low=0.1, high=0.2, created_at=now))
        session.add(WantedLabels(task_id=task, labels=3, probability=0.7, created_at=now))
        withdrawal = TaskWithdrawal(task_id=task, withdrawn=False, reason="It is whole.", by="ada", created_at=now)
        session.add(withdrawal)
        save_view(session, item, person)
        pause_person(session, campaign, person, "Too fast.", "ada")
        session.add(FlagResolution.model_validate({"response_id": response, "event_id": "f"} | by))


def rows_of(connection: Connection, table: Table, columns: list[str] | None = None) -> list[dict[str, Any]]:
    selected = [table.c[name] for name in columns or table.c.keys()]
    found = connection.execute(table.select().with_only_columns(*selected).order_by(*table.primary_key))
    return [dict(row._mapping) for row in found]


@dataclass(frozen=True)
class Upgraded:
    """A database of an earlier version that this version opened: rows of the columns that it had, before and afterwards."""

    store: Store
    before: Rows
    after: Rows


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((version, database), marks=[pytest.mark.slow] if version in VERSIONS[1:-1] else [])
        for version, database in product(VERSIONS, ("sqlite", "postgres"))
    ],
    ids="-".join,
)
def upgraded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, contents: Rows
) -> Iterator[Upgraded]:
    version, database = request.param
    folder = tmp_path_factory.mktemp("upgraded")
    with postgres_schema() if database == "postgres" else nullcontext(f"sqlite:///{folder / 'touchstone.db'}") as url:
        before = make_older(url, version, folder / "migrations", contents)
        migrate(url)
        store = Store.open(url)
        tables = Model.metadata.tables
        with store.engine.connect() as connection:
            after = {name: rows_of(connection, tables[name], [*rows[0]]) for name, rows in before.items()}
        yield Upgraded(store, before, after)
        store.close()


def make_older(url: str, version: str, folder: Path, contents: Rows) -> Rows:
    """Make a database as an earlier version did, with the columns that it had of all rows, which are given back."""
    newer = [file.name for file in (MIGRATIONS_FOLDER / "versions").glob("0*.py") if file.name[:4] > version]
    shutil.copytree(MIGRATIONS_FOLDER, folder, ignore=shutil.ignore_patterns(*newer))
    engine = connect(parse_url(url))
    upgrade(engine, folder)
    made = MetaData()
    made.reflect(engine)
    put = {
        table.name: [{name: row[name] for name in row if name in table.c} for row in contents[table.name]]
        for table in made.sorted_tables
        if table.name in contents and table.name not in COUNTED  # which triggers fill
    }
    with engine.begin() as connection:
        for name, rows in put.items():
            table = Model.metadata.tables[name]
            # without the defaults of today, which are of columns that there may not be yet
            bare = sa.table(name, *(sa.column(column.name, column.type) for column in table.c))
            connection.execute(bare.insert(), unnumbered(table, rows))
    engine.dispose()
    return put


def unnumbered(table: Table, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows as they came: originals before their edits, and numbers are given by the database."""
    number = table.autoincrement_column
    came = sorted(rows, key=lambda row: bool(row.get("parent_id")))
    return [{name: value for name, value in row.items() if number is None or name != number.name} for row in came]


def test_no_table_was_left_empty(contents: Rows) -> None:
    assert [name for name, rows in contents.items() if not rows] == []


def test_every_row_of_an_earlier_version_is_there_afterwards(upgraded: Upgraded) -> None:
    assert len(upgraded.after) >= 10
    assert upgraded.after == upgraded.before


def test_an_upgraded_database_has_the_schema_of_a_new_one(upgraded: Upgraded, tmp_path: Path) -> None:
    postgres = upgraded.store.engine.dialect.name == "postgresql"
    with postgres_schema() if postgres else nullcontext(f"sqlite:///{tmp_path / 'new.db'}") as url:
        new = Store.open(url)
        expected = schema(new.engine)
        new.close()
    assert schema(upgraded.store.engine) == expected


def test_what_an_earlier_version_kept_is_used_and_still_only_grows(upgraded: Upgraded) -> None:
    store = upgraded.store
    assert store.draft("d") == "half done"
    for name in sorted(set(upgraded.before) - CHANGEABLE):
        with pytest.raises(NotSavedError, match=f"{name} only grows"), store.writing() as session:
            session.connection().execute(text(f"DELETE FROM {name}"))


def test_a_label_is_added_and_grades_of_explanations_keep_the_wording_that_their_cause_was_chosen_by(
    upgraded: Upgraded,
) -> None:
    assert upgraded.store.save_label(record("event-2", annotator="eva")).is_new
    with upgraded.store.engine.connect() as connection:
        found = rows_of(connection, Model.metadata.tables["explanationjudgement"], ["wording"])
    old = [row.get("wording", 1) for row in upgraded.before["explanationjudgement"]]
    assert [row["wording"] for row in found] == [*old, 2]
