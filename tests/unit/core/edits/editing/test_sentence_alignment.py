"""Which original sentence each edited one comes from, on hand-made edits."""

from __future__ import annotations

import pytest

from core.edits.editing.sentence_alignment import sentence_origins
from core.text.edits import recover

ORIGINAL = "The harbour was closed. The mayor paid for the repairs. Nobody objected."


@pytest.mark.parametrize(
    ("edited", "origins"),
    [
        (ORIGINAL, [0, 1, 2]),
        (ORIGINAL.replace("mayor", "owner"), [0, 1, 2]),
        ("Nobody objected. The harbour was closed. The mayor paid for the repairs.", [2, 0, 1]),
        ("The harbour was closed. Nobody objected.", [0, 2]),
        (ORIGINAL.replace("closed. The", "closed, and the"), [1, 2]),
        (ORIGINAL + " Penguins arrived.", [0, 1, 2, None]),
        ("Penguins arrived. " + ORIGINAL, [None, 0, 1, 2]),
        ("", []),
    ],
)
def test_a_sentence_comes_from_the_one_it_equals_or_keeps_most_of(edited: str, origins: list[int | None]) -> None:
    assert sentence_origins(ORIGINAL, recover(ORIGINAL, edited)) == origins


def test_a_repeated_sentence_has_one_origin_each() -> None:
    twice = "It rained. It rained. It stopped."
    assert sentence_origins(twice, recover(twice, twice)) == [0, 1, 2]


def test_an_empty_original_is_the_origin_of_nothing() -> None:
    assert sentence_origins("", recover("", "It rained.")) == [None]
