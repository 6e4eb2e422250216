"""Sixty labels become a metric made of three, its threshold, the share of wrong summaries, and a report."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import WORK_MS
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, attach, enter, pick_option, press

pytestmark = pytest.mark.e2e

MEMBERS = ("ROUGE-2", "Extractive coverage", "Entity overlap")
NAMES = ("Ariel", "Bergen", "Corvo", "Delft", "Elba", "Faro", "Genoa", "Hull")
DOCUMENTS = 60


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own, where metrics are saved."""
    folder = tmp_path_factory.mktemp("combine")
    with serve(folder, TOUCHSTONE_METRICS_DIR=str(folder / "metrics")) as running:
        yield running


def labels_file(folder: Path) -> Path:
    """A table of two summaries of each document, wrong in a name or in some words every other time; one of them has a label."""
    rng = random.Random(4)
    words = [f"word{number}" for number in range(300)]
    rows = []
    for number in range(DOCUMENTS):
        ship, port = rng.sample(NAMES, 2)
        told = rng.sample(words, 12)
        document = f"The {ship} left {port} with {number + 2} crates of goods. {' '.join(told[:6]).capitalize()}. {' '.join(told[6:]).capitalize()}."
        for place, cargo in enumerate(("crates", "goods")):
            wrong, by_name = rng.random() < 0.5, rng.random() < 0.5
            other = rng.choice([name for name in NAMES if name not in (ship, port)])
            new = rng.randint(2, 4) if wrong and not by_name else rng.randint(0, 2)
            kept = [*told[: 6 - new], *rng.sample(words, new)]
            summary = f"The {other if wrong and by_name else ship} left with {cargo}. {' '.join(kept).capitalize()}."
            label = "" if (place + number) % 2 else "inconsistent" if wrong else "consistent"
            rows.append((f"s{number}-{place}", document, summary, label))
    path = folder / "ships.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "document", "summary", "label"), *rows])
    return path


@pytest.mark.slow
def test_sixty_labels_become_a_metric_a_threshold_a_rate_and_a_report(
    page: Page, fresh: Server, tmp_path: Path
) -> None:
    data = f"{fresh.url}/evaluate?dataset=ships"
    page.goto(f"{fresh.url}/evaluate")
    overview = page.get_by_text("ROC AUC with 95 % intervals, Overall")
    expect(overview).to_be_visible(timeout=WORK_MS)
    press(page.get_by_role("button", name="Import data"))
    attach(page.locator("input[type=file]").first, labels_file(tmp_path))
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_enabled(timeout=WORK_MS)
    enter(page.get_by_role("textbox", name="Name of the dataset"), "ships")
    press(page.get_by_role("button", name="Import", exact=True))
    expect(page.get_by_text("ships: 120 new, 120 read.")).to_be_visible(timeout=WORK_MS)

    page.goto(f"{data}&tab=data")
    press(page.get_by_role("button", name="Score", exact=True))
    expect(page.get_by_text("scores saved, 0 of them failures")).to_be_visible(timeout=WORK_MS)

    page.goto(f"{data}&tab=combine")
    members = page.get_by_role("combobox", name="Members")
    for title in MEMBERS:
        pick_option(members, title, exact=True)
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Save as a metric")).to_be_visible(timeout=WORK_MS)
    expect(page.get_by_text("The combination has an area under the ROC curve of")).to_be_visible()
    enter(page.get_by_role("textbox", name="Name"), "my-mix")
    press(page.get_by_role("button", name="Save as a metric"))
    expect(page.get_by_text("my-mix is a metric now")).to_be_visible(timeout=START_MS)
    press(page.get_by_role("button", name="Score ships with it"))
    expect(page.get_by_text("120 scores saved, 0 of them failures")).to_be_visible(timeout=WORK_MS)

    page.goto(f"{data}&tab=calibration&metric=my-mix")
    expect(page.get_by_role("heading", name="A threshold of your own")).to_be_visible(timeout=WORK_MS)
    expect(page.get_by_text("My mix: consistent from a score of at least")).to_be_visible(timeout=WORK_MS)
    enter(page.get_by_role("textbox", name="Name"), "own")
    press(page.get_by_role("button", name="Save threshold"))
    expect(page.get_by_text("Saved as own")).to_be_visible(timeout=START_MS)

    page.goto(f"{data}&tab=prevalence&metric=my-mix")
    rate = page.get_by_text("of 120 summaries are inconsistent")
    expect(rate.first).to_be_visible(timeout=WORK_MS)
    press(page.get_by_role("button", name="Pin", exact=True))
    form = page.get_by_test_id("stPopoverBody")
    form.get_by_label("Text above it").fill("By sixty labels and a metric made of three:")
    press(form.get_by_role("button", name="Add to the report"))
    expect(page.get_by_text("Pinned to “Project”")).to_be_visible(timeout=START_MS)

    page.goto(f"{fresh.url}/projects")
    expect(page.get_by_text("By sixty labels and a metric made of three:")).to_be_visible(timeout=START_MS)
    expect(rate.first).to_be_visible()
