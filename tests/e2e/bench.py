"""The Probe page as a person handles it: by names on the screen, waiting for states and never for times."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from core.data.datasets.bundled import bundled_items
from core.types import Item
from pages.ui.probe.board_scores import texts_fingerprint
from tests.e2e.server import Server
from tests.e2e.waiting import START_MS, enter, press

WORK_MS = 120_000  # scoring, importing or a run, on the slowest machine that the tests run on

HARBOUR = "news-harbour"


def example(id: str = HARBOUR) -> Item:
    """A bundled item by its id."""
    return next(item for item in bundled_items() if item.example.id == id)


@dataclass(frozen=True)
class Bench:
    """One open Probe page and the server behind it."""

    page: Page
    server: Server

    @property
    def box(self) -> Locator:
        """Where the summary is written."""
        return self.page.locator(".editor textarea")

    @property
    def metrics_button(self) -> Locator:
        """Opens the choice of metrics; the bar of pages has a button whose name ends alike."""
        return self.page.get_by_test_id("stMain").get_by_role("button", name="Metrics")

    def open(self, query: str = f"?example={HARBOUR}") -> None:
        """Open Probe, on the first example unless the query says something else; "" opens what a first visitor sees."""
        self.page.goto(f"{self.server.url}/{query}")
        expect(self.page.locator("#settled")).to_be_attached(timeout=START_MS)
        # the board comes before the toolbar, whose buttons hear their keys once they are drawn
        expect(self.page.get_by_role("button", name="Reset", exact=True)).to_be_visible()

    def settled(self, document: str, summary: str, timeout: float = START_MS) -> None:
        """Wait until every score of these texts has come."""
        rev = texts_fingerprint(document, summary)
        self.page.locator(f'#settled[data-rev="{rev}"]').wait_for(state="attached", timeout=timeout)

    def shows(self, summary: str) -> None:
        """Wait until the first example stands there with this summary, scored."""
        expect(self.box).to_have_value(summary)
        self.settled(example().example.document, summary)

    def write(self, summary: str) -> None:
        self.box.fill(summary)

    def variant(self, title: str) -> None:
        self.page.get_by_role("button", name="Try an edit").click()
        self.page.locator(".st-key-edit-menu").get_by_role("button", name=title).click()

    def select_words(self, words: str) -> None:
        """Select words of the summary as a mouse would."""
        self.box.evaluate(
            """(box, words) => {
            const at = box.value.indexOf(words);
            box.focus(); box.setSelectionRange(at, at + words.length);
            }""",
            words,
        )
        expect(self.page.get_by_role("group", name="Replace the selected words")).to_be_visible()

    def replace(self, words: str, by: str, explanation: str) -> None:
        self.select_words(words)
        self.page.get_by_label("Replacement").fill(by)
        self.page.get_by_label("Explanation, optional").fill(explanation)
        self.page.get_by_label("Replacement").press("Enter")

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()

    def execute(self, json: str) -> None:
        """Paste edit JSON and execute it."""
        self.tab("Edit JSON")
        self.page.get_by_role("textbox", name="Executable edits").fill(json)
        self.press("Execute")

    def choose(self, group: str, option: str) -> None:
        self.page.get_by_role("radiogroup", name=group).get_by_role("radio", name=option, exact=True).click()

    def chosen(self, group: str, option: str) -> Locator:
        return self.page.get_by_role("radiogroup", name=group).get_by_role("radio", name=option, exact=True)

    def row(self, spec: str) -> Locator:
        return self.page.locator(f'tr[data-spec="{spec}"]')

    def score(self, spec: str, column: str = "after") -> Locator:
        return self.row(spec).locator(f"td.{column} .value")

    def cell(self, spec: str, sentence: int) -> Locator:
        """A cell of the heat map; sentences count from 1."""
        return self.row(spec).locator(".heat").nth(sentence - 1)

    def evidence(self) -> Locator:
        return self.page.locator(".document mark")

    def add_metric(self, spec: str) -> None:
        press(self.metrics_button)
        enter(self.page.get_by_role("textbox", name="Add one with other settings"), spec)

    def message(self, words: str) -> None:
        """Wait until a notice or error with these words can be read."""
        said = self.page.get_by_test_id("stAlert").or_(self.page.get_by_test_id("stToast"))
        expect(said.filter(has_text=words).last).to_be_visible()
