"""The agreement of a judge with people, on grades that can be counted by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.explanations.judge_agreement import GradePair, agreement_record, agreement_table, agreement_with_people
from core.stats.statistic import Estimate
from core.types import Grade

RESAMPLES = 200

PAIRS: list[tuple[Grade | None, Grade]] = [
    ("entirely", "entirely"),
    ("entirely", "entirely"),
    ("partially", "entirely"),
    ("partially", "partially"),
    ("not", "not"),
    ("not", "not"),
    ("not", "not"),
    ("entirely", "not"),
]


def compared(pairs: Sequence[tuple[Grade | None, Grade]]) -> list[GradePair]:
    """Two explanations to a document."""
    return [GradePair(judged, human, f"d{place // 2}") for place, (judged, human) in enumerate(pairs)]


def figures(pairs: Sequence[tuple[Grade | None, Grade]]) -> dict[str, Estimate]:
    return agreement_with_people(compared(pairs), RESAMPLES)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # people: entirely 3, of which the judge calls 2 so; the rest 5, of which it calls 1 entirely
        ("balanced accuracy, entirely", (2 / 3 + 4 / 5) / 2),
        # people: at least partially 4, all found; not 4, of which 3 are refused
        ("balanced accuracy, at least partially", (4 / 4 + 3 / 4) / 2),
        # 6 of 8 alike; by chance (3·3 + 2·1 + 3·4) / 64
        ("kappa", (6 / 8 - 23 / 64) / (1 - 23 / 64)),
        # off by one step once and by two once; by chance (3·(1 + 2·4) + 2·(3 + 4) + 3·(2·3 + 1)) / 64 steps
        ("weighted kappa", 1 - (3 / 8) / (62 / 64)),
    ],
)
def test_a_figure_is_that_of_the_grades_counted_by_hand(name: str, value: float) -> None:
    found = figures(PAIRS)[name]
    assert found.value == pytest.approx(value)
    assert found.n == len(PAIRS)


def test_a_judge_that_says_what_people_say_agrees_wholly() -> None:
    found = figures([(human, human) for _, human in PAIRS])
    assert {name: estimate.value for name, estimate in found.items()} == pytest.approx(dict.fromkeys(found, 1.0))


def test_a_failed_judgement_counts_in_no_figure_and_is_told() -> None:
    pairs = [*PAIRS, (None, "entirely"), (None, "not")]
    found = figures(pairs)
    assert {name: one.value for name, one in found.items()} == {name: one.value for name, one in figures(PAIRS).items()}
    record = agreement_record("judge", compared(pairs), found)
    assert (record["explanations"], record["failed"], record["figures"]["kappa"]["n"]) == (10, 2, 8)


def test_a_figure_that_is_undefined_says_why_and_is_no_number() -> None:
    pairs: list[tuple[Grade | None, Grade]] = [("not", "not")] * 4
    told = agreement_record("judge", compared(pairs), figures(pairs))["figures"]["pearson"]
    assert (told["value"], told["why"]) == (None, "All 4 scores are the same (0).")
    assert "–" in agreement_table("judge", compared(pairs), figures(pairs))


def test_the_interval_of_a_figure_holds_its_value() -> None:
    found = figures(PAIRS * 3)["pearson"]
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
