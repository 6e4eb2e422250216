"""The tools and documents of `cli.py mcp`, as the client of the package `mcp` sees them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import touchstone
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.store.store import Store
from core.base import limit_folders
from core.models import SpendTracker
from core.settings import Settings
from pages.commands.shared.agent_tools import AgentTools, agent_app, agent_server
from pages.server.docs_pages import DOCS, page_names
from tests.doubles.http_server import serving_app
from tests.sources import ROOT
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign
from tests.unit.command_line import done, run
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

PAIRS = [
    {
        "id": "rain",
        "document": "It rained in Lindvale all night. The harbour was closed.",
        "summary": "It rained in Lindvale.",
    },
    {
        "id": "snow",
        "document": "It rained in Lindvale all night. The harbour was closed.",
        "summary": "It snowed in Lindvale.",
    },
]
TABLE = "id,document,summary,label\n" + "".join(
    f"{number},It rained in Town {number} all night.,It {verb} in Town {number}.,{label}\n"
    for number in range(20)
    for verb, label in [("rained", "consistent") if number % 2 else ("snowed", "inconsistent")]
)


def talk(server: Any, conversation: Callable[[Client], Awaitable[None]]) -> None:
    """A conversation of the real client with a server: a command to start, or one in this process."""

    async def connect() -> None:
        async with Client(server) as client:
            await conversation(client)

    asyncio.run(connect())


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool that has to succeed."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """The sentence of a tool that has to refuse."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]  # a refusal is a text


def test_an_agent_scores_perturbs_imports_and_studies_over_stdio(terminal: None, tmp_path: Path) -> None:  # noqa: ARG001
    server = StdioServerParameters(
        command=sys.executable, args=[str(ROOT / "cli.py"), "mcp"], env=dict(os.environ), cwd=tmp_path
    )

    async def conversation(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {*tools} == {"score", "perturb", "explain", "study", "import"}
        assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())
        scores = (await call(client, "score", pairs=PAIRS, metrics=["rouge2", "bleu"]))["scores"]
        assert [(row["id"], row["metric"], row["score"]) for row in scores] == [
            (row["id"], row["metric"], row["score"]) for row in touchstone.score(PAIRS, ["rouge2", "bleu"])
        ]
        variants = (await call(client, "perturb", pairs=PAIRS, kinds=["negation"]))["variants"]
        assert variants[0]["edited"] == "It did not rain in Lindvale."
        imported = await call(client, "import", content=TABLE, file_name="towns.csv")
        assert (imported["dataset"], imported["samples"]) == ("towns", 20)
        assert (await call(client, "score", dataset="towns", metrics=["rouge2"]))["failed"] == 0
        measured = await call(client, "study", name="measures", datasets=["towns"], resamples=100)
        [row] = measured["tables"]["measures"]
        assert (row["metric"], row["n"]) == ("rouge2", 20)
        assert (await call(client, "study", name="dataset-statistics", datasets=["towns"]))["tables"]
        assert "Did you mean 'rouge2'?" in await refusal(client, "score", pairs=PAIRS, metrics=["rouge3"])
        assert "metric" in await refusal(client, "score", pairs=PAIRS, metrics=["rouge2"], metric="bleu")

    try:
        talk(server, conversation)
    finally:
        touchstone.close()


@pytest.fixture
def local(terminal: None) -> Iterator[Any]:  # noqa: ARG001
    yield agent_server(AgentTools(None))
    touchstone.close()


def test_each_document_is_a_resource_and_is_listed(local: Any) -> None:
    async def conversation(client: Client) -> None:
        listed = {str(resource.uri) for resource in (await client.list_resources()).resources}
        assert listed == {f"touchstone://docs/{page}" for page in [*page_names(), "llms.txt"]}
        [read] = (await client.read_resource("touchstone://docs/guides/probe")).contents
        assert read.text == (DOCS / "guides/probe.md").read_text(encoding="utf-8")  # type: ignore[union-attr]

    talk(local, conversation)


