"""Cells in which a tool wrote a list or an object as text."""

from __future__ import annotations

import pytest

from core.data.datasets.formats.cells import cell_value, json_value, listed_texts


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("['a'\n 'b']", ["a", "b"]),
        ("""['it\\'s' "he said 'no'"]""", ["it's", "he said 'no'"]),
        ("array(['a', 'b'], dtype=object)", ["a", "b"]),
        ("array(['a', 'b'], dtype='<U1')", ["a", "b"]),
        ("[]", []),
        ("['a' ... 'z']", "['a' ... 'z']"),
        ("[1, 2]", [1, 2]),
        ("[nan]", "[nan]"),
        ("[sic] as he wrote", "[sic] as he wrote"),
        (None, None),
        (7, 7),
    ],
)
def test_texts_of_a_list_are_read_and_any_other_cell_stays(cell: object, value: object) -> None:
    assert listed_texts(cell) == value


@pytest.mark.parametrize("cell", ["[" * 100_000, "{1: [", "{'a': __import__('os')}", "[1] * 9", "plain"])
def test_what_is_no_literal_stays_a_text(cell: str) -> None:
    assert json_value(cell) == cell
    assert cell_value(cell) == cell


def test_an_object_in_pythons_notation_is_read() -> None:
    assert cell_value("{'a': None, 'b': [True]}") == {"a": None, "b": [True]}
