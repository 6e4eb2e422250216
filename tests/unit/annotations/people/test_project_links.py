"""Read-only links to one project: valid for its days, for nothing else, and not once they are revoked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from annotations.management.manage import local_member
from annotations.people.project_links import ProjectLinks, WrongLinkError, read_project
from annotations.store.database import read_session
from annotations.store.people_tables import Person
from annotations.store.records import RecordError, RightsError
from annotations.store.report_tables import ProjectLink
from annotations.store.reports import PersonReports, Work
from annotations.store.store import Store
from tests.unit.annotations.pair_samples import PAIR

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path, migrated_database: Path) -> Iterator[Store]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    yield store
    store.close()


def test_a_link_shows_one_project_until_its_day_and_only_its_hash_is_stored(store: Store) -> None:
    ada = local_member(store, "ada")
    reports, links = PersonReports(store, ada.id), ProjectLinks(store, ada.id)
    saved = store.save_pair(PAIR).id
    project = reports.create("Harbour", "Who sank it?", (Work("pair", saved), Work("run", "run 1")))
    reports.create("Secret plans")
    token = links.create(project, 7, NOW)
    read = read_project(store, token, NOW + timedelta(days=6))
    assert (read.row.title, read.row.question, read.expires_at) == ("Harbour", "Who sank it?", NOW + timedelta(days=7))
    assert [pair.pair.edited for pair in read.pairs] == [PAIR.edited]
    with pytest.raises(WrongLinkError):
        read_project(store, token, NOW + timedelta(days=7))
    with pytest.raises(WrongLinkError):
        read_project(store, token[:-1], NOW)
    with read_session(store.engine) as session:
        [row] = session.exec(select(ProjectLink))
        assert token not in str(row.model_dump())


def test_a_link_ends_when_it_is_revoked_or_its_project_or_author_is_gone(store: Store) -> None:
    ada = local_member(store, "ada")
    reports, links = PersonReports(store, ada.id), ProjectLinks(store, ada.id)
    project = reports.create("Harbour")
    revoked, kept = links.create(project, 7, NOW), links.create(project, 9, NOW)
    links.revoke(next(iter(links.ends(project, NOW))))
    with pytest.raises(WrongLinkError):
        read_project(store, revoked, NOW)
    assert [*links.ends(project, NOW).values()] == [NOW + timedelta(days=9)]
    with store.writing() as session:
        session.get_one(Person, ada.id).active = False
    with pytest.raises(WrongLinkError):
        read_project(store, kept, NOW)
    with store.writing() as session:
        session.get_one(Person, ada.id).active = True
    reports.remove(project)
    with pytest.raises(WrongLinkError):
        read_project(store, kept, NOW)


def test_only_the_author_makes_lists_and_revokes_links_and_for_a_year_at_most(store: Store) -> None:
    ada, ben = local_member(store, "ada"), local_member(store, "ben")
    project = PersonReports(store, ada.id).create("Harbour")
    links = ProjectLinks(store, ada.id)
    links.create(project, 7, NOW)
    others = ProjectLinks(store, ben.id)
    with pytest.raises(RecordError):
        others.create(project, 7)
    with pytest.raises(RightsError):
        others.revoke(next(iter(links.ends(project, NOW))))
    for days in (0, 366):
        with pytest.raises(RecordError, match="1 to 365 days"):
            links.create(project, days)
