"""Remarks on a metric from bundled pairs: each fault has its sentence, and a metric that works has none."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest

from core.errors import Problem
from core.scoring.plugins.checks import Direction, Outcome, check_metric
from core.types import Example, FailureKind

PAIRS = [
    (
        Example("", f"It rained {n} days.", f"It rained {n} days."),
        Example("", f"It rained {n} days.", f"It snowed {n} days."),
    )
    for n in range(10)
]


def overlap(example: Example) -> float:
    return sum(word in example.document.split() for word in example.summary.split()) / 5


def remarks(score: Callable[[Example], Outcome], direction: Direction = "higher", at_once: int = 1) -> list[str]:
    def ask(examples: Sequence[Example]) -> list[Outcome]:
        return [score(example) for example in examples]

    return check_metric(ask, PAIRS, direction, at_once, 60.0)


def test_a_metric_that_tells_the_pairs_apart_has_no_remark() -> None:
    assert remarks(overlap) == []
    assert remarks(lambda one: -overlap(one), "lower", at_once=32) == []
    assert remarks(lambda one: -overlap(one), "neutral") == []


def test_a_wrong_direction_is_noticed() -> None:
    expected = (
        "Of 10 bundled pairs it prefers the summary with an error in 10 and the faithful one in 0. Check direction="
    )
    assert remarks(lambda one: -overlap(one)) == [f"{expected}'higher'."]
    assert remarks(overlap, "lower") == [f"{expected}'lower'."]


@pytest.mark.parametrize(("wrong", "noticed"), [(8, False), (9, True)])
def test_a_few_pairs_the_wrong_way_round_are_chance(wrong: int, noticed: bool) -> None:
    swapped = {pair for faithful, error in PAIRS[:wrong] for pair in (faithful, error)}
    assert bool(remarks(lambda one: -overlap(one) if one in swapped else overlap(one))) is noticed


def test_a_constant_is_noticed() -> None:
    assert remarks(lambda _: 0.5) == ["It scores 0.5 for every one of 20 bundled texts: a constant tells none apart."]


def test_scores_that_change_are_noticed() -> None:
    numbers = itertools.count()
    [remark] = remarks(lambda one: overlap(one) + next(numbers) / 1000)
    assert remark == "Asked again about the same text it gave 0.82 instead of 0.8."


def test_scores_that_depend_on_the_place_in_a_batch_are_noticed() -> None:
    def ask(examples: Sequence[Example]) -> list[Outcome]:
        return [overlap(example) + place / 1000 for place, example in enumerate(examples)]

    [remark] = check_metric(ask, PAIRS, "higher", 32, 60.0)
    assert remark.startswith("Asked again about the same text it gave")


def test_failures_are_counted_with_the_first_reason() -> None:
    problem = Problem(FailureKind.ERROR, "It returned nan.")
    assert remarks(
        lambda one: problem if "snowed" in one.summary else len(one.summary) * (one.summary > "It rained 5")
    ) == ["It has no score for 10 of 20 bundled texts: It returned nan."]


def test_a_slow_metric_is_asked_about_few_pairs() -> None:
    asked: list[Example] = []

    def ask(examples: Sequence[Example]) -> list[Outcome]:
        asked.extend(examples)
        return [overlap(example) for example in examples]

    check_metric(ask, PAIRS, "higher", 1, 0.0)
    assert len(asked) == 2
