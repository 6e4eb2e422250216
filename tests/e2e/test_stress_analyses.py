"""Window sweep, density bins and edit bisect on the stress page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from core.data.datasets.bundled import bundled_items
from core.results.runs.stress_run import Plan, Source, run_from_lines, to_json_line
from tests.e2e.bench import WORK_MS
from tests.e2e.matrix import select_cell
from tests.e2e.server import Server
from tests.e2e.tabs import choose_view, open_tab, open_view
from tests.e2e.waiting import idle, press

pytestmark = pytest.mark.e2e

METRICS = ("rouge2", "coverage")
SOURCES = ("news-harbour", "clinical-fall")
"""Their sentences can be shuffled."""


def open_run(page: Page, server: Server, name: str) -> None:
    """A run of two pairs that waits to be gone on with, and the end of it."""
    plan = Plan(name, ("shuffled",), METRICS)
    sources = [Source.of(item) for item in bundled_items() if item.example.id in SOURCES]
    store = server.store()
    run = store.begin_run(name, "local", to_json_line(plan))
    store.append_run(run, [to_json_line(source) for source in sources])
    store.close()
    page.goto(f"{server.url}/stress?run={run}")
    press(page.get_by_role("button", name="Continue"))
    expect(page.get_by_role("tab", name="Shifts")).to_be_visible(timeout=WORK_MS)
    done(page)


def done(page: Page) -> None:
    """Nothing goes on in the background, and the page is still."""
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=WORK_MS)
    idle(page)


@pytest.mark.slow
def test_a_run_is_binned_read_without_its_documents_bisected_and_swept(page: Page, server: Server) -> None:
    open_run(page, server, "To analyse")
    open_tab(page, "Reading")
    choose_view(page, "Information density")
    press(page.get_by_role("button", name="Score the texts"))
    expect(page.get_by_text("rouge2: the mean score")).to_be_visible(timeout=WORK_MS)
    press(page.get_by_role("radio", name="the same width"))  # of the same scores, without another press
    done(page)
    expect(page.get_by_text("rouge2: the mean score")).to_be_visible(timeout=WORK_MS)

    choose_view(page, "Without the document")
    press(page.get_by_role("button", name="Score the texts"))
    expect(page.get_by_text("ROUGE-2: the document gains")).to_be_visible(timeout=WORK_MS)
    open_view(page, "Shifts", "Shifts by edits")
    choose_view(page, "Corrections and harmless edits")
    expect(page.get_by_text("Sensitivity needs corrections and harmless edits")).to_be_visible(timeout=WORK_MS)

    choose_view(page, "Shifts")
    select_cell(page, "ROUGE-2")
    press(page.get_by_role("button", name="edits moves which metric?"))
    expect(page.get_by_role("radio", name="Share", exact=True)).to_be_checked(timeout=WORK_MS)
    expect(page.get_by_text("The shares sum to the whole.")).to_be_visible()
    press(page.get_by_role("radio", name="Left out", exact=True))
    expect(page.get_by_text("The shift when all edits but this one are executed.")).to_be_visible()

    open_tab(page, "Reading")
    choose_view(page, "Windows of retrieval")
    press(page.get_by_role("button", name="Sweep 5 windows × 1 metric"))
    expect(page.get_by_role("tab", name="Reading")).to_have_attribute("aria-selected", "true", timeout=WORK_MS)
    expect(page.get_by_text("retrieve[metric=rouge2]: mean score").first).to_be_visible(timeout=WORK_MS)
    done(page)
    [stored] = server.rows("SELECT * FROM run WHERE name = 'To analyse, windows'")
    lines = [row["line"] for row in server.rows("SELECT line FROM runline WHERE run_id = ? ORDER BY id", stored["id"])]
    run = run_from_lines([stored["plan"], *lines])
    assert run.plan.metrics == (
        *("retrieve[metric=rouge2,w=0]", "retrieve[metric=rouge2]", "retrieve[metric=rouge2,w=2]"),
        *("retrieve[metric=rouge2,w=3]", "retrieve[metric=rouge2,w=4]"),
    )
    assert run.done == run.total == 2 * 2 * 5
