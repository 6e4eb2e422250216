"""Columns of an own table that annotators see before anybody chooses some."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotations.management.candidates import Candidate, candidates_from_items
from core.types import Example, Item
from pages.ui.campaigns.file_items import blind_columns

_SIDES = ("consistent", "inconsistent")


def table(name: str, cell: Callable[[int], str], rows: int = 30) -> list[Candidate]:
    """Candidates of a table with the column `record` and one more."""
    items = [
        Item(
            Example(str(place), f"Keeper {place} lit the lamp at six.", f"The lamp of {place} was lit at six."),
            columns=(("record", f"lh-{place:03}"), ("label", _SIDES[place % 2]), (name, cell(place))),
        )
        for place in range(rows)
    ]
    return candidates_from_items(items, "lighthouse.csv")[0]


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("gold_label", lambda place: _SIDES[place // 2 % 2]),
        ("factual", lambda place: _SIDES[place // 3 % 2]),
        ("predicted_label", lambda place: _SIDES[place % 2]),
        ("Anna", lambda place: _SIDES[place % 2]),
        ("severity", lambda place: ("none", "minor", "major")[place % 3]),
        ("perturbation", lambda place: ("swap", "none")[place % 2]),
        ("score", lambda place: f"{place / 100:.2f}"),
        ("percent", lambda place: f"{60 + place}%"),
        ("points", lambda place: str(60 + place)),
        ("explanation", lambda place: f"Keeper {place}: it was six." if place % 2 else ""),
        ("corrected_summary", lambda place: f"The lamp was lit at {place} by hand." if place % 2 else ""),
        ("key", lambda place: f"{place}-{'lead' if place % 2 else 'bart'}"),
        ("id", lambda place: f"{place}/edited" if place % 2 else str(place)),
    ],
)
def test_what_may_tell_of_a_label_or_a_system_is_hidden(name: str, cell: Callable[[int], str]) -> None:
    assert blind_columns(table(name, cell)) == ["record"]
    assert blind_columns(table(name, cell, rows=4)) == ["record"]


@pytest.mark.parametrize(("name", "cell"), [("id", str), ("number", "No. {}".format)])
def test_what_numbers_the_items_is_shown(name: str, cell: Callable[[int], str]) -> None:
    assert blind_columns(table(name, cell)) == ["record", name]


def test_numbers_of_rows_that_are_one_item_are_shown() -> None:
    texts = Example("1", "The lamp was lit at six.", "The lamp was lit.")
    items = [Item(texts, columns=(("record", f"lh-{place}"), ("system", "north"))) for place in (1, 2)]
    assert blind_columns(candidates_from_items(items, "lighthouse.csv")[0]) == ["record"]
