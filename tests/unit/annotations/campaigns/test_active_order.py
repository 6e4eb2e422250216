"""Active order: what metrics disagree on comes first, the annotator is not told, and agreement is."""

from __future__ import annotations

import numpy as np
import pytest

from annotations.campaigns.active_order import ORDER_NOTE, order_by_disagreement, rank_disagreement
from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent
from annotations.campaigns.questions import bundled_question_sets
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.database import read_session
from annotations.store.records import PairRecord, RecordError
from annotations.store.store import Store
from annotations.store.tables import ItemRow
from core.types import Edit, Result, Seen, Span
from tests.unit.annotations.campaigns.actors import CampaignFixture, save_items

MANAGER = Member("1", "Ada", Role.MANAGER)
nan = np.nan
DIRECTIONS = {"hallucination": "lower", "length": "neutral"}


def score(store: Store, item: str, **by_metric: float) -> None:
    store.save_outcomes(
        [Result(item, metric, f"{metric}|1", value, (), Seen(), 0.0, "cpu") for metric, value in by_metric.items()]
    )


def ordered(store: Store, items: list[str], unit: str = "summary") -> list[str]:
    with read_session(store.engine) as session:
        tasks, _ = order_by_disagreement(session, unit, [NewTask(id) for id in items], DIRECTIONS)
    return [task.item_id for task in tasks]


def test_what_metrics_rank_most_differently_comes_first_and_what_has_no_scores_last(store: Store) -> None:
    none, one, alike, apart, low = (save_items(store, number)[0] for number in range(5))
    score(store, one, align=0.4)
    score(store, alike, align=0.5, summac=0.5)
    score(store, apart, align=0.9, summac=0.1)
    score(store, low, align=0.1, summac=0.2)
    assert ordered(store, [none, one, alike, low, apart])[:1] == [apart]
    assert ordered(store, [none, one, alike, low, apart])[-2:] == [none, one]


def test_a_metric_that_falls_with_consistency_is_turned_and_a_surface_statistic_does_not_count(store: Store) -> None:
    first, second = (save_items(store, number)[0] for number in range(2))
    score(store, first, align=0.9, hallucination=0.1, length=5)
    score(store, second, align=0.1, hallucination=0.9, length=900)
    with read_session(store.engine) as session:
        tasks, compared = order_by_disagreement(session, "summary", [NewTask(second), NewTask(first)], DIRECTIONS)
    assert [task.item_id for task in tasks] == [second, first]  # nobody disagrees: as it was
    assert compared == 2


def test_of_a_pair_the_shift_counts(store: Store) -> None:
    items = [save_items(store, number)[0] for number in range(3)]
    with read_session(store.engine) as session:
        originals = [session.get_one(ItemRow, item).parent_id or "" for item in items]
    for original in originals:
        score(store, original, align=0.5, summac=0.5)
    for item, (align, summac) in zip(items, ((0.5, 0.5), (0.9, 0.9), (0.1, 0.95)), strict=True):
        score(store, item, align=align, summac=summac)
    assert ordered(store, items, "pair")[0] == items[2]


def test_without_scores_of_two_metrics_it_is_refused(store: Store) -> None:
    items = save_items(store, 1)
    score(store, items[0], align=0.5)
    with pytest.raises(RecordError, match="stored scores of two metrics"):
        ordered(store, items)


def make_ordered(store: Store) -> tuple[CampaignFixture, list[str]]:
    items = [save_items(store, number)[0] for number in range(6)]
    for place, item in enumerate(items):
        score(store, item, align=place / 6, summac=(5 - place) / 6 if place % 2 else place / 6)
    manager = ManagerActions(store, MANAGER)
    tasks, _ = manager.order_by_disagreement("summary", [NewTask(id) for id in items], DIRECTIONS)
    rules = CampaignRules(overlap=2, order="disagreement", apart=0)
    wording = VersionContent(bundled_question_sets()["label-summaries"], "", rules)
    campaign = manager.create("Boats", wording, tasks)
    return CampaignFixture(store, campaign), [task.item_id for task in tasks]


def test_everybody_gets_them_in_that_order_and_nothing_shown_says_so(store: Store) -> None:
    opened, order = make_ordered(store)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    with read_session(store.engine) as session:
        texts = [session.get_one(ItemRow, id).text for id in order]
    had = opened.label(ben, 6)
    assert [work.left for work in had] == texts
    assert [work.left for work in opened.label(cem, 2)] == texts[:2]
    assert not {"score", "disagreement", "align"} & {word for work in had for word in repr(work).split()}


def test_agreement_and_exports_are_told_and_a_random_campaign_cannot_claim_it_later(store: Store) -> None:
    opened, _ = make_ordered(store)
    manager = ManagerActions(store, MANAGER)
    assert manager.was_ordered_by_disagreement(opened.campaign.id)
    statement = ExportActions(store, MANAGER).file(opened.campaign.id, "data-statement", ExportTerms()).decode()
    assert ORDER_NOTE in statement
    newest = manager.versions(opened.campaign.id)[0].content
    at_random = VersionContent(newest.questions, "", CampaignRules())
    manager.revise(opened.campaign.id, at_random)
    assert manager.was_ordered_by_disagreement(opened.campaign.id)
    with pytest.raises(RecordError, match="no order of disagreement"):
        manager.revise(opened.campaign.id, newest)


def test_a_pair_that_is_not_in_the_store_yet_is_known_by_its_texts(store: Store) -> None:
    [item] = save_items(store, 1)
    pair = PairRecord(
        "Boat 1 took 1 crates to the mill.",
        "Boat 1 took crates.",
        "Raft 1 took crates.",
        (Edit(Span(0, 4), "Raft", "It was a boat."),),
        by="",
    )
    score(store, item, align=0.5, summac=0.5)
    with read_session(store.engine) as session:
        _, compared = order_by_disagreement(session, "summary", [NewTask(pair=pair)], {})
    assert compared == 1


def test_an_item_that_metrics_rank_alike_has_none_and_scales_do_not_count() -> None:
    alike = np.array([[0.1, 10.0], [0.2, 20.0], [0.3, 9000.0]])
    assert rank_disagreement(alike).tolist() == [0, 0, 0]


def test_what_one_metric_puts_first_and_another_last_has_most() -> None:
    # ranks: (1/6, 5/6), (3/6, 3/6), (5/6, 1/6); the standard deviation of two is half of their distance
    found = rank_disagreement(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]))
    assert found.tolist() == pytest.approx([1 / 3, 0, 1 / 3])


def test_ties_share_the_middle_rank() -> None:
    found = rank_disagreement(np.array([[1.0, 1.0], [1.0, 2.0]]))
    assert found.tolist() == pytest.approx([1 / 8, 1 / 8])


def test_what_fewer_than_two_metrics_scored_cannot_be_compared() -> None:
    found = rank_disagreement(np.array([[1.0, nan], [2.0, 2.0], [nan, nan]]))
    assert np.isnan(found).tolist() == [True, False, True]
    assert rank_disagreement(np.empty((2, 0))).shape == (2,)
