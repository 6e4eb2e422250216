"""The summaries of a stress run as another version of their dataset has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from annotations.exchange.samples import load_samples, load_texts
from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.results import Plan, StressRun, build_sources, stored_samples
from core.types import Example, Item, Verdict
from pages.sources.runs_again import sources_of_version

FILE = DatasetSource("mill", "generic", "labels.csv", "aa" * 32)


def items(numbers: Sequence[int], ending: str = "") -> list[Item]:
    return [
        Item(
            Example(f"m{number}", f"Mill {number} burned down.", f"Mill {number} burned{ending}."),
            intended=Verdict.INCONSISTENT if number == 0 else Verdict.CONSISTENT,
        )
        for number in numbers
    ]


@pytest.fixture
def store() -> Iterator[Store]:
    """Version 1 has the samples 0 to 5, version 2 others of 3 to 8 and no 2."""
    store = Store.open("sqlite://")
    store.import_dataset(FILE, items(range(6)), dict)
    store.import_dataset(replace(FILE, sha256="bb" * 32), [*items(range(2)), *items(range(3, 9), " down")], dict)
    yield store
    store.close()


def run_of(store: Store, numbers: Sequence[int]) -> StressRun:
    ids = {f"m{number}" for number in numbers}
    samples = [sample for sample in load_samples(store, "mill@1") if sample.item.example.id in ids]
    sources = build_sources(stored_samples(samples), load_texts(store, "mill@1"))
    plan = replace(Plan.of("run", (), ()), dataset="mill@1")
    return StressRun(plan, {source.example.id: source for source in sources})


def test_a_run_of_all_sound_summaries_is_one_of_all_of_the_new_version(store: Store) -> None:
    sources = sources_of_version(store, run_of(store, range(1, 6)), "mill@2")
    assert {source.example.id: source.example.summary for source in sources} == {
        "m1": "Mill 1 burned.",
        **{f"m{number}": f"Mill {number} burned down." for number in range(3, 9)},
    }


def test_a_run_of_some_keeps_those_and_fills_up_for_what_is_gone(store: Store) -> None:
    ids = [source.example.id for source in sources_of_version(store, run_of(store, [1, 2, 3]), "mill@2")]
    assert len(ids) == 3
    assert {"m1", "m3"} < set(ids)
    assert "m0" not in ids


def test_inconsistent_summaries_stay_where_the_run_had_them(store: Store) -> None:
    sources = sources_of_version(store, run_of(store, range(6)), "mill@2")
    assert "m0" in {source.example.id for source in sources}
