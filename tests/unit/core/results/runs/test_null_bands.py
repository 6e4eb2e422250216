"""The null band of one pair: harmless edits of it, and what a metric whose answer is known does under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.data.datasets.bundled import bundled_items
from core.edits.battery import read_battery
from core.edits.perturbation import PERTURBATIONS
from core.models.model_pool import ModelPool
from core.results.runs.bundled_run import BUNDLED_RUN_METRICS, bundled_harmless_shifts
from core.results.runs.null_bands import MAX_HARMLESS, NullBands, SignedMetrics, harmless_variants, null_band
from core.results.runs.shifts import Shift
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.stats.score_pairs import MIN_FOR_QUANTILES
from core.text.edits import apply
from core.types import Example, Score
from tests.doubles.metrics import Breaking, Letters

WAIT_S = 60.0
PAIR = bundled_items()[0].example


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def test_harmless_variants_are_different_come_in_many_sizes_and_are_the_same_again() -> None:
    found = harmless_variants(PAIR)
    assert harmless_variants(PAIR) == found
    assert 5 <= len(found) <= MAX_HARMLESS
    assert len({PAIR.summary, *(variant.summary for variant in found)}) == len(found) + 1
    assert [variant.words for variant in found] == sorted(variant.words for variant in found)
    assert found[0].words < 5 < 50 < found[-1].words


@pytest.mark.parametrize(
    "item", [item for item in bundled_items() if not item.parent], ids=lambda item: item.example.id
)
def test_harmless_edits_are_preserving_and_executable(item: object) -> None:
    example = item.example  # type: ignore[attr-defined]  # parametrize forgets the type
    for variant in harmless_variants(example):
        assert apply(example.summary, variant.edits) == variant.summary
        intents = {PERTURBATIONS.parse(edit.by.split("[")[0]).card.intent for edit in variant.edits}
        assert intents == {"preserving"}


LETTERS = {"letters|1": Letters()}


@pytest.fixture
def bands(engine: Engine) -> Iterator[NullBands]:
    opened = NullBands(engine)
    yield opened
    opened.close()


def measured(bands: NullBands, signed: SignedMetrics, pair: Example) -> tuple[Shift, ...]:
    """What is measured of the only metric."""
    bands.measure(signed, pair)
    assert bands.wait(signed, pair, 0, WAIT_S) == 1
    found = bands.shifts(next(iter(signed)), pair)
    assert found is not None
    return found


def test_a_metric_that_counts_letters_moves_by_what_the_edits_bring_in(bands: NullBands) -> None:
    found = measured(bands, LETTERS, PAIR)
    assert [shift.size for shift in found] == [len(v.summary) - len(PAIR.summary) for v in harmless_variants(PAIR)]
    assert [shift.words for shift in found] == [variant.words for variant in harmless_variants(PAIR)]


def test_a_metric_that_only_length_moves_has_a_wider_band_for_larger_edits(bands: NullBands) -> None:
    found = [shift for shift in measured(bands, LETTERS, PAIR) if "shuffled" not in shift.kind]
    small, large = null_band(found, 2), null_band(found, 14)
    assert small.size is not None
    assert large.size is not None
    assert not small.any_size
    assert small.size < large.size


def test_a_metric_that_fails_has_no_band(bands: NullBands) -> None:
    assert null_band(measured(bands, {"breaking|1": Breaking()}, PAIR), 3).size is None


def test_a_text_without_harmless_edits_has_no_band(bands: NullBands) -> None:
    assert measured(bands, LETTERS, Example("pair", "A harbour.", "Port shut")) == ()


def test_what_nobody_measured_is_unknown(bands: NullBands) -> None:
    assert bands.shifts("rouge2|1", PAIR) is None
    assert bands.band("rouge2|1", PAIR, 2) is None


def test_the_band_of_a_size_is_computed_once_and_filled_up_from_other_pairs(engine: Engine) -> None:
    others = shifts(*[0.5] * 40)
    bands = NullBands(engine, lambda: {"letters|1": others})
    own = measured(bands, LETTERS, PAIR)
    first = bands.band("letters|1", PAIR, 2)
    assert first == null_band(own, 2, others)
    assert first is not None
    assert first.elsewhere == 40
    assert bands.band("letters|1", PAIR, 2) is first
    assert bands.band("letters|1", PAIR, 30) == null_band(own, 30, others)
    bands.close()


def test_bands_are_of_the_edits_of_their_battery(engine: Engine, bands: NullBands) -> None:
    battery = read_battery("touchstone-1+synonyms[most=1]").with_kinds(["synonyms[most=2]"])
    assert harmless_variants(PAIR, battery) == harmless_variants(PAIR)  # numbers of edits are drawn anyway
    alone = replace(battery, kinds=("shuffled",))
    others = NullBands(engine, battery=alone)
    kinds = {shift.kind for shift in measured(others, LETTERS, PAIR)}
    assert kinds == {"shuffled"} < {shift.kind for shift in measured(bands, LETTERS, PAIR)}
    others.close()


def test_a_pair_is_measured_once_whoever_asks(bands: NullBands) -> None:
    metrics = {**LETTERS, "rouge2|1": METRICS.parse("rouge2")}
    bands.measure(metrics, PAIR)
    while bands.wait(metrics, PAIR, 1, WAIT_S) < 2:
        pass
    first = bands.shifts("letters|1", PAIR)
    bands.measure(metrics, Example("another name", PAIR.document, PAIR.summary))
    assert bands.wait(metrics, PAIR, 1, 0.0) == 2
    assert bands.shifts("letters|1", PAIR) is first


def test_a_restart_measures_nothing_anew_but_for_other_weights(
    engine: Engine, bands: NullBands, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = measured(bands, LETTERS, PAIR)
    restarted = NullBands(engine)
    monkeypatch.setattr(Letters, "fold", lambda *_: Score(0.0))
    assert measured(restarted, LETTERS, PAIR) == first
    other = measured(restarted, {"letters|other weights": Letters()}, PAIR)
    assert {shift.size for shift in other} == {0.0}
    restarted.close()


def test_what_failed_is_measured_again_after_a_restart(engine: Engine, bands: NullBands) -> None:
    assert measured(bands, {"one|1": Breaking()}, PAIR)[0].size is None
    restarted = NullBands(engine)
    assert measured(restarted, {"one|1": Letters()}, PAIR)[0].size is not None
    restarted.close()


def shifts(*sizes: float, words: int = 2) -> list[Shift]:
    return [Shift("", "synonyms", "m", "", "", 0.5, 0.5 + size, words) for size in sizes]


def test_edits_of_other_pairs_count_where_the_pair_has_fewer_than_thirty_of_the_size() -> None:
    elsewhere = [*shifts(*[0.2] * 40), *shifts(*[0.9] * 40, words=50)]
    filled = null_band(shifts(*[-0.1] * 10), 2, elsewhere)
    assert (filled.n, filled.elsewhere, filled.any_size) == (50, 40, False)
    assert (filled.low, filled.high) == pytest.approx((-0.1, 0.2))
    enough = null_band(shifts(*[-0.1] * 30), 2, elsewhere)
    assert (enough.n, enough.elsewhere, enough.high) == (30, 0, 0.0)


def test_without_edits_of_the_size_anywhere_those_of_the_pair_count_whatever_their_size() -> None:
    found = null_band(shifts(*[-0.1] * 6, words=30), 2, shifts(*[0.9] * 40, words=50))
    assert (found.n, found.elsewhere, found.any_size) == (6, 0, True)


def test_the_bundled_run_has_thirty_harmless_edits_of_each_size_for_its_metrics() -> None:
    kept = bundled_harmless_shifts()
    assert len(kept) == len(BUNDLED_RUN_METRICS)
    for found in kept.values():
        assert all(null_band((), words, found).n >= MIN_FOR_QUANTILES for words in (1, 3, 8, 20, 50))
