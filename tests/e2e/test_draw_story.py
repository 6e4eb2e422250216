"""A pool of 5,000: plan, draw, twenty people, stop, rate."""

from __future__ import annotations

import time
from urllib.parse import quote_plus
import uuid
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from annotations.campaigns.labelling import AnnotatorActions
from annotations.campaigns.manage import ManagerActions
from annotations.campaigns.people import Member, Role, add_person
from annotations.campaigns.responses import SentResponse
from annotations.campaigns.task_texts import ShownTask
from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.types import Example, Item, ReleasedScore
from tests.e2e.bench import WORK_MS
from tests.e2e.server import Server, serve
from tests.e2e.waiting import enter, press

pytestmark = pytest.mark.e2e
SIZE = 5000


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("draw")
    with serve(folder) as running:
        with closing(running.store()) as store:
            keep(store)
        yield running


def keep(store: Store) -> float:
    rng = np.random.default_rng(8)
    wrong = rng.random(SIZE) < 0.11
    scores = rng.normal(size=SIZE) - 1.4 * wrong
    items = [
        Item(
            Example(
                f"s{n}",
                f"Boat {n} took crates to the mill at noon.",
                f"{'Raft' if wrong[n] else 'Boat'} {n} took crates.",
            ),
            scores=(ReleasedScore("align", float(scores[n])),),
        )
        for n in range(SIZE)
    ]
    store.import_dataset(DatasetSource("harbour", "table", "harbour.csv", "0", "MIT", "", "Ada"), items, dict)
    print("truth", 100 * wrong.mean())
    return float(wrong.mean())


def test_story(page: Page, fresh: Server) -> None:
    page.set_viewport_size({"width": 1280, "height": 1500})
    page.goto(f"{fresh.url}/evaluate?dataset=harbour&tab=label-plan")
    expect(page.get_by_role("heading", name="Draw a campaign")).to_be_visible(timeout=WORK_MS)
    page.screenshot(path="/tmp/rate/1.png")
    enter(page.get_by_label("± points", exact=True), "4")
    enter(page.get_by_label("Assumed rate", exact=True), "10")
    enter(page.get_by_label("Assumed auc", exact=True), "75")
    expect(page.get_by_text("± 4 points take")).to_be_visible(timeout=WORK_MS)
    page.screenshot(path="/tmp/rate/2.png")
    press(page.get_by_role("button", name="Draw a campaign"))
    expect(page.get_by_text("wait under Annotate")).to_be_visible(timeout=WORK_MS)
    page.screenshot(path="/tmp/rate/3.png", full_page=True)
    press(page.get_by_role("link", name="Its progress"))
    expect(page.get_by_text("It stops by itself")).to_be_visible(timeout=WORK_MS)
    page.screenshot(path="/tmp/rate/4.png")
    with closing(fresh.store()) as store:
        manager = ManagerActions(store, Member("", "Ada", Role.MANAGER))
        [campaign] = manager.campaigns()
        with store.writing() as session:
            people = [add_person(session, f"person {n}", Role.ANNOTATOR) for n in range(20)]
        actors = [AnnotatorActions(store, one) for one in people]
        done, times, rng = 0, [], np.random.default_rng(1)
        stopped = 0
        while stopped < 20:
            who = actors[int(rng.integers(20))]
            work = who.next(campaign.id)
            if not isinstance(work, ShownTask):
                print(work)
                stopped += 1
                continue
            verdict = "inconsistent" if work.left.startswith("Raft") else "consistent"
            begun = time.perf_counter()
            who.send(
                SentResponse(
                    work.reservation,
                    "answer",
                    uuid.uuid4().hex,
                    {"verdict": verdict, "confidence": 5, "reason": "A raft."},
                )
            )
            times.append(time.perf_counter() - begun)
            done += 1
        print("labels", done, "ms median", 1000 * np.median(times), "max", 1000 * max(times))
        print(manager.progress(campaign.id).draw)
    page.goto(f"{fresh.url}/campaigns?campaign={campaign.id}")
    expect(page.get_by_text("The labels are enough")).to_be_visible(timeout=WORK_MS)
    page.screenshot(path="/tmp/rate/5.png")
    page.goto(f"{fresh.url}/annotate?campaign={campaign.id}")
    press(page.get_by_role("button", name="Start"))
    expect(page.get_by_text("The labels are enough")).to_be_visible(timeout=WORK_MS)
    page.screenshot(path="/tmp/rate/6.png")
    page.goto(
        f"{fresh.url}/evaluate?dataset=harbour&dataset=campaign:+{quote_plus(campaign.name)}&tab=prevalence"
    )
    expect(page.get_by_text("5,000 summaries are inconsistent").first).to_be_visible(timeout=WORK_MS)
    page.screenshot(path="/tmp/rate/7.png")
