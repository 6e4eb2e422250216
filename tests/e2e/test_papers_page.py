"""Papers in a browser: from the cards over own pairs to a paper's filled tables, killed on the way, with no answer paid twice."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.bench import WORK_MS
from tests.e2e.server import free_port, serve
from tests.e2e.waiting import START_MS, attach, idle, pick_option, press, quiet
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

pytestmark = pytest.mark.e2e

PAIRS = 20
RUN_MS = 3 * WORK_MS  # 130 answers and 560 scores
BEFORE_KILL = 30  # answers, of the 160 or more that eight rewrites of each pair ask for


class Rewriter:
    """An endpoint that rewrites; after so many answers it holds the others back until it is freed, and hangs up on those."""

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self.enough, self.free, self._lock = threading.Event(), threading.Event(), threading.Lock()

    def __call__(self, _path: str, body: Body) -> Reply:
        with self._lock:
            answers = self.free.is_set() or self.answered.total() < BEFORE_KILL
            if answers:
                self.answered[json.dumps(body, sort_keys=True)] += 1
        if not answers:
            self.enough.set()
            self.free.wait(WORK_MS / 1000)
            return Reply(dropped=True)
        return text("Monday saw the mill burn. It belonged to a bank. No person was hurt.")


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    file = tmp_path / "pairs.jsonl"
    lines = [
        {
            "id": f"mill-{number}",
            "document": f"The mill number {number} burned on Monday. Nobody was hurt. A bank had bought it in 1990.",
            "summary": f"The mill number {number} burned on Monday. A bank had bought it. Nobody was hurt.",
        }
        for number in range(PAIRS)
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file


def select_phrase(page: Page) -> None:
    """The cell of the first metric and the phrase alone."""
    grid = page.get_by_test_id("stDataFrame").nth(1)
    grid.scroll_into_view_if_needed()
    idle(page, grid)
    box = grid.bounding_box()
    assert box
    grid.hover(position={"x": box["width"] / 4, "y": 17})  # as a hand does, that comes from elsewhere
    grid.click(position={"x": box["width"] / 4, "y": 52})


def test_six_presses_fill_the_tables_and_a_killed_server_asks_no_answered_question_again(
    new_context: Callable[[], BrowserContext], pairs: Path, tmp_path: Path
) -> None:
    rewriter, port, prompts = Rewriter(), free_port(), tmp_path / "prompts"
    prompts.mkdir()
    with serving(rewriter) as endpoint:
        settings = {
            "TOUCHSTONE_LLM_BASE_URL": endpoint.url,
            "TOUCHSTONE_LLM_MODEL": "tiny",
            "TOUCHSTONE_PROMPTS_DIR": str(prompts),
        }
        page = new_context().new_page()
        with serve(tmp_path, port=port, **settings) as server:
            page.goto(f"{server.url}/papers")
            press(page.get_by_role("button", name="Ramprasad and Wallace (2024)"))
            attach(page.locator(".st-key-stress-file input[type=file]"), pairs)
            expect(page.get_by_role("button", name=f"Run: {PAIRS} pairs × 14 perturbations")).to_be_visible(
                timeout=START_MS
            )
            press(page.get_by_role("button", name="Clear all"))
            for metric in ("ROUGE-2", "BLEU"):
                pick_option(page.get_by_role("combobox", name="Metrics"), metric, exact=True, typed=metric)
            page.keyboard.press("Escape")  # the list that is still open hides the button from those who hear the page
            press(page.get_by_role("button", name=f"Run: {PAIRS} pairs × 14 perturbations × 2 metrics"))
            page.wait_for_url("**/evaluate?paper=ramprasad&run=*")
            address = page.url
            assert rewriter.enough.wait(WORK_MS / 1000)
            quiet(server.pid)  # what was answered is stored; an answer on its way is lost with the server
            page.goto("about:blank")  # one that lost its server says so
        rewriter.free.set()
        with serve(tmp_path, port=port, **settings):
            page.goto(address)
            press(page.get_by_role("button", name="Continue"))
            expect(page.get_by_text(f"Complete: {PAIRS} pairs")).to_be_visible(timeout=RUN_MS)
            for table in ("Figure 4.2: benign edits", "Figure 5.1: gaming", "Figure D.2: fillers"):
                expect(page.get_by_text(table)).to_be_visible()
            select_phrase(page)
            expect(page.get_by_role("heading", name="ROUGE-2 · ")).to_be_visible(timeout=WORK_MS)
    assert max(rewriter.answered.values()) == 1