def test_an_explanation_is_that_of_the_model(local: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_path: str, _body: Body) -> Reply:
        return text('{"consistent": false, "explanation": "It rained, and did not snow."}')

    async def conversation(client: Client) -> None:
        rows = (await call(client, "explain", pairs=PAIRS[1:]))["explanations"]
        assert [(row["sample"], row["explanation"]) for row in rows] == [("snow", "It rained, and did not snow.")]

    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        talk(local, conversation)


def test_labels_that_nothing_explains_are_asked_about(local: Any) -> None:
    table = TABLE.replace("inconsistent", "1").replace("consistent", "0")

    async def conversation(client: Client) -> None:
        question = await refusal(client, "import", content=table, file_name="towns.csv")
        assert "label_of_1" in question or "label-of-1" in question
        imported = await call(
            client, "import", content=table, file_name="towns.csv", answers={"label_of_1": "inconsistent"}
        )
        assert imported["labels"] == {"consistent": 10, "inconsistent": 10}

    talk(local, conversation)


def test_too_many_pairs_and_no_metric_are_refused(local: Any) -> None:
    async def conversation(client: Client) -> None:
        assert "Name a metric" in await refusal(client, "score", pairs=PAIRS[:1], metrics=[])
        assert "1,001 pairs were sent" in await refusal(client, "score", pairs=PAIRS[:1] * 1001, metrics=["rouge2"])

    talk(local, conversation)


def test_a_dataset_that_comes_with_touchstone_is_imported_without_a_file(local: Any) -> None:
    async def conversation(client: Client) -> None:
        imported = await call(client, "import", importer="bundled", name="ours")
        assert (imported["dataset"], imported["version"]) == ("ours", 1)
        assert imported["samples"] == imported["new"] > 200

    talk(local, conversation)


def test_what_an_argument_cannot_be_is_said_in_a_sentence(local: Any) -> None:
    async def conversation(client: Client) -> None:
        for argument in ("pairs", "run", "resamples"):
            sentence = await refusal(client, "study", name="measures", settings={argument: "x"})
            assert f"`{argument}` is no setting of a study" in sentence
        whole = touchstone.score(PAIRS, ["rouge2"])
        part = [{name: row[name] for name in ("id", "metric", "score")} for row in whole]
        labelled = [{**pair, "label": "consistent"} for pair in PAIRS]
        assert "has no signature" in await refusal(client, "study", name="measures", pairs=labelled, scores=part)
        answered = await refusal(client, "import", content=TABLE, file_name="towns.csv", answers={"lable": "x"})
        assert "Did you mean 'label'?" in answered
        for file_name in ("..", "a\0.csv", f"{'a' * 400}.csv"):
            sentence = await refusal(client, "import", content=TABLE, file_name=file_name)
            assert "The content cannot be a file" in sentence

    talk(local, conversation)


class Shared:
    """A shared server with a campaign, and tokens of its manager."""

    def __init__(self, url: str) -> None:
        self.store = Store.open(url)
        self.opened: CampaignFixture = make_campaign(self.store, "label-pairs", items=2, overlap=1)
        manager = ManagerActions(self.store, self.opened.person("boss", Role.MANAGER))
        self.reading = manager.create_token("reads")
        self.writing = manager.create_token("writes", writes=True)
        self.limited = manager.create_token("limited", campaigns=[self.opened.campaign.id], writes=True)


