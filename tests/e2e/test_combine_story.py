"""Sixty labels become a metric made of three, its threshold, the share of wrong summaries, and a report."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from annotations.exchange.samples import load_texts
from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.engine.engine import Engine
from core.metric import METRICS
from core.settings import Settings
from core.types import Example, Item, Verdict
from tests.e2e.bench import WORK_MS
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, enter, press

pytestmark = pytest.mark.e2e

NAMES = ("Ariel", "Bergen", "Corvo", "Delft", "Elba", "Faro", "Genoa", "Hull")
DOCUMENTS = 60


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own, with a dataset of 120 summaries of which one for each document has a label."""
    folder = tmp_path_factory.mktemp("combine")
    with serve(folder, TOUCHSTONE_METRICS_DIR=str(folder / "metrics")) as running:
        with (
            closing(running.store()) as store,
            closing(Engine.open(Settings(cache_dir=folder / "own-cache", device="cpu"))) as engine,
        ):
            keep_summaries(store)
            metrics = [METRICS.parse(name) for name in ("rouge2", "coverage", "word-novelty")]
            store.save_outcomes([one for _, one in engine.run(metrics, load_texts(store, "ships"))])
        yield running


def keep_summaries(store: Store) -> None:
    """Two summaries of each document, wrong in a name or in some words every other time; the first has a label."""
    rng = random.Random(4)
    words = [f"word{number}" for number in range(300)]
    items = []
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
            verdict = None if place else Verdict.INCONSISTENT if wrong else Verdict.CONSISTENT
            items.append(Item(Example(f"s{number}-{place}", document, summary), intended=verdict, group=f"g{number}"))
    store.import_dataset(DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), items, dict)


@pytest.mark.slow
def test_sixty_labels_become_a_metric_a_threshold_a_rate_and_a_report(page: Page, fresh: Server) -> None:
    data = f"{fresh.url}/evaluate?dataset=ships"
    page.goto(f"{data}&tab=combine")
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
