"""Markup, right-to-left text and emoji in every field are shown as text, and nothing leaves the machine."""

from __future__ import annotations

import json
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import Bench
from tests.e2e.server import Server
from tests.e2e.waiting import enter, press

pytestmark = pytest.mark.e2e

HOSTILE = (
    "<script>window.__xss=1</script> <img src=x onerror=window.__xss=1> ![](http://evil.test/a.png) "
    "[a](javascript:window.__xss=1) `x` $y$ :red[z] \u202eabc\u202c שלום 😀👩‍👩‍👧‍👦"
)


def test_hostile_text_in_every_field_stays_text_and_stays_here(page: Page, server: Server) -> None:
    asked: set[str | None] = set()
    page.on("request", lambda request: asked.add(urlparse(request.url).hostname))
    bench = Bench(page, server)
    bench.open()
    document, summary = f"Document {HOSTILE} ends.", f"Summary {HOSTILE} ends."
    press(page.get_by_role("button", name="Open a text"))
    page.get_by_role("textbox", name="Document").fill(document)
    page.get_by_placeholder("Paste a summary").fill(summary)
    bench.press("Open the pair")
    bench.settled(document, summary)
    page.keyboard.press("Escape")
    expect(page.locator(".document .text")).to_contain_text("<script>window.__xss=1</script> <img src=x")

    edit = {"original_text": "ends.", "replace_text": f"{HOSTILE} new", "explanation": f"Why {HOSTILE}"}
    bench.execute(json.dumps(edit))
    bench.settled(document, summary.replace("ends.", f"{HOSTILE} new"))
    bench.execute(json.dumps(edit | {"original_text": HOSTILE + HOSTILE}))
    bench.message("<script>window.__xss=1</script>")
    bench.tab("Edit")
    expect(page.locator("ins").first).to_contain_text("<img src=x onerror=window.__xss=1>")

    bench.add_metric(HOSTILE)
    bench.message("No metric is named")
    page.keyboard.press("Escape")

    bench.tab("Record")
    enter(page.get_by_label("Recorded as"), f"me {HOSTILE}")
    enter(page.get_by_label("Note"), f"Note {HOSTILE}")
    bench.choose("The edited summary is", "Inconsistent")
    bench.choose("The explanation is", "Entirely correct")
    bench.press("Save label")
    bench.message("Saved: label of")
    [label] = server.rows("SELECT * FROM label WHERE note = ?", f"Note {HOSTILE}")
    assert label["annotator"] == f"me {HOSTILE}"
    bench.press("Keep pair")
    bench.message("Kept as")

    page.goto(f"{server.url}/data")
    expect(page.get_by_role("button", name="Export JSONL")).to_be_visible()
    page.goto(f"{server.url}/?example={HOSTILE}")
    bench.message("No example is called")
    assert page.evaluate("window.__xss") is None
    assert asked <= {"127.0.0.1", None}  # data: and blob: have no host
