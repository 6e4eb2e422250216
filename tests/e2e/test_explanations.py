"""Explain on Probe: found, graded by people and models, drawn again and again, cancelled, refused; and nowhere a key."""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.exchange.export import all_rows, to_csv, to_jsonl
from tests.e2e.bench import Bench, example
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, enter, press
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, refusal, serving, text

pytestmark = pytest.mark.e2e

KEY = "sk-a-secret-of-nobody"
DOCUMENT, SUMMARY = example().example.document, example().example.summary
EDITED = SUMMARY.replace("struck", "narrowly missed")
EDIT = {"original_text": "struck", "replace_text": "narrowly missed", "explanation": "She struck the quay."}
HOSTILE = '<img src=x onerror="alert(1)"> **bold**'
WHY = f"She struck the quay; that she missed it stands nowhere. {HOSTILE}"


class Model:
    """What the endpoint says of each of our questions; a test may hold it back."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()
        self._samples = itertools.cycle(["no", "no", "yes", ""])
        self._lock = threading.Lock()

    def __call__(self, _path: str, body: Body) -> Reply:
        self.free.wait(START_MS / 1000)
        if body["model"] == "refusing":
            return refusal(400, f"{KEY} may not ask this")
        shape = body["response_format"]["json_schema"]["name"]
        if shape == "Graded":
            return text(json.dumps({"because": f"It names the error. {HOSTILE}", "grade": "partially"}))
        if shape == "Explained":
            return text(json.dumps({"explanation": "The document says that she struck it."}))
        return self._sampled() if body["temperature"] and len(body["messages"]) == 2 else self._detected(body)

    def _sampled(self) -> Reply:
        with self._lock:
            verdict = next(self._samples)
        return text(json.dumps({"consistent": verdict, "explanation": "So."}) if verdict else "Well.")

    def _detected(self, body: Body) -> Reply:
        # a sample that could not be read is asked for once more, and is no better then
        return text("Well." if body["temperature"] else json.dumps({"consistent": "no", "explanation": WHY}))

    @contextmanager
    def held(self) -> Iterator[None]:
        self.free.clear()
        try:
            yield
        finally:
            self.free.set()


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.fixture(scope="module")
def endpoint(model: Model) -> Iterator[Endpoint]:
    with serving(model) as running:
        yield running


@pytest.fixture(scope="module")
def explaining_server(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Touchstone with an endpoint on loopback that wants a key and money."""
    with serve(
        tmp_path_factory.mktemp("explaining"),
        TOUCHSTONE_LLM_BASE_URL=endpoint.url,
        TOUCHSTONE_LLM_MODEL="tiny",
        TOUCHSTONE_LLM_API_KEY=KEY,
        TOUCHSTONE_LLM_PRICE_READ="1",
        TOUCHSTONE_LLM_PRICE_WRITTEN="10",
        TOUCHSTONE_PROMPTS_DIR="",
    ) as server:
        yield server


@pytest.fixture
def bench(page: Page, explaining_server: Server) -> Bench:
    """Probe with an edit that has an explanation, and the tab in which explanations are asked for."""
    opened = Bench(page, explaining_server)
    opened.open()
    opened.execute(json.dumps(EDIT))
    opened.settled(DOCUMENT, EDITED)
    opened.tab("Explain")
    return opened


def press_button(page: Page, name: str) -> None:
    press(page.get_by_role("button", name=name, exact=True))


def choose(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).click()


def found(page: Page) -> Locator:
    return page.locator(".st-key-explain-finding")


