"""The null band of one pair: harmless edits of it, and what a metric whose answer is known does under them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.datasets.bundled import bundled_items
from core.edits import apply
from core.engine.cache import AnswerCache
from core.engine.engine import Engine
from core.metric import METRICS
from core.models.pool import ModelPool
from core.perturbation import PERTURBATIONS
from core.stress.null_bands import MAX_HARMLESS, NullBands, harmless_variants, null_band
from core.types import Example
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


def test_a_metric_that_counts_letters_moves_by_what_the_edits_bring_in(engine: Engine) -> None:
    bands = NullBands(engine)
    bands.measure([Letters()], PAIR)
    assert bands.wait([Letters()], PAIR, 0, WAIT_S) == 1
    found = bands.shifts(Letters(), PAIR)
    assert found is not None
    assert [shift.size for shift in found] == [len(v.summary) - len(PAIR.summary) for v in harmless_variants(PAIR)]
    assert [shift.words for shift in found] == [variant.words for variant in harmless_variants(PAIR)]


def test_a_metric_that_only_length_moves_has_a_wider_band_for_larger_edits(engine: Engine) -> None:
    bands = NullBands(engine)
    bands.measure([Letters()], PAIR)
    bands.wait([Letters()], PAIR, 0, WAIT_S)
    found = [shift for shift in bands.shifts(Letters(), PAIR) or () if "shuffled" not in shift.kind]
    small, large = null_band(found, 2), null_band(found, 14)
    assert small.size is not None
    assert large.size is not None
    assert not small.any_size
    assert small.size < large.size


def test_a_metric_that_fails_has_no_band(engine: Engine) -> None:
    bands = NullBands(engine)
    bands.measure([Breaking()], PAIR)
    bands.wait([Breaking()], PAIR, 0, WAIT_S)
    assert null_band(bands.shifts(Breaking(), PAIR) or (), 3).size is None


def test_a_text_without_harmless_edits_has_no_band(engine: Engine) -> None:
    bare, bands = Example("pair", "A harbour.", "Port shut"), NullBands(engine)
    bands.measure([Letters()], bare)
    bands.wait([Letters()], bare, 0, WAIT_S)
    assert bands.shifts(Letters(), bare) == ()


def test_what_nobody_measured_is_unknown(engine: Engine) -> None:
    assert NullBands(engine).shifts(METRICS.parse("rouge2"), PAIR) is None


def test_a_pair_is_measured_once_whoever_asks(engine: Engine) -> None:
    bands = NullBands(engine)
    metrics = [Letters(), METRICS.parse("rouge2")]
    bands.measure(metrics, PAIR)
    while bands.wait(metrics, PAIR, 1, WAIT_S) < 2:
        pass
    first = bands.shifts(Letters(), PAIR)
    bands.measure(metrics, Example("another name", PAIR.document, PAIR.summary))
    assert bands.wait(metrics, PAIR, 1, 0.0) == 2
    assert bands.shifts(Letters(), PAIR) is first
