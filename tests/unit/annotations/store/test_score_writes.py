"""What becomes of scores that are saved again: by the same code, by other code, by a metric that is not repeatable."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotations.exchange.samples import load_samples, load_texts
from annotations.store.dataset_import import DatasetSource
from annotations.store.score_writes import SavedScores, format_saved_scores
from annotations.store.store import Store
from core.results.cases.cases import build_cases
from core.types import Example, Failure, FailureKind, Item, Result, Seen, Verdict

FILE = DatasetSource("harbour", "pairs", "harbour.jsonl", "ab" * 32, "your own", "1.0", "local")
SETUP = "rouge2|measured:precision|touchstone:0.1.0"
OLD, NEW = f"{SETUP}|code:aaaaaaaaaaaa", f"{SETUP}|code:bbbbbbbbbbbb"


@pytest.fixture
def ids(store: Store) -> list[str]:
    """The ids of twenty stored summaries."""
    items = [
        Item(Example(f"h{n}", "The harbour was closed.", f"Closed {n}."), intended=Verdict.CONSISTENT)
        for n in range(20)
    ]
    store.import_dataset(FILE, items, lambda: {"samples": len(items)})
    return [example.id for example in load_texts(store, "harbour")]


def results(ids: list[str], signature: str, shift: float = 0.0) -> list[Result]:
    return [
        Result(id, "rouge2", signature, number / 20 + shift, (), Seen(), 0.1, "cpu") for number, id in enumerate(ids)
    ]


def test_scores_that_are_there_with_the_same_value_are_counted_as_such(store: Store, ids: list[str]) -> None:
    assert store.save_outcomes(results(ids, OLD)) == SavedScores(new=20)
    assert store.save_outcomes(results(ids, OLD, 1e-9)) == SavedScores(same=20)


def test_scores_by_other_code_stand_beside_and_those_that_moved_are_counted(store: Store, ids: list[str]) -> None:
    store.save_outcomes(results(ids, OLD))
    again = [*results(ids[:15], NEW), *results(ids, NEW, 0.3)[15:]]
    assert store.save_outcomes(again) == SavedScores(recomputed=20, moved=5)
    assert {len(sample.kept) for sample in load_samples(store, "harbour")} == {2}


def test_a_metric_that_gives_another_value_with_the_same_signature_is_said_to_be_unrepeatable(
    store: Store, ids: list[str]
) -> None:
    store.save_outcomes(results(ids, OLD))
    saved = store.save_outcomes(results(ids, OLD, 0.2))
    assert saved == SavedScores(unstable=20)
    assert "20 that had another value before with the same signature" in format_saved_scores(saved)
    kept = [sample.kept for sample in load_samples(store, "harbour")]
    assert sorted(score.value or 0.0 for [score] in kept) == [number / 20 for number in range(20)]


def test_scores_of_another_setting_are_new(store: Store, ids: list[str]) -> None:
    store.save_outcomes(results(ids, OLD))
    assert store.save_outcomes(results(ids, OLD.replace("precision", "f1"))) == SavedScores(new=20)


def test_a_failure_is_saved_once_and_gives_way_to_a_score(store: Store, ids: list[str]) -> None:
    failures = [Failure(id, "rouge2", FailureKind.ERROR, "It broke.") for id in ids]
    assert store.save_outcomes(failures) == SavedScores(new=20)
    assert store.save_outcomes(failures) == SavedScores(same=20)
    assert store.save_outcomes(results(ids, OLD)) == SavedScores(new=20)


def test_the_newest_code_counts_and_what_is_left_out_is_said(store: Store, ids: list[str]) -> None:
    store.save_outcomes(results(ids, OLD))
    store.save_outcomes(results(ids[:15], NEW, 0.3))
    cases = build_cases(load_samples(store, "harbour"))
    [column] = cases.columns
    assert (column.name, column.signature, int((column.values >= 0.3).sum())) == ("rouge2", NEW, 15)
    [warning] = [one for one in cases.warnings if "other code" in one]
    assert warning.startswith("rouge2: 20 scores by other code (aaaaaaaaaaaa) are left out; 15 are by bbbbbbbbbbbb.")


def test_scores_of_before_code_was_signed_give_way_to_those_that_are_signed(store: Store, ids: list[str]) -> None:
    store.save_outcomes(results(ids, SETUP))
    store.save_outcomes(results(ids, NEW))
    samples = load_samples(store, "harbour")
    assert [column.signature for column in build_cases(samples).columns] == [NEW]
    reversed_order = [replace(sample, kept=sample.kept[::-1]) for sample in samples]
    assert [column.signature for column in build_cases(reversed_order).columns] == [SETUP]
