"""From no endpoint to twenty judged pairs, a proposed edit and a judged explanation, by few presses of the mouse."""

from __future__ import annotations

import csv
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import WORK_MS, Bench
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, attach, go_to, idle, press
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

pytestmark = pytest.mark.e2e

PRESSES = 18
COUNT = "addEventListener('click', event => { if (event.isTrusted && event.detail) window.name = `${+window.name + 1}`; }, true)"
"""Presses of the mouse, which `detail` tells from those of a key; the name of a window outlives its pages."""
EDIT = {"original_text": "struck", "replace_text": "narrowly missed", "explanation": "She struck the quay."}


def answer(_path: str, body: Body) -> Reply:
    """What a model says in each form that it is asked for, a moment later."""
    time.sleep(0.1)
    if "response_format" not in body:  # the test of an endpoint
        return text("ready")
    asked = body["messages"][-1]["content"]
    content = {
        "Edits": {"edits": [EDIT]},
        "Graded": {"because": "So it says.", "grade": "entirely"},
        "Mark": {"score": 80},
        "Kind": {"kind": "other", "because": "So it is."},
    }.get(body["response_format"]["json_schema"]["name"])
    if content is None:
        content = {"ready": True} if "ready" in asked else {"consistent": "no", "explanation": "She struck the quay."}
    return text(json.dumps(content), read=1000, written=10)


@pytest.fixture
def bare_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Touchstone where no endpoint is set."""
    with serve(tmp_path_factory.mktemp("clicks"), TOUCHSTONE_LLM_BASE_URL="", TOUCHSTONE_ENDPOINTS="") as running:
        yield running


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")
        print(name, page.evaluate("+window.name"))


@pytest.mark.slow
def test_endpoint_pairs_edit_and_explanation_take_few_presses(page: Page, bare_server: Server, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    with pairs.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("document", "summary"))
        rows.writerows((f"It rained in Lindvale for {day} days.", f"Rain fell for {day} days.") for day in range(20))
    page.add_init_script(COUNT)
    bench = Bench(page, bare_server)
    with serving(answer) as endpoint:
        bench.open()
        go_to(page, "Metrics")
        shot(page, "1-metrics")
        press(page.locator(".st-key-new-endpoint").get_by_text("Add an endpoint"))
        form = page.locator(".st-key-new-endpoint")
        for label, value in {"Name": "local", "Address": endpoint.url, "Model": "tiny"}.items():
            form.get_by_label(label, exact=True).fill(value)
        press(form.get_by_role("button", name="Add", exact=True))
        expect(page.get_by_text("local can be asked until the server stops")).to_be_visible()
        shot(page, "2-added")

        go_to(page, "Evaluate")
        press(page.get_by_text("Import data").first)
        attach(page.locator("input[type=file]").first, pairs)
        expect(page.get_by_role("button", name="Import", exact=True)).to_be_enabled(timeout=WORK_MS)
        shot(page, "3-import")
        press(page.get_by_role("button", name="Import", exact=True))
        expect(page.get_by_text(re.compile("20 new, 20 read"))).to_be_visible(timeout=WORK_MS)
        shot(page, "4-imported")
        press(page.get_by_role("tab", name="Data", exact=True))
        metrics = page.get_by_role("combobox", name="with our metrics")
        press(metrics)
        page.keyboard.type("direct-assessment")
        shot(page, "5-metric")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        idle(page)
        press(page.get_by_role("button", name="Score", exact=True))
        shot(page, "6-scoring")
        expect(page.get_by_text(re.compile("scores saved, 0 of them failures"))).to_be_visible(timeout=WORK_MS)
        shot(page, "7-scored")

        go_to(page, "Probe")
        expect(page.locator("#settled")).to_be_attached(timeout=START_MS)
        press(page.get_by_text("Ask a language model for 6 edits"))
        press(page.locator(".st-key-ask-edits").get_by_role("button", name="Ask", exact=True))
        shot(page, "8-asking")
        expect(page.locator(".st-key-proposed-1 ins")).to_contain_text("narrowly missed")
        shot(page, "9-proposed")
        bench.tab("Explain")
        press(page.get_by_role("button", name="Explain", exact=True))
        expect(page.locator(".st-key-explain-finding")).to_contain_text("She struck the quay.")
        shot(page, "10-explained")
        bench.tab("Graded by a model")
        press(page.get_by_role("button", name="Grade", exact=True))
        expect(page.locator(".st-key-explain-graded")).to_contain_text("judge-v1|model:tiny|")
        shot(page, "11-graded")
    judged = [body for _, body in endpoint.asked if "Mark" in str(body.get("response_format"))]
    assert len(judged) >= 20
    assert page.evaluate("+window.name") <= PRESSES
