"""What is foretold of a run, with answers that can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.engine.forecast import (
    Forecast,
    MemoryUse,
    MetricWork,
    ModelSize,
    Side,
    TimedScore,
    TimingHistory,
    estimate_run,
    estimate_seconds,
    estimate_tokens,
    has_to_wait,
    split_seconds,
)
from core.types import Checkpoint, Question

GB = 1_000_000_000
CHECKPOINT = Checkpoint("owner/model", "sequence_classifier")
BASE, LARGE = ModelSize("classify", GB // 2), ModelSize("classify", GB)
EMPTY = MemoryUse(used=0, budget=4 * GB, idle={})
HUNDRED_TOKENS = Question(CHECKPOINT, ("x" * 300, "y" * 100))


def work(spec: str = "m", size: ModelSize = BASE, questions: int | None = 1, **sides: int) -> MetricWork:
    asked = None if questions is None else frozenset(distinct(questions))
    known: dict[Side, int] = {"original": sides["original"]} if "original" in sides else {}
    if "edited" in sides:
        known["edited"] = sides["edited"]
    return MetricWork(spec, spec.upper(), size, known or {"original": 1000}, asked)


def distinct(number: int) -> list[Question]:
    return [replace(HUNDRED_TOKENS, options=(("number", place),)) for place in range(number)]


def paced(*learned: tuple[str, Side, ModelSize, TimedScore]) -> TimingHistory:
    pace = TimingHistory()
    for one in learned:
        pace.learn(*one)
    return pace


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


def test_of_scores_that_came_in_turn_each_took_the_time_since_the_one_before() -> None:
    assert split_seconds([3.0, 4.0, 9.0], clock=2.0) == [1.0, 1.0, 5.0]
    assert split_seconds([1.0], clock=2.0) == [0.0]


def test_tokens_are_counted_at_four_characters_up_to_the_limit_of_the_question() -> None:
    assert estimate_tokens([HUNDRED_TOKENS, replace(HUNDRED_TOKENS, options=(("limit", 64),))]) == 164


def test_a_metric_is_as_fast_as_it_was() -> None:
    pace = paced(("m", "original", BASE, TimedScore(seconds=2.0, tokens=400, characters=1000)))
    assert estimate_seconds(work(questions=3), pace) == pytest.approx(1.5)


def test_the_tokens_of_a_language_are_reckoned_by_those_that_were_read() -> None:
    pace = paced(("m", "original", BASE, TimedScore(seconds=2.0, tokens=400, characters=1000, foretold=100)))
    assert estimate_seconds(work(questions=3), pace) == pytest.approx(6.0)


def test_two_pieces_of_work_are_foretold_only_where_both_are() -> None:
    first, second = TimedScore(1.0, 10, 90, 20), TimedScore(2.0, 30, 100, 40)
    assert TimedScore(0.0, 0, 0) + first + second == TimedScore(3.0, 40, 100, 60)
    assert first + replace(second, foretold=0) == TimedScore(3.0, 40, 100, 0)


def test_what_was_measured_before_fades() -> None:
    pace = paced(
        ("m", "original", BASE, TimedScore(seconds=2.0, tokens=400, characters=1000)),
        ("m", "edited", BASE, TimedScore(seconds=1.0, tokens=800, characters=1000)),
    )
    assert estimate_seconds(work(), pace) == pytest.approx(100 * 2.0 / 1000)


def test_a_model_of_the_same_kind_is_slower_as_it_is_larger() -> None:
    pace = paced(("m", "original", BASE, TimedScore(seconds=2.0, tokens=400, characters=1000)))
    assert estimate_seconds(work("other", LARGE), pace) == pytest.approx(1.0)


def test_of_another_kind_of_model_nothing_is_known() -> None:
    pace = paced(("m", "original", BASE, TimedScore(seconds=2.0, tokens=400, characters=1000)))
    assert estimate_seconds(work("other", ModelSize("embed", GB // 2)), pace) is None


def test_questions_that_are_all_answered_take_no_time_once_the_pace_is_known() -> None:
    pace = paced(("m", "original", BASE, TimedScore(seconds=2.0, tokens=400, characters=1000)))
    assert estimate_seconds(work(questions=0), pace) == 0.0


def test_a_metric_that_asks_in_rounds_takes_what_it_took_last_and_longer_for_longer_texts() -> None:
    pace = paced(
        ("m", "original", BASE, TimedScore(seconds=8.0, tokens=400, characters=1000)),
        ("m", "edited", BASE, TimedScore(seconds=1.0, tokens=50, characters=1000)),
    )
    assert estimate_seconds(work(questions=None, original=2000, edited=1000), pace) == pytest.approx(17.0)


def test_a_metric_that_asks_in_rounds_is_unknown_until_it_has_run() -> None:
    pace = paced(("m", "original", BASE, TimedScore(seconds=8.0, tokens=400, characters=1000)))
    assert estimate_seconds(work("other", questions=None), pace) is None


def test_known_times_are_added_and_the_unknown_are_named() -> None:
    pace = paced(("m", "original", BASE, TimedScore(seconds=2.0, tokens=400, characters=1000)))
    works = [work(), work("m", questions=2), work("n", ModelSize("embed", 1))]
    assert estimate_run(works, pace, {}, EMPTY) == Forecast(seconds=1.5, unknown=("N",))


def test_where_there_is_room_nothing_leaves() -> None:
    assert estimate_run([], TimingHistory(), {"a": GB}, replace(EMPTY, used=3 * GB, idle={"b": 3 * GB})) == Forecast(
        load_bytes=GB
    )


def test_without_room_the_idle_model_leaves() -> None:
    foretold = estimate_run([], TimingHistory(), {"a": 2 * GB}, MemoryUse(3 * GB, 4 * GB, {"b": GB}))
    assert foretold == Forecast(load_bytes=2 * GB, leaving=("b",))


@pytest.mark.parametrize(("need", "any_of"), [(GB, True), (3 * GB, False)])
def test_of_several_idle_models_all_leave_only_where_all_have_to(need: int, any_of: bool) -> None:
    foretold = estimate_run([], TimingHistory(), {"a": need}, MemoryUse(4 * GB, 4 * GB, {"b": GB, "c": 2 * GB}))
    assert foretold == Forecast(load_bytes=need, leaving=("b", "c"), any_of=any_of)


def test_models_that_fit_one_by_one_take_turns() -> None:
    foretold = estimate_run([], TimingHistory(), {"a": 3 * GB, "b": 2 * GB}, EMPTY)
    assert foretold == Forecast(load_bytes=5 * GB, in_turns=True)


def test_a_model_that_never_fits_is_named_and_not_counted() -> None:
    assert estimate_run([], TimingHistory(), {"a": 5 * GB, "b": GB}, EMPTY) == Forecast(load_bytes=GB, too_large=("a",))


def test_nothing_leaves_where_nothing_is_to_load() -> None:
    assert estimate_run([], TimingHistory(), {}, MemoryUse(5 * GB, 4 * GB, {"b": GB})) == Forecast()