@pytest.fixture
def shared(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    monkeypatch.setenv("TOUCHSTONE_SHARED", "1")
    site = Shared(database)
    with closing(site.store):
        yield site
    touchstone.close()
    limit_folders(None)


def test_a_token_that_reads_neither_writes_nor_spends(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")

    async def conversation(client: Client) -> None:
        assert (await call(client, "score", pairs=PAIRS, metrics=["rouge2"]))["scores"]
        assert "only reads" in await refusal(client, "import", content=TABLE, file_name="towns.csv")
        assert "may cost money" in await refusal(client, "explain", pairs=PAIRS)
        assert "may cost money" in await refusal(client, "score", pairs=PAIRS, metrics=["direct-assessment"])

    talk(agent_server(AgentTools(shared.store, shared.reading)), conversation)


@pytest.mark.parametrize(("budget", "is_asked"), [("0", False), ("5", True)])
def test_questions_of_a_token_are_paid_by_its_owner(
    shared: Shared, budget: str, is_asked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_PERSON_BUDGET", budget)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    touchstone.close()

    async def conversation(client: Client) -> None:
        await call(client, "score", pairs=PAIRS, metrics=["direct-assessment"])
        if not is_asked:
            assert "boss has spent" in str(await call(client, "explain", pairs=PAIRS))

    with serving(lambda *_: text('{"score": 70}')) as endpoint:
        for name, value in {"BASE_URL": endpoint.url, "MODEL": "m", "PRICE_READ": "0", "PRICE_WRITTEN": "1"}.items():
            monkeypatch.setenv(f"TOUCHSTONE_LLM_{name}", value)
        talk(agent_server(AgentTools(shared.store, shared.writing)), conversation)
    assert bool(endpoint.asked) is is_asked
    with closing(SpendTracker(tmp_path / "cache")) as spend:
        assert [*spend.by_person()] == (["boss"] if is_asked else [])


def test_a_token_of_campaigns_opens_no_dataset_and_no_token_a_file(shared: Shared, tmp_path: Path) -> None:
    async def limited(client: Client) -> None:
        assert "for some campaigns" in await refusal(client, "import", content=TABLE, file_name="towns.csv")
        assert "for some campaigns" in await refusal(client, "study", name="dataset-statistics", datasets=["towns"])

    async def writing(client: Client) -> None:
        file = tmp_path / "towns.csv"
        file.write_text(TABLE, encoding="utf-8")
        assert "may not be named" in await refusal(client, "import", path=str(file))
        assert "may not be named" in await refusal(client, "study", name="gaming", run=str(file))
        assert (await call(client, "import", content=TABLE, file_name="../towns.csv"))["dataset"] == "towns"

    talk(agent_server(AgentTools(shared.store, shared.limited)), limited)
    talk(agent_server(AgentTools(shared.store, shared.writing)), writing)


def test_a_demo_opens_no_file_of_its_disk(local: Any, tmp_path: Path) -> None:
    async def conversation(client: Client) -> None:
        file = tmp_path / "towns.csv"
        file.write_text(TABLE, encoding="utf-8")
        assert "may not be named" in await refusal(client, "import", path=str(file))
        assert "may not be named" in await refusal(client, "study", name="gaming", run=str(file))

    limit_folders(Settings(demo=True).guest_folders)
    try:
        talk(local, conversation)
    finally:
        limit_folders(None)


@pytest.mark.parametrize("setting", ["files", "labels"])
def test_a_setting_of_a_study_names_no_file(local: Any, setting: str, tmp_path: Path) -> None:
    async def conversation(client: Client) -> None:
        sentence = await refusal(client, "study", name="prevalence", settings={setting: str(tmp_path / "labels.csv")})
        assert f"`{setting}` names a file" in sentence

    talk(local, conversation)


def test_over_http_each_request_has_the_rights_of_its_token(shared: Shared) -> None:
    async def ask(url: str, token: str) -> str:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            result = await client.call_tool("import", {"content": TABLE, "file_name": "towns.csv"})
            return str(result.structured_content or result.content)

    with serving_app(agent_app(AgentTools(shared.store), "127.0.0.1")) as url:
        assert httpx2.post(f"{url}/mcp", json={}).status_code == 401
        assert httpx2.post(f"{url}/mcp", json={}, headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert "only reads" in asyncio.run(ask(url, shared.reading))
        assert "'samples': 20" in asyncio.run(ask(url, shared.writing))


def test_a_shared_server_wants_a_token_and_a_local_one_no_other_machine(
    terminal: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "Set TOUCHSTONE_SHARED=1" in str(run("mcp", "--http", "--host", "0.0.0.0").exception)
    monkeypatch.setenv("TOUCHSTONE_SHARED", "1")
    assert "--token-from NAME" in str(run("mcp").exception)
    assert "which is not set" in str(run("mcp", "--token-from", "NO_SUCH_TOKEN").exception)
    done("mcp", "--help")
