"""From nothing to a panel in the browser: endpoints added, tested, asked to explain, to judge and to vote, and what it cost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import Bench, example
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, go_to, idle, pick_option, press
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, serving, text

pytestmark = pytest.mark.e2e

EDIT = {"original_text": "struck", "replace_text": "narrowly missed", "explanation": "She struck the quay."}
GRADES = {"kind": "entirely", "stern": "not", "fair": "entirely"}


def answer(_path: str, body: Body) -> Reply:
    """Each model has one grade for every explanation."""
    if "response_format" not in body:  # the test of an endpoint
        return text("ready")
    shape = body["response_format"]["json_schema"]["name"]
    if "ready" in body["messages"][1]["content"]:
        return text('{"ready": true}')
    if shape == "Compared":
        first = re.search(r"<first-\w+>(.*?)</first", body["messages"][1]["content"], re.DOTALL)
        more = "second" if first and "narrowly missed" in first[1] else "first"
        return text(json.dumps({"because": "She struck it.", "more_consistent": more}), read=1000, written=10)
    if shape == "Graded":
        return text(
            json.dumps({"because": f"So says {body['model']}.", "grade": GRADES[body["model"]]}), read=1000, written=10
        )
    return text(json.dumps({"consistent": "no", "explanation": "She struck the quay."}), read=1000, written=10)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(answer) as running:
        yield running


@pytest.fixture
def bare_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Touchstone where no endpoint is set."""
    with serve(tmp_path_factory.mktemp("walk"), TOUCHSTONE_LLM_BASE_URL="", TOUCHSTONE_ENDPOINTS="") as running:
        yield running


def add_endpoint(page: Page, name: str, url: str) -> None:
    form = page.locator(".st-key-new-endpoint")
    fields = {
        "Name": name,
        "Address": url,
        "Model": name,
        "Price of tokens read": "1",
        "Price of tokens written": "100",
    }
    for label, value in fields.items():
        form.get_by_label(label, exact=True).fill(value)
    press(form.get_by_role("button", name="Test"))
    expect(form).to_contain_text("Answer “ready” after")
    press(form.get_by_role("button", name="Add", exact=True))
    expect(page.get_by_text(f"{name} can be asked until the server stops")).to_be_visible()
    idle(page)


@pytest.mark.slow
def test_an_endpoint_explains_a_panel_judges_and_records_have_the_bill(
    page: Page, bare_server: Server, endpoint: Endpoint
) -> None:
    bench = Bench(page, bare_server)
    bench.open()
    go_to(page, "Metrics")
    for name in GRADES:
        add_endpoint(page, name, endpoint.url)

    go_to(page, "Probe")
    expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
    bench.execute(json.dumps(EDIT))
    bench.settled(example().example.document, example().example.summary.replace("struck", "narrowly missed"))
    bench.tab("Explain")
    press(page.get_by_role("button", name="Explain", exact=True))
    expect(page.locator(".st-key-explain-finding")).to_contain_text("She struck the quay.")
    bench.tab("Graded by a model")
    press(page.get_by_role("button", name="Grade", exact=True))
    expect(page.locator(".st-key-explain-graded")).to_contain_text("judge-v1|model:kind|")

    bench.tab("Panel")
    expect(page.get_by_text("A panel has two judges or more")).to_be_visible()
    for name in GRADES:
        pick_option(page.get_by_role("combobox", name="Judges"), f"{name}@{name}", exact=True)
        expect(page.get_by_role("option", name=f"{name}@{name}", exact=True)).to_have_count(0)
    page.keyboard.press("Escape")
    press(page.get_by_role("button", name="Ask the panel"))
    expect(page.locator(".st-key-explain-panel")).to_contain_text("Majority: Entirely correct")
    expect(page.locator(".st-key-explain-panel")).to_contain_text(
        "entirely 2, not 1 · mean 0.67 · 67% of the pairs of judges differ"
    )

    bench.tab("Pairwise")
    press(page.get_by_role("button", name="Compare", exact=True))
    expect(page.locator(".st-key-explain-compared")).to_contain_text("The original is more consistent")
    page.goto(f"{bare_server.url}/data")
    # an explanation, three grades, of which one was kept from the press on Grade, and two orders
    expect(page.get_by_text("By run and prompt, in the currency of the prices; 0.0120 in 1 run(s).")).to_be_visible()
    questions = [body for path, body in endpoint.asked if path.endswith("/chat/completions")]
    assert {body["model"] for body in questions} == set(GRADES)
