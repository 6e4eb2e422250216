"""Sentences of the form of a stress run on its perturbations."""

from __future__ import annotations

import pytest

from core.edits.perturbation import PERTURBATIONS
from pages.ui.stress.kinds_choice import intent_counts, reach_sentence


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((1, 19, 20), "Of your 20 pairs: “Date” applies to 1, “Negation” applies to 19, each other kind to all."),
        ((20, 20, 20), "Of your 20 pairs: each kind applies to all."),
        ((0, 3, 2), "Of your 20 pairs: “Date” applies to 0, “Noise” applies to 2, “Negation” applies to 3."),
    ],
)
def test_kinds_that_apply_to_few_pairs_are_named_with_their_numbers(counts: tuple[int, ...], sentence: str) -> None:
    assert reach_sentence(("Date", "Negation", "Noise"), counts, 20) == sentence


def test_beyond_three_rare_kinds_the_least_number_of_the_others_is_said() -> None:
    words = reach_sentence("abcde", (1, 2, 3, 4, 9), 9)
    assert words.endswith("“c” applies to 3, each other kind to 4 or more.")


def test_kinds_are_counted_by_what_they_are_meant_to_do() -> None:
    kinds = [PERTURBATIONS.parse(name) for name in ("added", "shuffled", "date")]
    assert intent_counts(kinds) == "2 should keep the meaning, 1 should break it"
