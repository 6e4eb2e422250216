"""A read-only link over HTTP, as a reader without an account opens it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from annotations.management.manage import local_member
from annotations.people.project_links import ProjectLinks
from annotations.people.sign_in import GuessDelay
from annotations.store.reports import PersonReports, ReportPart, Work
from annotations.store.store import Store
from pages.server import project_links, services
from pages.server.project_links import ProjectPages, project_path
from pages.server.routes import rules_at
from tests.unit.annotations.pair_samples import PAIR


class NoDelay(GuessDelay):
    def after_wrong(self, source: str) -> float:  # noqa: ARG002  # nobody waits in a test
        return 0.0


@pytest.fixture
def store(tmp_path: Path, migrated_database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    monkeypatch.setattr(services, "store", lambda: store)
    monkeypatch.setattr(project_links, "guess_delay", NoDelay)
    yield store
    store.close()


@pytest.fixture
def http() -> TestClient:
    async def page(_: Request) -> Response:
        return PlainTextResponse("a page")

    return TestClient(ProjectPages(Starlette(routes=[Route("/{path:path}", page)])))


def test_a_reader_sees_the_report_and_its_pairs_without_an_account(store: Store, http: TestClient) -> None:
    ada = local_member(store, "ada")
    reports = PersonReports(store, ada.id)
    saved = store.save_pair(PAIR).id
    project = reports.create("Harbour <b>", "Who sank it?", (Work("pair", saved),))
    row = reports.report(project)
    reports.revise(replace(row, parts=(ReportPart("## What we found"),)))
    reports.create("Secret plans")
    answer = http.get(project_path(ProjectLinks(store, ada.id).create(project, 7)))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    for words in ("Harbour &lt;b&gt;", "Who sank it?", "What we found", f"/probe?example={saved}", "Open on Probe"):
        assert words in answer.text
    assert "Secret plans" not in answer.text
    assert "<script" not in answer.text


def test_a_wrong_link_says_nothing_and_other_addresses_are_passed_on(store: Store, http: TestClient) -> None:  # noqa: ARG001  # the database of the link
    answer = http.get(project_path("guessed"))
    assert (answer.status_code, answer.text) == (
        403,
        "This link does not open a project any more. Ask its author for a new one.",
    )
    assert http.get("/probe").text == "a page"


def test_anyone_may_read_a_link_and_nothing_is_sent_to_it() -> None:
    [rule] = rules_at("/read/token")
    assert (rule.who, rule.methods, rule.most_bytes) == ("anyone", ("GET",), 0)
    assert rules_at("/read/token/more") == []
