"""Whole documents are drawn, the same ones for every statistic, and nothing leaves without interval, number or reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

from core.stats import bootstrap
from core.stats.bootstrap import Distribution, Resamples
from core.stats.proportion import share
from core.stats.statistic import Values, mean
from core.types import T
from tests.doubles.process import ROOT, finish, start
from tests.unit.core.stats.naive import assert_the_same

RNG = np.random.default_rng(11)
DOCUMENTS = RNG.integers(0, 20, 90)
VALUES = RNG.normal(size=90)
RESAMPLES = Resamples.draw(20, 300, seed=4)


def test_every_resample_has_as_many_documents_as_there_are() -> None:
    assert RESAMPLES.counts.shape == (20, 300)
    assert set(RESAMPLES.counts.sum(axis=0)) == {20}


def test_a_document_is_drawn_once_on_average() -> None:
    assert Resamples.draw(20, 5000).counts.mean(axis=1) == pytest.approx(np.ones(20), abs=0.06)


def test_the_same_seed_draws_the_same_documents_and_another_seed_others() -> None:
    same, other = Resamples.draw(20, 300, seed=4), Resamples.draw(20, 300, seed=5)
    assert np.array_equal(same.counts, RESAMPLES.counts)
    assert not np.array_equal(other.counts, RESAMPLES.counts)


def test_the_mean_of_every_resample_is_that_of_its_repeated_cases() -> None:
    assert_the_same(mean(VALUES, DOCUMENTS), lambda cases: float(VALUES[cases].mean()), DOCUMENTS, RESAMPLES)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = RESAMPLES.of(mean(VALUES, DOCUMENTS))
    monkeypatch.setattr(bootstrap, "_MAX_CELLS", 140)
    monkeypatch.setattr(bootstrap, "_MIN_RESAMPLES", 1)
    cut = RESAMPLES.of(mean(VALUES, DOCUMENTS))
    assert np.array_equal(whole.draws, cut.draws)
    assert Resamples.draw(20, 31).counts.sum() == 20 * 31


def old_counts(documents: int, number: int, seed: int) -> NDArray[np.intp]:
    """As published figures were drawn: so many resamples at once that they fill the generator's calls."""
    rng, counts = np.random.default_rng(seed), np.empty((documents, number), dtype=np.intp)
    for first in range(0, number, 8):
        size = min(8, number - first)
        drawn = rng.integers(documents, size=(size, documents))
        counts[:, first : first + size] = np.array([np.bincount(one, minlength=documents) for one in drawn]).T
    return counts


