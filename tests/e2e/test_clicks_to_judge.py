"""From no endpoint to twenty judged pairs, a proposed edit and a judged explanation, in twelve clicks; each wait says for what.

Fields are reached by Tab, as the form of an endpoint is filled in; the choice of a file in the window of the system is no click
on a page.
"""

from __future__ import annotations

import csv
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.bench import WORK_MS, Bench
from tests.e2e.server import serve
from tests.e2e.waiting import START_MS, go_to, idle, press
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, serving, text

pytestmark = pytest.mark.e2e

CLICKS = 12
COUNT = """addEventListener('click', ({ isTrusted, detail, target }) => {
  if (!isTrusted || !detail) return;
  const clicks = JSON.parse(window.name || '[]');
  window.name = JSON.stringify([...clicks, (target.innerText || target.tagName).slice(0, 40)]);
}, true)"""
"""Clicks of the mouse, which `detail` tells from those of a key; the name of a window outlives its pages."""
EDIT = {"original_text": "struck", "replace_text": "narrowly missed", "explanation": "She struck the quay."}
ANSWERS = {
    "ExecutableEdits": {"edits": [EDIT]},
    "Graded": {"because": "So it says.", "grade": "entirely"},
    "Mark": {"score": 80},
    "Sorted": {"kind": "other", "because": "So it is."},
}


class Model:
    """Answers each form that it is asked for, unless it is held."""

    def __init__(self) -> None:
        self._free = threading.Event()
        self._free.set()

    def __call__(self, _path: str, body: Body) -> Reply:
        self._free.wait()
        form = body["response_format"]["json_schema"]["name"]
        answer = ANSWERS.get(form, {"consistent": "no", "explanation": "She struck the quay."})
        return text(json.dumps(answer), read=1000, written=10)

    @contextmanager
    def held(self) -> Iterator[None]:
        """No question is answered until the block ends."""
        self._free.clear()
        try:
            yield
        finally:
            self._free.set()


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def endpoint(model: Model) -> Iterator[Endpoint]:
    with serving(model) as running:
        yield running


@pytest.fixture
def bench(page: Page, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Touchstone where no endpoint is set."""
    page.add_init_script(COUNT)
    folder = tmp_path_factory.mktemp("clicks")
    with serve(folder, TOUCHSTONE_LLM_BASE_URL="", TOUCHSTONE_ENDPOINTS="") as running:
        opened = Bench(page, running)
        opened.open()
        yield opened


def add_endpoint(page: Page, url: str) -> None:
    go_to(page, "Metrics")
    form = page.locator(".st-key-new-endpoint")
    for label, value in {"Name": "local", "Address": url, "Model": "tiny"}.items():
        form.get_by_label(label, exact=True).fill(value)
    press(form.get_by_role("button", name="Add", exact=True))
    expect(page.get_by_text("local can be asked until the server stops")).to_be_visible()


def import_pairs(page: Page, file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(("document", "summary"))
        rows.writerows((f"It rained in Lindvale for {day} days.", f"Rain fell for {day} days.") for day in range(20))
    press(page.get_by_role("link", name="Import pairs and judge them"))
    upload = page.get_by_role("dialog").get_by_test_id("stFileUploaderDropzone").locator("button")
    upload.wait_for(timeout=START_MS)
    idle(page)
    with page.expect_file_chooser() as chooser:
        upload.click()
    chooser.value.set_files(file)
    submit = page.get_by_role("button", name="Import", exact=True)
    expect(submit).to_be_enabled(timeout=WORK_MS)
    press(submit)
    expect(page.get_by_text(re.compile("20 new, 20 read"))).to_be_visible(timeout=WORK_MS)


def explained(model: Model, button: Locator, wait: str | re.Pattern[str]) -> None:
    """Press what asks the model, and see the wait for its answer explained."""
    idle(button.page, button)
    with model.held():
        press(button)
        expect(button.page.get_by_text(wait).filter(visible=True).first).to_be_visible(timeout=WORK_MS)


@pytest.mark.slow
def test_endpoint_pairs_edit_and_explanation_take_twelve_clicks(
    page: Page, bench: Bench, endpoint: Endpoint, model: Model, tmp_path: Path
) -> None:
    add_endpoint(page, endpoint.url)
    import_pairs(page, tmp_path / "pairs.csv")
    explained(model, page.get_by_role("button", name="Score", exact=True), re.compile(r"^\d+ of 260 scores, \d+ left"))
    expect(page.get_by_text("260 scores saved, 0 of them failures")).to_be_visible(timeout=WORK_MS)
    assert len([body for _, body in endpoint.asked if "Mark" in str(body)]) == 20

    go_to(page, "Probe")
    expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
    ask = page.locator(".st-key-ask-edits").get_by_role("button", name="Ask", exact=True)
    explained(model, ask, "Edits are being written …")
    expect(page.locator(".st-key-proposed-1 ins")).to_contain_text("narrowly missed")
    bench.tab("Explain")
    waits = "The model is being asked: 0 of 1 answers have come …"
    explained(model, page.get_by_role("button", name="Explain", exact=True), waits)
    expect(page.locator(".st-key-explain-finding")).to_contain_text("She struck the quay.")
    bench.tab("Graded by a model")
    explained(model, page.get_by_role("button", name="Grade", exact=True), waits)
    expect(page.locator(".st-key-explain-graded")).to_contain_text("judge-v1|model:tiny|")

    clicks = json.loads(page.evaluate("window.name"))
    assert len(clicks) <= CLICKS, clicks
