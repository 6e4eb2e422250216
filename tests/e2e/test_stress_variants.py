"""A table of variants that others made becomes a run on the Stress page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import WORK_MS, Bench
from tests.e2e.matrix import select_cell
from tests.e2e.server import Server
from tests.e2e.waiting import attach, enter, press

pytestmark = pytest.mark.e2e

DOCUMENT = "The mill number {} burned on Monday. Orla Voss had sold it in 1990 to a bank."
ROW = '"{0}","The mill number {1} burned on Monday.","The mill number {1} burned on Friday.",wrong day,breaking'


def test_a_table_of_variants_is_scored_under_its_own_kinds(page: Page, server: Server, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    rows = [ROW.format(DOCUMENT.format(number), number) for number in range(3)]
    lines = ["document,original,variant,kind,intent", *rows, '"a","b c","b c",same,breaking']
    table.write_text("\n".join(lines), encoding="utf-8")
    Bench(page, server).open()
    page.get_by_role("link", name="Stress test").click()
    press(page.get_by_text("A table of variants", exact=True))
    empty = tmp_path / "empty-table.csv"
    empty.write_text(lines[0], encoding="utf-8")
    attach(page.get_by_test_id("stFileUploaderDropzoneInput"), empty)
    expect(page.get_by_text("empty-table.csv holds no variant that can be read.")).to_be_visible(timeout=WORK_MS)
    attach(page.get_by_test_id("stFileUploaderDropzoneInput"), table)
    expect(page.get_by_text("Line 5: The variant is the original itself.")).to_be_visible(timeout=WORK_MS)
    expect(page.get_by_text("1 line left out:")).to_be_visible()
    expect(page.get_by_text("wrong day (imported): 3 variants.")).to_be_visible()
    enter(page.get_by_role("textbox", name="Name of the run"), "Variants of others")
    press(page.get_by_role("button", name="Run: 3 pairs × 1 perturbations"))
    expect(page.get_by_role("tab", name="Shifts")).to_be_visible(timeout=WORK_MS)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=WORK_MS)
    select_cell(page, "ROUGE-2", "wrong day (imported)")
    expect(page.get_by_role("heading", name="ROUGE-2 · wrong day (imported)")).to_be_visible()