@pytest.mark.parametrize("documents", [7, 20, 101])
def test_resamples_that_are_drawn_again_are_those_that_would_be_kept(
    documents: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Resamples.draw(documents, 131, seed=5)
    assert np.array_equal(kept.counts, old_counts(documents, 131, 5))
    cases = RNG.integers(0, documents, 60)
    statistics = [mean(RNG.normal(size=60).round(2), cases), mean(RNG.normal(size=60).round(2), cases)]
    monkeypatch.setattr(bootstrap, "_MAX_KEPT", 0)
    monkeypatch.setattr(bootstrap, "_BLOCK_CELLS", 30 * documents)
    again = Resamples.draw(documents, 131, seed=5)
    assert again.stored_counts is None
    assert np.array_equal(again.counts, kept.counts)
    for one, two in zip(again.of_each(statistics), map(kept.of, statistics), strict=True):
        assert one.draws == pytest.approx(two.draws, abs=1e-12)
        assert one.value == two.value


def test_a_long_pass_is_tracked_step_by_step_and_a_short_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []

    def track(results: Iterable[T], what: str, total: int, /) -> Iterator[T]:
        done = list(results)
        seen.append((what, len(done), total))
        return iter(done)

    statistic = mean(VALUES, DOCUMENTS)
    Resamples.draw(20, 300, 4, track).of(statistic)
    assert seen == []
    monkeypatch.setattr(bootstrap, "_LONG_CELLS", 100)
    monkeypatch.setattr(bootstrap, "_MAX_CELLS", 20 * 40)
    Resamples.draw(20, 300, 4, track).of_each([statistic, statistic])
    monkeypatch.setattr(bootstrap, "_MAX_KEPT", 0)
    monkeypatch.setattr(bootstrap, "_BLOCK_CELLS", 20 * 100)
    Resamples.draw(20, 300, 4, track).of_each([statistic, statistic])
    assert seen == [("steps of the bootstrap", 16, 16), ("steps of the bootstrap", 18, 18)]


@pytest.mark.parametrize("documents", [8, 30, 100_000])
def test_the_interval_holds_the_middle_of_the_draws_widened_for_few_documents(documents: int) -> None:
    outside = norm.cdf(student.ppf(0.025, documents - 1) * (documents / (documents - 1)) ** 0.5)
    draws: Values = np.arange(100_001.0)
    found = Distribution(50_000.0, draws, documents, documents=documents).estimate()
    assert (found.low, found.high) == (pytest.approx(1e5 * outside, abs=2), pytest.approx(1e5 * (1 - outside), abs=2))
    assert (found.value, found.n) == (50_000.0, documents)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Documents with a difficulty of their own: an interval that drew single cases would cover half of the time."""
    rng = np.random.default_rng(2)
    documents = np.repeat(np.arange(40), 5)
    resamples = Resamples.draw(40, 400)
    samples = [rng.normal(size=40)[documents] + 0.2 * rng.normal(size=200) for _ in range(300)]
    found = [resamples.estimate(mean(sample, documents)) for sample in samples]
    covered = [estimate.low <= 0 <= estimate.high for estimate in found if estimate.low is not None and estimate.high]
    assert len(covered) == 300
    assert 0.90 <= np.mean(covered) <= 0.98


def test_one_document_gives_a_value_without_an_interval() -> None:
    found = RESAMPLES.estimate(mean(np.array([1.0, 2.0]), np.array([3, 3])))
    assert (found.value, found.low, found.high, found.n) == (1.5, None, None, 2)
    assert found.error == "All cases are of one document: there is no interval."


def test_cases_that_failed_do_not_count() -> None:
    found = RESAMPLES.estimate(mean(np.array([1.0, np.nan, 3.0]), np.array([0, 1, 2])))
    assert (found.value, found.n) == (2.0, 2)


def test_no_case_at_all_says_so() -> None:
    found = RESAMPLES.estimate(mean(np.array([np.nan]), np.array([0])))
    assert (found.value, found.n, found.error) == (None, 0, "No case has a value.")


def test_there_is_no_interval_of_no_width() -> None:
    found = RESAMPLES.estimate(mean(np.ones(9), np.arange(9)))
    assert (found.value, found.low, found.high) == (1.0, None, None)
    assert found.error == "Every resample gives the same value: there is no interval."


def test_fewer_than_eight_documents_have_no_interval_and_say_how_many_more_they_take() -> None:
    found = RESAMPLES.estimate(mean(VALUES[:5], np.arange(5)))
    assert (found.low, found.high) == (None, None)
    assert found.error == "5 documents are too few for an interval, which takes 8: 3 more."


def test_a_slice_that_many_resamples_miss_has_no_interval() -> None:
    """Two of twenty documents are both left out by about one resample in eight; a share of two may have an interval."""
    found = RESAMPLES.estimate(share(np.array([1.0, 0.0]), np.array([3, 5])))
    assert (found.value, found.low) == (0.5, None)
    assert "of the resamples have a value" in found.error


def test_statistics_need_no_model_library() -> None:
    names = sorted(path.stem for path in (ROOT / "core" / "stats").glob("*.py") if path.stem != "__init__")
    code = f"import sys; {'; '.join(f'import core.stats.{name}' for name in names)}; print('torch' in sys.modules)"
    assert finish(start("-c", code)) == (0, "False\n", "")
