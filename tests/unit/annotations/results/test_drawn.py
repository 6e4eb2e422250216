"""A campaign of items that are drawn from a pool: it stops by itself, and keeps the probability of each with its label."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent
from annotations.campaigns.task_texts import ShownTask
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.exchange.samples import load_samples
from annotations.labelling.labelling import AnnotatorActions
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.results.drawn import CampaignDrawing
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import RecordError
from annotations.store.store import Store
from core.errors import TouchstoneError
from core.results.cases.cases import select_metrics
from core.results.cases.pool_draw import DrawRequest, draw_samples
from core.results.cases.pool_rates import draw_of_labels
from core.results.cases.pooling import pool_cases
from core.results.cases.summary_pool import pool_of_cases
from core.types import Example, Item, StoredScore
from tests.unit.annotations.campaigns.actors import CampaignFixture

MANAGER = Member("1", "Ada", Role.MANAGER)
SIZE = 90


def imported(store: Store, size: int = SIZE) -> float:
    """A pool with the scores of one metric and no label; the share of its summaries that say "raft"."""
    rng = np.random.default_rng(4)
    wrong = rng.random(size) < 0.2
    scores = rng.normal(size=size) - 2 * wrong
    items = [
        Item(
            Example(f"s{number}", f"Boat {number} took crates.", f"{'Raft' if wrong[number] else 'Boat'} {number}."),
            scores=(StoredScore("align", float(scores[number])),),
        )
        for number in range(size)
    ]
    store.import_dataset(DatasetSource("harbour", "table", "harbour.csv", "0", "MIT", "", "Ada"), items, dict)
    return float(wrong.mean())


def drawing(store: Store, points: float = 20.0, **others: Any) -> CampaignDrawing:
    found = draw_samples(load_samples(store, "harbour"), DrawRequest("active", points / 100, seed=3))
    return CampaignDrawing("Rafts", "active", points, "harbour", found.metrics, found.draw, found.items, **others)


def drawn(store: Store) -> CampaignFixture:
    return CampaignFixture(store, ManagerActions(store, MANAGER).draw(drawing(store)))


def label(opened: CampaignFixture, annotator: AnnotatorActions) -> str:
    """Say what a summary says; the reason where there is none."""
    work = annotator.next(opened.campaign.id)
    if not isinstance(work, ShownTask):
        return work.reason
    verdict = "inconsistent" if work.left.startswith("Raft") else "consistent"
    opened.send(annotator, work, answers={"verdict": verdict, "confidence": 5, "reason": "A raft."})
    return ""


def label_until_it_stops(opened: CampaignFixture) -> str:
    people = [opened.annotator(name) for name in ("ben", "cem", "dil")]
    for number in range(4 * SIZE):
        if reason := label(opened, people[number % 3]):
            return reason
    raise AssertionError("It goes on.")


def test_a_campaign_stops_by_itself_and_its_labels_give_the_rate_with_their_probabilities(store: Store) -> None:
    truth = imported(store)
    opened = drawn(store)
    assert label_until_it_stops(opened) == "stopped"
    progress = ManagerActions(store, MANAGER).progress(opened.campaign.id)
    draw = progress.draw
    assert draw
    assert draw.stopped
    assert draw.margin <= 20
    assert draw.low <= truth <= draw.high
    assert draw.labels < SIZE
    samples = [load_samples(store, name) for name in ("harbour", "campaign: Rafts")]
    cases = pool_cases(samples)
    assert [column.name for column in cases.all_columns] == ["align"]  # a probability is no metric's score
    pool = pool_of_cases(select_metrics(cases, ["align"]))
    assert pool.probabilities is not None
    assert len(pool.ids) == SIZE
    found = draw_of_labels(pool)
    assert len(found.rows) == progress.answered
    low, high = found.powered.interval()
    assert low <= truth <= high


def test_items_come_in_the_order_of_their_draw_and_one_that_is_skipped_counts_either_way(store: Store) -> None:
    imported(store)
    opened = drawn(store)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    first = opened.next_task(ben)
    second = opened.next_task(cem)
    assert label(opened, cem) == ""
    progress = ManagerActions(store, MANAGER).progress(opened.campaign.id).draw
    assert progress
    assert (progress.labels, progress.open) == (0, 0)  # the first one is not done, and what comes after waits for it
    opened.send(ben, first, "skip")
    progress = ManagerActions(store, MANAGER).progress(opened.campaign.id).draw
    assert progress
    assert (progress.labels, progress.open) == (2, 1)
    assert first.left != second.left


@pytest.mark.slow
def test_every_export_has_the_probability_and_the_campaign_goes_on_elsewhere(
    store: Store, tmp_path: Path, migrated_database: Path
) -> None:
    imported(store, 40)
    opened = drawn(store)
    annotator = opened.annotator("ben")
    for _ in range(12):
        label(opened, annotator)
    text = ExportActions(store, MANAGER).file(opened.campaign.id, "jsonl", ExportTerms()).decode()
    rows = [json.loads(line) for line in text.splitlines()]
    labels = [row for row in rows if row["kind"] == "label"]
    assert all(0 < row["selection_probability"] <= 1 for row in labels)
    assert sum(1 / row["selection_probability"] for row in labels) == pytest.approx(40, rel=0.5)
    before = ManagerActions(store, MANAGER).progress(opened.campaign.id).draw
    other_path = tmp_path / "other.db"
    shutil.copyfile(migrated_database, other_path)
    with closing(Store.open(f"sqlite:///{other_path}")) as other:
        broken = [json.dumps({**row, "size": 39} if row["kind"] == "draw" else row) for row in rows]
        with pytest.raises(RecordError, match="scores of the draw"):
            import_campaign(other, broken)
        weightless = [
            json.dumps({**row, "drawn": [[*one[:2], 0.0, one[3]] for one in row["drawn"]]} if "drawn" in row else row)
            for row in rows
        ]
        with pytest.raises(RecordError, match="no possible weight"):
            import_campaign(other, weightless)
        copied = import_campaign(other, text.splitlines())
        assert ManagerActions(other, MANAGER).progress(copied.id).draw == before


def test_what_cannot_be_drawn_is_refused_with_what_to_do(store: Store) -> None:
    imported(store, 30)
    with pytest.raises(TouchstoneError, match="above 0 and below 50"):
        drawing(store, 60)
    with pytest.raises(TouchstoneError, match="verdict on one summary"):
        ManagerActions(store, MANAGER).draw(drawing(store, questions="label-pairs"))
    with pytest.raises(TouchstoneError, match="no summary with its texts"):
        draw_samples([], DrawRequest("random", 0.1))
    opened, manager = drawn(store), ManagerActions(store, MANAGER)
    [version] = manager.versions(opened.campaign.id)
    for order in ("random", "disagreement"):
        rules = CampaignRules(order=order)
        with pytest.raises(RecordError, match="order of a draw"):
            manager.revise(opened.campaign.id, VersionContent(version.content.questions, "", rules))
    with pytest.raises(RecordError, match="were drawn from a pool"):
        manager.add(opened.campaign.id, [NewTask("x")])
    narrower = version.content.rules.model_copy(update={"stop_points": 5.0})
    manager.revise(opened.campaign.id, VersionContent(version.content.questions, "", narrower))
