"""A manager's hands from an own table to the same table with labels: few presses, and what was pressed is what comes out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from annotations.people.people import Role
from tests.e2e.campaign_form import NEW, choose_items, create, form_is_there
from tests.e2e.shared_server import AnnotatePage, SharedServer, sign_in
from tests.e2e.test_campaign_from_file import own_table
from tests.e2e.waiting import START_MS, attach, download, enter, idle, press

pytestmark = pytest.mark.e2e

NAME = "Lighthouse of {} rows"
_READING_MS = 1_000
MOST_PRESSES, MOST_SECONDS = 25, 300

_COUNT_PRESSES = """
const count = () => sessionStorage.setItem('presses', Number(sessionStorage.getItem('presses') || 0) + 1);
if (self === top && location.protocol.startsWith('http') && !window.countsPresses) {
  window.countsPresses = true;  // a page that comes again has the script twice
  addEventListener('pointerdown', count, true);
  addEventListener('keydown', count, true);
}
"""
_FILE_PRESSES = 2  # the button of the field, and the file in the window of the system, which no script sees


def created(manager: Page, table: Path, items: int) -> str:
    """A campaign of the file for three people each; its id."""
    enter(manager.get_by_role("textbox", name="Name of the campaign"), NAME.format(items))
    choose_items(manager, "From a file")
    box = manager.get_by_test_id("stFileUploader").filter(has_text="Your file")
    attach(box.locator("input[type=file]"), table)
    expect(manager.get_by_text(f"{items} items in lighthouse.csv.")).to_be_visible(timeout=START_MS)
    enter(manager.get_by_role("spinbutton", name="People per item"), "3")
    return create(manager)


def label_by_keys(
    annotate_page: AnnotatePage, code: str, campaign: str, items: int, others: Sequence[Mapping[str, str]] = ()
) -> dict[str, str]:
    """Label so many items by keys; the verdict by summary. Those that end in 7 are inconsistent, but for the first that all `others` labelled."""
    annotate_page.page.goto(f"{annotate_page.shared_server.server.url}/?invite={code}&campaign={campaign}")
    annotate_page.start()
    verdicts: dict[str, str] = {}
    is_odd_done = not others
    for number in range(1, items + 1):
        annotate_page.at(f"Item {number}")
        summary = annotate_page.page.locator(".labeller .texts .text").first.inner_text().strip()
        is_wrong = summary.endswith("7.")
        if not is_odd_done and all(summary in other for other in others):
            is_wrong, is_odd_done = not is_wrong, True
        annotate_page.keys("3" if is_wrong else "1")
        # who labels most items in less than a second is paused
        annotate_page.page.keyboard.press("5", delay=_READING_MS if number % 3 else 0)
        if is_wrong:
            annotate_page.write("It was six.")
        annotate_page.keys("Enter")
        annotate_page.past(number)
        verdicts[summary] = "inconsistent" if is_wrong else "consistent"
    return verdicts


def adjudicated(manager: Page, words: str) -> None:
    """Decide the one dispute by keys."""
    press(manager.get_by_role("tab", name="Review"))
    expect(manager.get_by_role("radio", name="To adjudicate · 1")).to_be_visible(timeout=START_MS)
    idle(manager)
    number = next(n for n in (1, 2, 3) if words in manager.locator(f".st-key-label-{n}").inner_text().split("\n"))
    manager.keyboard.press(str(number))
    expect(manager.get_by_role("radio", name=words, exact=True)).to_be_checked()
    idle(manager)
    manager.keyboard.press("s")
    expect(manager.get_by_role("button", name="Annotator slip").get_by_text("check")).to_be_visible()
    manager.keyboard.press("d")
    expect(manager.get_by_text("Nothing is left to adjudicate")).to_be_visible(timeout=START_MS)


def expected_decisions(verdicts: Sequence[Mapping[str, str]]) -> dict[str, tuple[str, str]]:
    """The decision and the answer of each labelled item: the one dispute was settled as inconsistent."""
    decisions = {}
    for summary in {summary for person in verdicts for summary in person}:
        given = [person[summary] for person in verdicts if summary in person]
        if len(set(given)) > 1:
            decisions[summary] = ("adjudicated", "inconsistent")
        else:
            decisions[summary] = ("unanimous" if len(given) > 1 else "of one person", given[0])
    return decisions


@pytest.mark.parametrize(("rows", "items"), [(4, 4), pytest.param(300, 20, marks=pytest.mark.slow)])
def test_a_table_becomes_labels_and_decisions_in_few_presses(
    new_page: Callable[[], Page],
    shared_server: SharedServer,
    tmp_path: Path,
    rows: int,
    items: int,
) -> None:
    table = own_table(tmp_path, rows)
    manager = new_page()
    manager.add_init_script(_COUNT_PRESSES)
    sign_in(manager, shared_server, shared_server.code(Role.MANAGER)[1])
    manager.goto(f"{shared_server.server.url}/{NEW}")
    form_is_there(manager)
    manager.evaluate("sessionStorage.setItem('presses', 0)")
    start = time.monotonic()
    campaign = created(manager, tmp_path / "lighthouse.csv", rows)
    hands_s = time.monotonic() - start

    verdicts: list[dict[str, str]] = []
    for name in ("reader one", "reader two", "reader three"):
        code = shared_server.code(name=f"{name} of {rows}")[1]
        others = verdicts if name == "reader three" else ()
        verdicts.append(label_by_keys(AnnotatePage(new_page(), shared_server), code, campaign, items, others))

    start = time.monotonic()
    adjudicated(manager, "Inconsistent")
    labels = pd.read_csv(download(manager.get_by_role("button", name="Export labels.csv")))
    answers = pd.read_csv(download(manager.get_by_role("button", name="Export items.csv")))
    hands_s += time.monotonic() - start
    presses = int(manager.evaluate("sessionStorage.getItem('presses')")) + _FILE_PRESSES
    logging.getLogger(__name__).info("%d rows: %d presses, %.1f s of the manager's hands", rows, presses, hands_s)
    assert presses <= MOST_PRESSES
    assert hands_s <= MOST_SECONDS

    pressed = sorted((summary, verdict) for person in verdicts for summary, verdict in person.items())
    assert sorted(zip(labels["summary"], labels["answer.verdict"], strict=True)) == pressed
    own = ["record", "document", "summary", "model", "shift"]
    back = answers[own].sort_values("record").reset_index(drop=True)
    pd.testing.assert_frame_equal(back, table[own].reset_index(drop=True))
    labelled = answers[answers["decision"] != "not labelled"]
    decisions = dict(
        zip(labelled["summary"], zip(labelled["decision"], labelled["decided.verdict"], strict=True), strict=True)
    )
    expected = expected_decisions(verdicts)
    assert decisions == expected
    assert [decision for decision, _ in expected.values()].count("adjudicated") == 1
    assert set(labels["record"]) == set(labelled["record"])
