"""Endpoints in the browser: what is told of them, a judge beside the other metrics, its bill, and nowhere a key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.bench import Bench
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, go_to, idle, press
from tests.unit.core.models.llm.scripted import Body, Reply, listing, refusal, serving, text

pytestmark = pytest.mark.e2e

KEY = "sk-a-secret-of-nobody"
FILE = """
[mini]
base_url = "{url}"
key_from = "ONE_KEY"
model = "small"
price_read = 1
price_written = 100

[full]
base_url = "{url}"
key_from = "ONE_KEY"
model = "full"

[unset]
base_url = "https://api.example/v1"
key_from = "KEY_OF_NOBODY"
"""


def answer(path: str, body: Body) -> Reply:
    if path.endswith("/models"):
        return listing("small", "<img src=x onerror=alert(1)>")
    if body["model"] == "full":
        return refusal(429, "slow down", **{"retry-after": "100"})
    if "ready" in body["messages"][1]["content"]:
        return text('{"ready": true}' if "response_format" in body else "ready")
    return text('{"score": 80}', read=1000, written=10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("endpoints")


@pytest.fixture(scope="module")
def judged_server(folder: Path) -> Iterator[Server]:
    """Touchstone with three endpoints of a file, one of which never has time, and one lacks its key."""
    with serving(answer) as endpoint:
        (folder / "endpoints.toml").write_text(FILE.format(url=endpoint.url))
        settings = {
            "TOUCHSTONE_ENDPOINTS": str(folder / "endpoints.toml"),
            "ONE_KEY": KEY,
            "TOUCHSTONE_LLM_BASE_URL": "",
        }
        with serve(folder, **settings) as running:
            yield running
        assert {*endpoint.keys} == {f"Bearer {KEY}"}


@pytest.fixture
def bench(page: Page, judged_server: Server) -> Bench:
    opened = Bench(page, judged_server)
    opened.open()
    return opened


def endpoint(bench: Bench, place: int) -> Locator:
    """The endpoint at a place of the Metrics page, counted from 0."""
    go_to(bench.page, "Metrics")
    return bench.page.locator(f".st-key-endpoint-{place}")


@pytest.mark.slow
def test_a_judge_scores_after_its_price_was_told_endpoints_list_models_and_one_without_its_key_spoils_no_other_row(
    bench: Bench, folder: Path
) -> None:
    spec = "direct-assessment[endpoint=mini]"
    bench.add_metric(spec)
    expect(bench.row(spec)).to_be_visible()
    bench.page.keyboard.press("Escape")
    expect(bench.page.locator(".st-key-forecast")).to_contain_text("1 question to endpoints, about ")
    bench.press("Score all")
    expect(bench.score(spec)).to_have_text("0.800")
    source = bench.page.content()
    expect(endpoint(bench, 0)).to_contain_text("Spent so far: 1 question, 1,000 tokens read, 10 written, 0.0020")
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert KEY not in source + bench.page.content()
    assert KEY.encode() not in written
    assert b"direct-assessment" not in (folder / "server.log").read_bytes()

    card = bench.page.locator(".st-key-endpoint-0")
    expect(card).to_contain_text("1 read and 100 written per million tokens", timeout=START_MS)
    expect(card).to_contain_text("key is set")
    press(card.get_by_role("button", name="List the models of mini"))
    expect(card).to_contain_text("Reachable. It serves <img src=x onerror=alert(1)>, small.")
    expect(bench.page.locator(".st-key-endpoint-2")).to_contain_text(
        "[unset]: key_from names KEY_OF_NOBODY, which is not set."
    )

    go_to(bench.page, "Probe")
    expect(bench.page.locator("#settled")).to_be_attached(timeout=START_MS)
    spec = "direct-assessment[model=m,endpoint=unset]"
    bench.add_metric(spec)
    expect(bench.row(spec)).to_be_visible()
    bench.page.keyboard.press("Escape")
    bench.press("Score all")
    expect(bench.row(spec)).to_contain_text("needs endpoint")
    expect(bench.score("rouge2")).to_have_text("0.704")


def test_what_waits_for_an_endpoint_says_so_and_is_cancelled(bench: Bench) -> None:
    spec = "direct-assessment[endpoint=full]"
    bench.add_metric(spec)
    expect(bench.row(spec)).to_be_visible()
    bench.page.keyboard.press("Escape")
    bench.press("Score all")
    waiting = bench.page.get_by_text("Waiting for the endpoint full: it says “slow down”; next try at")
    expect(waiting).to_be_visible()
    bench.page.get_by_role("button", name="Cancel").click()  # the page is at work as long as it waits
    expect(waiting).to_be_hidden()
    expect(bench.row(spec)).to_contain_text("press Alt+S")
    expect(bench.page.locator("#settled")).to_be_attached(timeout=START_MS)
    expect(bench.page.get_by_role("button", name="Cancel")).to_be_hidden()


def test_an_endpoint_is_tested_added_and_asked_and_its_key_is_nowhere_to_be_read(bench: Bench, folder: Path) -> None:
    page = bench.page
    url = tomllib.loads((folder / "endpoints.toml").read_text())["mini"]["base_url"]
    go_to(page, "Metrics")
    form = page.locator(".st-key-new-endpoint")
    press(form.get_by_text("Add an endpoint"))
    press(form.get_by_role("radio", name="llama.cpp"))
    idle(page)  # each server has fields of its own
    expect(form.get_by_label("Name", exact=True)).to_have_value("llama.cpp")
    for label, value in {"Name": "own", "Address": url, "Model": "small", "or the key itself": KEY}.items():
        form.get_by_label(label, exact=True).fill(value)
    press(form.get_by_role("button", name="Test"))
    expect(form).to_contain_text("Answer “ready” after")
    expect(form).to_contain_text("Structured output Followed where the prompt shows the shape")
    expect(form).to_contain_text("Only Bespoke-MiniCheck and weighted-assessment need them.")
    press(form.get_by_role("button", name="Add", exact=True))
    expect(page.locator(".st-key-endpoint-3")).to_contain_text("key is set")
    expect(page.get_by_test_id("stCode")).to_contain_text("[own]")
    expect(form.get_by_label("or the key itself", exact=True)).to_have_value("")
    assert KEY not in page.content()
    go_to(page, "Probe")
    expect(page.locator("#settled")).to_be_attached(timeout=START_MS)  # the page before it has buttons, too
    spec = "direct-assessment[endpoint=own]"
    bench.add_metric(spec)
    expect(bench.row(spec)).to_be_visible()
    page.keyboard.press("Escape")
    bench.press("Score all")
    expect(bench.score(spec)).to_have_text("0.800")
    assert KEY.encode() not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
