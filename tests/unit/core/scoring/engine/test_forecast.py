"""What is known of a run before it starts: durations that are remembered, and what becomes of memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.scoring.engine.forecast import Durations, Forecast, MemoryUse, forecast_run, has_to_wait

GB = 1_000_000_000
EMPTY = MemoryUse(used=0, budget=4 * GB, idle={})


@pytest.fixture
def durations(tmp_path: Path) -> Iterator[Durations]:
    opened = Durations(tmp_path)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("nbytes", "loaded", "edit_s", "expected"),
    [
        (0, True, None, False),
        (90_000_000, False, None, False),
        (90_000_000, True, 1.4, True),
        (GB, False, None, True),
        (GB, True, None, True),
        (GB, True, 0.4, False),
        (GB, False, 0.4, True),
        (GB, True, 1.4, True),
    ],
)
def test_what_is_slow_or_large_and_not_at_hand_waits(
    nbytes: int, loaded: bool, edit_s: float | None, expected: bool
) -> None:
    assert has_to_wait(nbytes, loaded, edit_s) is expected


def test_the_last_duration_of_each_metric_text_and_device_is_known(durations: Durations) -> None:
    durations.remember("m", "cpu", "original", 4.0)
    durations.remember("m", "cpu", "edited", 2.0)
    durations.remember("m", "cpu", "edited", 0.5)
    assert durations.last("m", "cpu", "original") == 4.0
    assert durations.last("m", "cpu", "edited") == 0.5
    assert durations.last("m", "cuda", "original") is None
    assert durations.last("n", "cpu", "original") is None


def test_durations_are_known_after_a_restart(durations: Durations, tmp_path: Path) -> None:
    durations.remember("m", "cpu", "original", 4.0)
    durations.close()
    again = Durations(tmp_path)
    assert again.last("m", "cpu", "original") == 4.0
    again.close()


def test_known_durations_are_added_and_the_others_named() -> None:
    found = forecast_run([("A", 2.0), ("B", None), ("A", 1.5)], {}, EMPTY)
    assert found == Forecast(seconds=3.5, not_timed=("B",))


def test_where_there_is_room_nothing_leaves() -> None:
    assert forecast_run([], {"a": GB}, replace(EMPTY, used=3 * GB, idle={"b": 3 * GB})) == Forecast(load_bytes=GB)


def test_without_room_the_idle_model_leaves() -> None:
    found = forecast_run([], {"a": 2 * GB}, MemoryUse(3 * GB, 4 * GB, {"b": GB}))
    assert found == Forecast(load_bytes=2 * GB, leaving=("b",))


@pytest.mark.parametrize(("need", "any_of"), [(GB, True), (3 * GB, False)])
def test_of_several_idle_models_all_leave_only_where_all_have_to(need: int, any_of: bool) -> None:
    found = forecast_run([], {"a": need}, MemoryUse(4 * GB, 4 * GB, {"b": GB, "c": 2 * GB}))
    assert found == Forecast(load_bytes=need, leaving=("b", "c"), any_of=any_of)


def test_models_that_fit_one_by_one_take_turns() -> None:
    found = forecast_run([], {"a": 3 * GB, "b": 2 * GB}, EMPTY)
    assert found == Forecast(load_bytes=5 * GB, in_turns=True)


def test_a_model_that_never_fits_is_named_and_not_counted() -> None:
    assert forecast_run([], {"a": 5 * GB, "b": GB}, EMPTY) == Forecast(load_bytes=GB, too_large=("a",))


def test_nothing_leaves_where_nothing_is_to_load() -> None:
    assert forecast_run([], {}, MemoryUse(5 * GB, 4 * GB, {"b": GB})) == Forecast()
