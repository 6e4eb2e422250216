"""The API over HTTP: pages of campaigns, items and labels, progress, and what it says when it cannot answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from sqlalchemy import event
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.records import UnavailableError
from annotations.store.store import Store
from core.settings import Settings
from pages.server import services
from pages.server.api import Api
from pages.server.protection import HEADERS, Protection
from pages.server.sign_in import SignInMiddleware
from tests.unit.annotations.campaigns.actors import CampaignFixture, campaign_rows, make_campaign


@dataclass(frozen=True)
class Site:
    """A shared server with a campaign in which ben and cem labelled; `boss` has a token."""

    store: Store
    opened: CampaignFixture
    boss: Member
    manager: ManagerActions
    token: str
    http: TestClient

    def get(self, path: str, token: str = "", **params: Any) -> Any:
        headers = {"Authorization": f"Bearer {token or self.token}"}
        return self.http.get(f"/api/v1/{path}", headers=headers, params=params)

    def rows(self, path: str, name: str, **params: Any) -> list[dict[str, Any]]:
        """All rows, page by page."""
        found: list[dict[str, Any]] = []
        after: str | None = ""
        while after is not None:
            page = self.get(path, after=after, **params).json()
            assert len(page[name]) <= params.get("limit", 100)
            found += page[name]
            after = page["next"]
        return found

    @property
    def path(self) -> str:
        return f"campaigns/{self.opened.campaign.id}"


@pytest.fixture
def site(tmp_path: Path, migrated_database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    monkeypatch.setattr(services, "store", lambda: store)
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=True))
    opened = make_campaign(store, "label-pairs", items=5, overlap=2)
    opened.label(opened.annotator("ben"), 3)
    opened.label(opened.annotator("cem"), 2)
    boss = opened.person("boss", Role.MANAGER)
    manager = ManagerActions(store, boss)
    token = manager.create_token("dashboard")
    yield Site(store, opened, boss, manager, token, client())
    store.close()


def client() -> TestClient:
    def page(request: Request) -> Response:
        return PlainTextResponse(f"page {request.url.path}")

    return TestClient(Protection(Api(SignInMiddleware(Starlette(routes=[Route("/{path:path}", page)])))))


def test_labels_and_items_are_the_rows_of_the_export_page_by_page(site: Site) -> None:
    exported = [*campaign_rows(site.store, site.opened.campaign.id)]
    labels = [row for row in exported if row["kind"] == "label"]
    for limit in (1, 2, 5, 1000):
        assert site.rows(f"{site.path}/labels", "labels", limit=limit) == labels
    assert len(labels) == 5
    items = site.rows(f"{site.path}/items", "items", limit=2)
    tasks = [row for row in exported if row["kind"] == "task"]
    assert [{name: item[name] for name in task} for item, task in zip(items, tasks, strict=True)] == tasks
    texts = {row["item_id"]: row for row in exported if row["kind"] == "item"}
    for item in items:
        own = texts[item["item_id"]]
        assert (item["summary"], item["edits"]) == (own["summary"], own["edits"])
        assert item["original"] == texts[own["parent_id"]]["summary"]
        assert item["document"].endswith("crates to the mill.")
        assert (item["contexts"], item["question"]) == ([], "")


def test_a_label_that_comes_later_follows_the_last_one(site: Site) -> None:
    last = site.rows(f"{site.path}/labels", "labels")[-1]["event_id"]
    assert site.get(f"{site.path}/labels", after=last).json() == {"labels": [], "next": None}
    site.opened.label(site.opened.annotator("dia"), 1)
    [new] = site.get(f"{site.path}/labels", after=last).json()["labels"]
    assert new["event_id"] != last


def test_progress_has_figures_and_pseudonyms(site: Site) -> None:
    found = site.get(f"{site.path}/progress").json()
    assert (found["tasks"], found["required"], found["answered"], found["remaining"]) == (5, 10, 5, 5)
    exported = {row["person"] for row in campaign_rows(site.store, site.opened.campaign.id) if row["kind"] == "person"}
    assert {one["person"] for one in found["people"]} == exported
    assert [one["stage"] for one in found["people"]] == ["work", "work"]


@pytest.mark.parametrize("what", ["items", "labels", "progress"])
def test_no_answer_names_a_person(site: Site, what: str) -> None:
    body = site.get(f"{site.path}/{what}").text
    assert "p-" in body or what == "items"
    assert not [name for name in ("ben", "cem", "boss", '"ada"') if name in body]


def test_campaigns_are_those_of_the_token(site: Site) -> None:
    other = second_campaign(site, "Ships")
    some = site.manager.create_token("ships only", campaigns=[other])
    assert sorted(row["name"] for row in site.rows("campaigns", "campaigns", limit=1)) == ["Boats", "Ships"]
    [row] = site.get("campaigns", some).json()["campaigns"]
    assert (row["id"], row["name"], row["open"], row["unit"]) == (other, "Ships", True, "pair")
    assert site.get(f"campaigns/{other}/labels", some).status_code == 200
    refused, absent = site.get(f"{site.path}/labels", some), site.get("campaigns/none/labels", some)
    assert refused.status_code == 404
    assert refused.json() == absent.json()


def second_campaign(site: Site, name: str) -> str:
    """A second campaign like the first; its id."""
    [content] = [one.content for one in site.manager.versions(site.opened.campaign.id)]
    return site.manager.create(name, content).id


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        *(({"limit": limit}, "from 1 to 1000") for limit in ("0", "1001", "-1", "x", "", "１", "1_0", "9" * 30)),
        *(({"after": after}, "No label") for after in ("nobody's", "\0", "' OR 1=1 --", "x" * 10_000)),
    ],
)
def test_a_wrong_query_is_explained(site: Site, query: dict[str, str], sentence: str) -> None:
    answer = site.get(f"{site.path}/labels", **query)
    assert answer.status_code == 400
    assert sentence in answer.json()["problem"]


def test_every_answer_is_json_that_no_browser_keeps_or_frames(site: Site) -> None:
    for path, status in {f"{site.path}/labels": 200, "nothing": 404, "campaigns/../../media/x": 404}.items():
        answer = site.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers
        for name, value in HEADERS.items():
            assert answer.headers.get_list(name) == [value]
    assert site.http.get("/apiary").text == "page /apiary"


def test_it_lies_below_the_base_path(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "get_option", lambda _: "bench/")
    headers = {"Authorization": f"Bearer {site.token}"}
    assert site.http.get("/bench/api/v1/campaigns", headers=headers).status_code == 200
    assert site.http.get("/api/v1/campaigns", headers=headers).text == "page /api/v1/campaigns"


def test_a_local_server_has_none(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "settings", lambda: Settings(shared=False))
    answer = site.get("campaigns")
    assert answer.status_code == 404
    assert "TOUCHSTONE_SHARED=1" in answer.json()["problem"]


def test_a_database_that_is_away_is_tried_again_later(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.get("campaigns")
    listener = _close_the_connection
    event.listen(site.store.engine, "before_cursor_execute", listener)
    answer = site.get("campaigns")
    event.remove(site.store.engine, "before_cursor_execute", listener)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "could not be read" in answer.json()["problem"]
    assert site.get("campaigns").status_code == 200

    def unopened() -> Store:
        raise UnavailableError("The database cannot be opened.")

    monkeypatch.setattr(services, "store", unopened)
    assert site.get("campaigns").status_code == 503


def _close_the_connection(*given: Any) -> None:
    given[0].connection.dbapi_connection.execute("ATTACH '/' AS gone")


def test_its_use_is_noted_to_the_minute(site: Site) -> None:
    assert site.manager.tokens()[0].used_at is None
    site.get("campaigns")
    [first] = site.manager.tokens()
    site.get("campaigns")
    [second] = site.manager.tokens()
    assert first.used_at == second.used_at
    assert first.used_at
    assert first.used_at - first.created_at < timedelta(minutes=5)


@pytest.mark.slow
def test_a_token_ends_with_the_role_of_its_owner_and_comes_back_with_it(site: Site) -> None:
    site.opened.person("second", Role.MANAGER)
    for changed in (replace(site.boss, role=Role.RESEARCHER), replace(site.boss, active=False)):
        site.manager.change_person(changed, ())
        assert site.get("campaigns").status_code == 401
        assert [row.valid for row in site.manager.tokens()] == [False]
    site.manager.change_person(site.boss, ())
    assert site.get("campaigns").status_code == 200
