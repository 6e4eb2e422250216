"""Whether an explanation names the edited words: by any form of them, on either side of the edit."""

from __future__ import annotations

import pytest

from core.evaluation.explanations.checks import check_named_edits
from core.types import Edit, Span
from tests.unit.core.evaluation.explanations.scenes import EDIT, SEED


def edit(old: str, new: str, seed: str = SEED) -> Edit:
    start = seed.index(old)
    return Edit(Span(start, start + len(old)), new)


@pytest.mark.parametrize(
    ("explanation", "holds"),
    [
        ("It was not the pilot's wife who said so.", True),
        ("The harbour master said so.", True),
        ("PILOTS did not say so; one of their WIVES neither.", True),
        ("Somebody else said so.", False),
        ("", False),
    ],
    ids=["the words put in", "the words taken out", "in other forms", "in other words", "nothing"],
)
def test_an_explanation_names_an_edit_by_the_words_of_either_side(explanation: str, holds: bool) -> None:
    [found] = check_named_edits(explanation, SEED, [EDIT])
    assert found.is_named is holds


def test_words_on_both_sides_of_an_edit_are_not_what_was_edited() -> None:
    change = edit("A storm closed the harbour.", "A flood closed the harbour.")
    [found] = check_named_edits("The harbour was closed.", SEED, [change])
    assert (found.inserted, found.deleted, found.is_named) == (("flood",), ("storm",), False)


def test_a_function_word_counts_where_nothing_else_was_changed() -> None:
    change = edit("Nobody was", "Nobody was not")
    [found] = check_named_edits("It is not so that nobody was hurt.", SEED, [change])
    assert (found.inserted, found.is_named) == (("not",), True)


def test_each_edit_is_looked_for_by_itself() -> None:
    found = check_named_edits("A flood, not a storm.", SEED, [edit("storm", "flood"), EDIT])
    assert [one.is_named for one in found] == [True, False]