@pytest.mark.slow
def test_an_explanation_is_checked_and_graded_by_models_and_a_person(bench: Bench) -> None:
    page = bench.page
    expect(page.get_by_text("1 question to endpoints, about").filter(visible=True)).to_be_visible()
    press_button(page, "Explain")
    for words in ("inconsistent", "names the edited words", WHY, "detect-explain|model:tiny|temperature:0|"):
        expect(found(page)).to_contain_text(words)
    expect(found(page).locator("img, strong")).to_have_count(0)
    expect(page.get_by_text("This was asked before: it costs nothing.")).to_be_visible()

    bench.tab("Graded by a model")
    for number, setup in enumerate(("V1 document", "V2 both summaries", "V3 and a reference", "V4 reference alone"), 1):
        choose(page, setup)
        press_button(page, "Grade")
        expect(page.locator(".st-key-explain-graded")).to_contain_text(f"judge-v{number}|model:tiny|")
    expect(page.locator(".st-key-explain-graded")).to_contain_text("Partially correct")
    expect(page.locator(".st-key-explain-graded img")).to_have_count(0)

    bench.tab("Explanation")
    choose(page, "Inconsistent")
    choose(page, "Entirely correct")
    press_button(page, "Save judgement")
    bench.message("revision 1")
    [graded] = bench.server.rows("SELECT * FROM explanationjudgement")
    [kept] = bench.server.rows("SELECT * FROM explanation WHERE id = ?", graded["explanation_id"])
    assert (graded["grade"], kept["text"]) == ("entirely", WHY)
    assert kept["by"].startswith("detect-explain|model:tiny|")


@pytest.mark.slow
def test_what_is_cancelled_is_not_waited_for_samples_are_each_asked_for_and_a_new_summary_has_no_explanation_yet(
    bench: Bench, endpoint: Endpoint, model: Model
) -> None:
    page = bench.page
    enter(page.get_by_role("textbox", name="Model").first, "silent")
    with model.held():
        press_button(page, "Explain")
        expect(page.get_by_text("The model is being asked: 0 of 1 answers have come")).to_be_visible()
        page.get_by_role("button", name="Cancel", exact=True).click()  # the page waits for the model, and is not idle
        expect(page.get_by_text("The model is being asked")).to_have_count(0)
        expect(found(page)).to_have_count(0)
    enter(page.get_by_role("textbox", name="Model").first, "")

    bench.tab("Stability")
    expect(page.get_by_text("5 questions to endpoints, about")).to_be_visible()
    press_button(page, "Draw")
    expect(page.get_by_text("inconsistent 3 · consistent 1 · not readable 1 · flip rate 0.50")).to_be_visible()
    press_button(page, "Draw")
    expect(page.get_by_text("inconsistent 6 · consistent 2 · not readable 2 · flip rate 0.43")).to_be_visible()
    expect(page.locator(".ts-strip [role=listitem]")).to_have_count(10)
    expect(page.locator(".ts-strip .unread").first).to_have_attribute("title", re.compile("The model said: “Well.”"))
    firsts = [body for _, body in endpoint.asked if body["temperature"] and len(body["messages"]) == 2]
    assert len(firsts) == 10

    bench.tab("Explanation")
    choose(page, "Explain the error")
    press_button(page, "Explain")
    expect(found(page)).to_contain_text("given that it is inconsistent")
    bench.press("Undo")
    expect(page.get_by_text("Nothing was found of this summary yet.")).to_be_visible()


@pytest.mark.slow
def test_a_key_stands_on_no_page_in_no_file_and_in_no_export(bench: Bench, explaining_server: Server) -> None:
    """A server that repeats the key in its refusal, then every page that tells of endpoints, and all that was written."""
    page = bench.page
    enter(page.get_by_role("textbox", name="Model").first, "refusing")
    press_button(page, "Explain")
    bench.message("refused the question: Error code: 400")
    bench.press("Keep pair")
    bench.message("Kept as")
    sources = [page.content()]
    for address, words in (("metrics", "key is set"), ("data", "Export"), ("prompts", "All prompts")):
        page.goto(f"{explaining_server.url}/{address}")
        expect(page.get_by_text(words).first).to_be_visible()
        sources.append(page.content())
    exported = [*to_jsonl(all_rows(explaining_server.store())), *to_csv(all_rows(explaining_server.store()))]
    assert KEY not in "".join([*sources, *exported])
    folder: Path = explaining_server.database.parent
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert len(written) > 3
    assert KEY.encode() not in b"".join(written)
