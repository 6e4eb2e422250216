"""An unknown name is answered by what there is."""

from __future__ import annotations

import inspect

import core.errors
from core.errors import TouchstoneError, UnknownNameError


def test_a_near_name_is_suggested() -> None:
    error = UnknownNameError("metric", "rogue2", ["rouge2", "bleu"])
    assert str(error) == "No metric is named 'rogue2'. Did you mean 'rouge2'? Known: bleu, rouge2."


def test_a_far_name_is_answered_by_the_list_alone() -> None:
    assert str(UnknownNameError("metric", "x", ["bleu"])) == "No metric is named 'x'. Known: bleu."


def test_every_error_of_the_project_is_drawn_in_the_tree() -> None:
    errors = [name for name, found in inspect.getmembers(core.errors, inspect.isclass) if issubclass(found, Exception)]
    assert all(issubclass(getattr(core.errors, name), TouchstoneError) for name in errors)
    assert [name for name in errors if name not in (core.errors.__doc__ or "")] == []
