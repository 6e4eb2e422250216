"""The API that writes, over HTTP and by the client: campaigns, items, people, assignment and state, each once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import touchstone
from annotations.labelling.labelling import AnnotatorActions
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.store.store import Store
from core.assessment.notebook import client as client_module
from core.errors import TouchstoneError
from core.settings import Settings
from pages.server import services
from pages.server.api import Api
from pages.server.api_routes import OPERATIONS, openapi
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

ITEM = {"document": "The boat took crates to the mill.", "summary": "The boat took crates."}


@dataclass(frozen=True)
class Site:
    store: Store
    opened: CampaignFixture
    manager: ManagerActions
    token: str
    http: TestClient

    def send(self, method: str, path: str, body: Any, key: str = "", token: str = "") -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token or self.token}", **({"Idempotency-Key": key} if key else {})}
        return self.http.request(method, f"/api/v1/{path}", content=json.dumps(body), headers=headers)

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
    opened = make_campaign(store, items=1)
    manager = ManagerActions(store, opened.person("boss", Role.MANAGER))
    token = manager.create_token("importer", writes=True)
    yield Site(store, opened, manager, token, TestClient(Api(Starlette())))
    store.close()


@pytest.fixture
def client(site: Site, monkeypatch: pytest.MonkeyPatch) -> client_module.CampaignClient:
    made = touchstone.client("http://testserver", site.token)
    transport = site.http._transport
    monkeypatch.setattr(
        made, "_http", httpx2.Client(transport=transport, base_url=made._http.base_url, headers=made._http.headers)
    )
    monkeypatch.setattr(client_module.time, "sleep", lambda _: None)
    return made


def test_the_client_sets_up_a_campaign_that_people_label(site: Site, client: client_module.CampaignClient) -> None:
    made = client.create_campaign("Ships", "label-summaries", "Read all of it.", overlap=2)
    assert (made["name"], made["open"], made["overlap"]) == ("Ships", True, 2)
    edited = {**ITEM, "original": "A boat took crates."}
    gold = {**ITEM, "document": "A raft.", "part": "gold", "key": {"verdict": "consistent"}}
    assert client.add_items(made["id"], [ITEM, edited, gold]) == 3
    assert client.add_items(made["id"], [ITEM]) == 0
    [new] = client.add_people([{"name": "Ada Lind", "groups": ["Crew"]}])
    assert new["person"].startswith("p-")
    client.assign(made["id"], ["Ada Lind"])
    ada = next(one for one in site.manager.people() if one.name == "Ada Lind")
    assert ada.role is Role.ANNOTATOR
    assert made["id"] in {campaign.id for campaign in AnnotatorActions(site.store, ada).campaigns()}
    assert {campaign["name"] for campaign in client.campaigns()} == {"Boats", "Ships"}
    assert [item["summary"] for item in client.items(made["id"])] == ["The boat took crates."] * 3
    assert client.set_open(made["id"], False)["open"] is False
    assert client.progress(made["id"])["tasks"] == 2
    assert list(client.labels(made["id"])) == []
    with pytest.raises(TouchstoneError, match="already"):
        client.create_campaign("Ships", "label-summaries")


def test_what_is_sent_again_is_written_once_and_answered_alike(site: Site) -> None:
    body = {"name": "Ships", "questions": "label-summaries"}
    first = site.send("POST", "campaigns", body, key="k1")
    assert first.status_code == 200
    assert site.send("POST", "campaigns", body, key="k1").json() == first.json()
    other = site.send("POST", "campaigns", {**body, "name": "Rafts"}, key="k1")
    assert (other.status_code, "idempotency key" in other.json()["problem"]) == (409, True)
    assert len(site.manager.campaigns()) == 2
    refused = site.send("POST", f"{site.path}/items", {"items": [ITEM, {**ITEM, "part": "gold"}]}, key="k2")
    assert refused.status_code == 400
    assert len(site.manager.tasks(site.opened.campaign.id)) == 1
    assert site.send("POST", f"{site.path}/items", {"items": [ITEM]}, key="k2").json() == {"added": 1, "sent": 1}


def test_the_client_sends_again_after_a_server_that_is_away(
    site: Site, client: client_module.CampaignClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([httpx2.Response(503, json={"problem": "busy"}), None])
    real = client._http.request

    def request(*given: Any, **named: Any) -> httpx2.Response:
        answer = real(*given, **named)  # it is written, and the answer is lost
        return next(answers) or answer

    monkeypatch.setattr(client._http, "request", request)
    assert client.add_items(site.opened.campaign.id, [ITEM]) == 1
    assert len(site.manager.tasks(site.opened.campaign.id)) == 2


def test_a_token_writes_what_it_is_for_and_nothing_else(site: Site) -> None:
    reading = site.manager.create_token("reader")
    other = make_campaign(site.store, called="Ships")
    limited = site.manager.create_token("boats", campaigns=[site.opened.campaign.id], writes=True)
    items, person = {"items": [ITEM]}, {"people": [{"name": "x"}]}
    assert site.send("POST", f"{site.path}/items", items, token=reading).status_code == 403
    assert site.send("POST", f"campaigns/{other.campaign.id}/items", items, token=limited).status_code == 404
    assert site.send("POST", "people", person, token=limited).status_code == 403
    assert site.send("POST", f"{site.path}/items", items, token=limited).status_code == 200
    assert site.send("POST", "people", {"people": [{"name": "x", "role": "manager"}]}).status_code == 400
    assert [one.name for one in site.manager.people() if one.role is Role.MANAGER] == ["boss"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "campaigns", {}, 400),
        ("POST", "campaigns", [], 400),
        ("POST", "campaigns", {"name": "x", "questions": "none"}, 400),
        ("POST", "campaigns", {"name": "x", "questions": "label-summaries", "rules": {"overlap": 0}}, 400),
        ("POST", "campaigns/none/items", {"items": [ITEM]}, 404),
        ("PUT", "PATH/people", {"people": ["nobody"]}, 400),
        ("DELETE", "PATH", {}, 405),
        ("POST", "PATH/labels", {}, 405),
        ("POST", "nothing", {}, 404),
    ],
)
def test_what_cannot_be_written_is_explained(site: Site, method: str, path: str, body: Any, status: int) -> None:
    answer = site.send(method, path.replace("PATH", site.path), body)
    assert (answer.status_code, bool(answer.json()["problem"])) == (status, True)


def test_every_operation_is_described_without_a_reference_that_leads_nowhere(site: Site) -> None:
    found = site.http.get("/api/v1/openapi.json").json()
    assert found == json.loads(json.dumps(openapi()))
    described = [(path, method) for path, methods in found["paths"].items() for method in methods]
    assert len(described) == len(OPERATIONS)
    assert "$defs" not in json.dumps(found)
    assert "most_overlap" in json.dumps(found["paths"]["/campaigns"]["post"])


def test_a_body_is_read_for_a_token_that_writes_and_for_nobody_else(site: Site) -> None:
    parts: list[int] = []

    async def receive() -> Any:
        parts.append(1)
        return {"type": "http.request", "body": b" " * 2**16, "more_body": len(parts) < 400}

    async def ask(authorization: str, path: str, method: str = "POST") -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": method, "path": path, "query_string": b"", "scheme": "http"}
        headers = [(b"authorization", authorization.encode())]
        await Api(Starlette())(scope | {"headers": headers, "client": ("127.0.0.1", 1)}, receive, send)
        return int(sent[0]["status"])

    for authorization in ("", "Bearer ", "Bearer guess", "Basic x"):
        assert asyncio.run(ask(authorization, "/api/v1/campaigns")) == 401
    assert asyncio.run(ask(f"Bearer {site.token}", "/api/v1/nothing")) == 404
    assert asyncio.run(ask(f"Bearer {site.token}", "/api/v1/people", "DELETE")) == 405
    reading = site.manager.create_token("reader")
    assert asyncio.run(ask(f"Bearer {reading}", "/api/v1/campaigns")) == 403
    assert not parts
    assert asyncio.run(ask(f"Bearer {site.token}", "/api/v1/people")) == 413
    assert len(parts) < 400
