"""Names and numbers found by rule."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given

from core.text.segmentation import entities
from tests.doubles.texts import RANDOM, random_text


def found(text: str) -> list[str]:
    return [span.of(text) for span in entities(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("She met Ana Brekke and the Prime Minister of Norway.", ["Ana Brekke", "Prime Minister", "Norway"]),
        ("The harbour of Lindvale closed.", ["Lindvale"]),
        ("It cost 3.4 million, or 1,200 each, at 10:45.", ["3.4", "1,200", "10:45"]),
        ("In 1961 we met O’Neil and Ana-Maria.", ["1961", "O’Neil", "Ana-Maria"]),
        ("Nobody came, and I think nobody will.", []),
        ("Rain fell. The rain stopped.", []),
        ("Élodie and Øyvind saw Москва.", ["Élodie", "Øyvind", "Москва"]),
        ("", []),
    ],
)  # fmt: skip
def test_names_are_runs_of_capitals_and_numbers(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_an_opening_word_that_stands_small_elsewhere_is_no_name() -> None:
    assert found("Boats sank. Two boats were saved.") == []


@given(RANDOM)
def test_entities_stand_in_order_and_apart(rng: random.Random) -> None:
    text = random_text(rng, 40)
    spans = entities(text)
    assert list(spans) == sorted(spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert all(span.start < span.end for span in spans)
