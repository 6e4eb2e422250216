"""The ten journeys of a user, walked in a browser: presses and seconds of each, as a Markdown table.

Run as `python -m tests.e2e.journeys`, with names of journeys for some alone. The exit status is 1 where a journey needs more
presses than its bar. Typing and pasting are no presses; choosing a file is one, as is a key that acts.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from annotations.people.people import Role
from core.stats.text_tables import markdown_table
from core.types import PRECOMPUTED
from tests.e2e.campaign_form import NEW, create
from tests.e2e.conftest import CHROMIUM, open_profile
from tests.e2e.server import serve
from tests.e2e.shared_server import SharedServer, opened, sign_in
from tests.e2e.waiting import START_MS, enter, idle
from tests.unit.core.models.llm.scripted import Body, Reply, listing, serving, text

DOCUMENT = "The ferry Alma left the harbour at nine with forty crates of apples. She reached the island before noon."
SUMMARY = "The ferry left at nine with apples. She reached the island before noon."
EDIT = {"original_text": "before noon", "replace_text": "after noon", "explanation": "The document says before noon."}
WORK_MS = 120_000
TRAIN_MS = 900_000  # a training of some minutes, on a machine that other work loads


@dataclass
class Walk:
    """One journey: the page, and the presses and seconds since it began."""

    page: Page
    url: str
    folder: Path
    presses: int = 0
    began: float = 0.0

    def start(self, path: str = "/") -> None:
        """Open a page of the application, drawn; the journey begins there."""
        self.page.goto(f"{self.url}{path}")
        expect(self.page.get_by_role("heading", level=1)).to_be_visible(timeout=START_MS)
        idle(self.page)
        self.presses, self.began = 0, time.monotonic()

    def press(self, target: Locator) -> None:
        target.wait_for(timeout=WORK_MS)
        idle(self.page, target)
        target.click()
        self.presses += 1

    def attach(self, field: Locator, path: Path) -> None:
        field.wait_for(state="attached", timeout=START_MS)
        idle(self.page)
        field.set_input_files(path)
        self.presses += 1

    def key(self, name: str) -> None:
        idle(self.page)
        self.page.keyboard.press(name)
        self.presses += 1

    def button(self, name: str | re.Pattern[str], *, exact: bool = True) -> Locator:
        return self.page.get_by_role("button", name=name, exact=exact).first

    def scored(self) -> None:
        expect(self.page.locator("#settled")).to_be_attached(timeout=WORK_MS)


def see_a_finding(walk: Walk) -> None:
    """Open the bare address and read the verdict."""
    walk.began = time.monotonic()
    walk.page.goto(walk.url)
    expect(walk.page.get_by_role("heading", level=1, name=re.compile(r"of \d+ metrics noticed"))).to_be_visible(
        timeout=WORK_MS
    )


def own_pair(walk: Walk) -> None:
    """Paste a document and a summary, and see them scored."""
    walk.start()
    walk.press(walk.button("Open a text"))
    form = walk.page.get_by_test_id("stPopoverBody")  # the editor of the summary has the name of a field there
    form.get_by_role("textbox", name="Document", exact=True).fill(DOCUMENT)
    form.get_by_role("textbox", name="Summary", exact=True).fill(SUMMARY)
    walk.press(walk.button("Open the pair"))
    expect(walk.page.locator(".editor textarea")).to_have_value(SUMMARY, timeout=START_MS)
    walk.scored()


def json_edit(walk: Walk) -> None:
    """Paste edit JSON and see what it does."""
    walk.start("/?example=news-harbour")
    walk.press(walk.page.get_by_role("tab", name="Edit JSON"))
    edit = {"original_text": "struck", "replace_text": "narrowly missed", "explanation": "She struck the quay."}
    walk.page.get_by_role("textbox", name="Executable edits").fill(json.dumps(edit))
    walk.press(walk.button("Execute"))
    expect(walk.page.locator(".editor textarea")).to_have_value(re.compile("narrowly missed"), timeout=START_MS)
    walk.scored()


def keep_to_record(walk: Walk) -> None:
    """Keep a pair and find it among the records."""
    walk.start("/?example=news-harbour/one-word")
    walk.scored()
    walk.press(walk.button(re.compile("^Keep pair"), exact=False))
    walk.press(walk.page.get_by_role("link", name="Records"))
    expect(walk.page.get_by_role("heading", level=1, name="Home")).to_be_visible(timeout=START_MS)
    expect(walk.page.get_by_test_id("stDataFrame").first).to_be_visible(timeout=START_MS)


def own_file_to_pair(walk: Walk) -> None:
    """A file of pairs, its matrix, a cell, and one of its pairs on Probe."""
    file = walk.folder / "pairs.jsonl"
    pairs = ({"document": f"{DOCUMENT} This was day {day}.", "summary": SUMMARY} for day in range(3))
    file.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), encoding="utf-8")
    walk.start("/stress")
    walk.attach(walk.page.locator("input[type=file]").first, file)
    walk.press(walk.button(re.compile("^Run: 3 pairs"), exact=False))
    expect(walk.page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=WORK_MS)
    walk.press(walk.page.locator(".matrix").get_by_role("button", name=re.compile("^ROUGE-2, ")).first)
    walk.press(walk.button("Open in Probe"))
    walk.scored()


def csv_to_latex(walk: Walk) -> None:
    """A CSV of labels and scores, its table, and that table as LaTeX on the clipboard."""
    file = walk.folder / "scores.csv"
    lines = [
        f'd{n},"{DOCUMENT} Day {n}.","{SUMMARY}",{("consistent", "inconsistent")[n % 2]},{0.9 - 0.1 * (n % 5)}'
        for n in range(12)
    ]
    file.write_text("\n".join(["id,document,summary,label,alignscore", *lines]), encoding="utf-8")
    walk.start("/evaluate")
    walk.press(walk.button("Import data"))
    walk.attach(walk.page.locator("input[type=file]").first, file)
    walk.press(walk.button("Import"))
    expect(walk.page.get_by_text(re.compile("12 new, 12 read"))).to_be_visible(timeout=WORK_MS)
    copy = walk.page.get_by_test_id("stPopoverButton").filter(has_text="Copy")
    walk.press(copy.last)
    walk.press(walk.page.get_by_role("button", name=re.compile("^LaTeX")).first)
    expect(walk.page.get_by_role("button", name=re.compile("^LaTeX")).first).to_have_text("Copied")
    if r"\toprule" not in walk.page.evaluate("navigator.clipboard.readText()"):
        raise AssertionError("The clipboard has no LaTeX table.")


def audit_to_report(walk: Walk) -> None:
    """An audit of the bundled examples, saved as the report that is sent."""
    walk.start("/audit")
    walk.press(walk.button("Audit"))
    with walk.page.expect_download(timeout=WORK_MS) as saved:
        walk.press(walk.button("HTML"))
    if "<html" not in Path(saved.value.path()).read_text(encoding="utf-8"):
        raise AssertionError("The report is no web page.")


def endpoint_to_explanation(walk: Walk) -> None:
    """A new endpoint, and an explanation of an edit by its model."""

    def answer(path: str, _body: Body) -> Reply:
        if path.endswith("/models"):
            return listing("small")
        return text(json.dumps({"consistent": "no", "explanation": "The document says that she struck it."}))

    with serving(answer) as endpoint:
        walk.start("/metrics")
        form = walk.page.locator(".st-key-new-endpoint")
        for label, value in {"Name": "own", "Address": endpoint.url, "Model": "small"}.items():
            form.get_by_label(label, exact=True).fill(value)
        walk.press(form.get_by_role("button", name="Add", exact=True))
        walk.press(walk.page.get_by_role("link", name="Explain a pair on Probe"))
        walk.scored()
        walk.press(walk.page.get_by_role("tab", name="Explain"))
        walk.press(walk.button("Explain"))
        expect(walk.page.get_by_text("The document says that she struck it.").first).to_be_visible(timeout=WORK_MS)


def train_to_probe(walk: Walk) -> None:
    """A metric trained on the bundled examples, tried on Probe."""
    walk.start(f"/evaluate?{urlencode({'dataset': PRECOMPUTED, 'tab': 'Train'})}")
    walk.press(walk.page.locator(".st-key-train-go").get_by_role("button"))
    tried = walk.button("Try it on Probe")
    tried.wait_for(timeout=TRAIN_MS)
    walk.press(tried)
    walk.scored()
    expect(walk.page.get_by_role("rowheader", name=re.compile("my-metric"))).to_be_visible()


def campaign(manager: Walk, shared_server: SharedServer, browser: Browser) -> None:
    """A campaign of one item that two people label differently, and its adjudication: one count of all three people."""
    sign_in(manager.page, shared_server, shared_server.code(Role.MANAGER)[1])
    codes = [shared_server.code()[1] for _ in range(2)]
    manager.start(f"/{NEW}")
    manager.page.get_by_role("textbox", name="Name of the campaign").fill("Two people")
    manager.press(manager.button("Which of them"))
    enter(manager.page.get_by_role("spinbutton", name="How many of"), "1")
    manager.key("Escape")
    manager.presses += 1
    id = create(manager.page)
    for code, keys in zip(codes, (("1", "5", "Enter"), ("3", "5", "Control+Enter")), strict=True):
        context = open_profile(browser)
        person = Walk(context.new_page(), manager.url, manager.folder)
        person.page.goto(f"{manager.url}/?invite={code}&campaign={id}")
        person.press(person.button(re.compile("^Start|^Begin"), exact=False))
        expect(person.page.locator(".labeller .where")).not_to_be_empty(timeout=START_MS)
        for key in keys:
            if key == "Control+Enter":
                expect(person.page.locator(".labeller textarea:focus")).to_be_visible()
                person.page.keyboard.type("The document says otherwise.")
            person.key(key)
        expect(person.page.get_by_text("You have labelled everything")).to_be_visible(timeout=START_MS)
        manager.presses += person.presses
        context.close()
    manager.page.goto(f"{manager.url}/review?campaign={id}")
    expect(manager.page.get_by_text("Why did people differ?")).to_be_visible(timeout=START_MS)
    for key in ("1", "g", "d"):
        manager.key(key)
    expect(manager.page.get_by_text("Nothing is left to adjudicate")).to_be_visible(timeout=START_MS)


JOURNEYS: Mapping[str, tuple[str, int, Callable[[Walk], None]]] = {
    "finding": ("See a finding", 0, see_a_finding),
    "pair": ("Own pair", 2, own_pair),
    "json": ("JSON edit", 3, json_edit),
    "keep": ("Keep → record", 2, keep_to_record),
    "file": ("Own file → matrix → pair", 4, own_file_to_pair),
    "csv": ("CSV → table → LaTeX on the clipboard", 6, csv_to_latex),
    "audit": ("Audit → report as a file", 3, audit_to_report),
    "endpoint": ("Endpoint → explanation", 4, endpoint_to_explanation),
    "train": ("Train → Probe", 2, train_to_probe),
}
"""The journeys on a server of one person: title, most presses, and the way."""

_CAMPAIGN, _CAMPAIGN_BAR = "campaign", 12


@contextmanager
def walking(browser: Browser, url: str, folder: Path) -> Iterator[Walk]:
    """A journey in a fresh profile that may use the clipboard."""
    context = open_profile(browser)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield Walk(context.new_page(), url, folder)
    context.close()


def walk_all(names: list[str], folder: Path) -> list[tuple[str, int, int, float]]:
    """Title, bar, presses and seconds of each journey that is named, of all where none is."""
    rows: list[tuple[str, int, int, float]] = []

    def note(title: str, bar: int, walk: Walk) -> None:
        rows.append((title, bar, walk.presses, time.monotonic() - walk.began))
        sys.stderr.write(f"{title}: {walk.presses} presses, {rows[-1][-1]:.1f} s\n")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        chosen = {name: JOURNEYS[name] for name in names or JOURNEYS if name in JOURNEYS}
        with serve(folder) as server:
            for title, bar, way in chosen.values():
                with walking(browser, server.url, folder) as walk:
                    way(walk)
                    note(title, bar, walk)
        if not names or _CAMPAIGN in names:
            shared = folder / "shared"
            shared.mkdir()
            with opened(shared) as shared_server, walking(browser, shared_server.server.url, folder) as walk:
                campaign(walk, shared_server, browser)
                note("Campaign of two people with adjudication", _CAMPAIGN_BAR, walk)
        browser.close()
    return rows


def main(names: list[str]) -> int:
    """Print the table; 1 where a bar is missed."""
    known = [*JOURNEYS, _CAMPAIGN]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"No journey is named {', '.join(unknown)}. There are {', '.join(known)}.")
    with tempfile.TemporaryDirectory() as folder:
        rows = walk_all(names, Path(folder))
    lines = [[title, str(presses), str(bar), f"{seconds:.1f}"] for title, bar, presses, seconds in rows]
    sys.stdout.write(markdown_table(["journey", "presses", "at most", "seconds"], lines) + "\n")
    return int(any(presses > bar for _, bar, presses, _ in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
