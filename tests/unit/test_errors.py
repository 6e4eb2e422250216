"""The tree of errors, the names that are suggested, and the failure that an exception becomes."""

from __future__ import annotations

import inspect
import logging

import pytest

import core.errors
from core.errors import (
    BadSettingError,
    LoadError,
    MemoryFullError,
    MissingEndpointError,
    MissingWeightsError,
    Problem,
    TouchstoneError,
    UnknownNameError,
    UnscorableError,
    attempt,
)
from core.types import FailureKind


def test_a_near_name_is_suggested() -> None:
    error = UnknownNameError("metric", "rogue2", ["rouge2", "bleu"])
    assert str(error) == "No metric is named 'rogue2'. Did you mean 'rouge2'? Known: bleu, rouge2."


def test_a_far_name_is_answered_by_the_list_alone() -> None:
    assert str(UnknownNameError("metric", "x", ["bleu"])) == "No metric is named 'x'. Known: bleu."


def test_every_error_of_the_project_is_drawn_in_the_tree() -> None:
    errors = [name for name, found in inspect.getmembers(core.errors, inspect.isclass) if issubclass(found, Exception)]
    assert all(issubclass(getattr(core.errors, name), TouchstoneError) for name in errors)
    assert [name for name in errors if name not in (core.errors.__doc__ or "")] == []


def raising(error: BaseException) -> Problem | None:
    def action() -> None:
        raise error

    return attempt(action)


def test_an_action_that_succeeds_gives_its_outcome() -> None:
    assert attempt(lambda: 7) == 7


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (UnscorableError("It rhymes."), FailureKind.INPUT),
        (MissingWeightsError("It rhymes."), FailureKind.NEEDS_DOWNLOAD),
        (LoadError("It rhymes."), FailureKind.LOAD),
        (MemoryFullError("It rhymes."), FailureKind.OUT_OF_MEMORY),
        (MissingEndpointError("It rhymes."), FailureKind.NEEDS_ENDPOINT),
        (BadSettingError("It rhymes."), FailureKind.ERROR),
        (TouchstoneError("It rhymes."), FailureKind.ERROR),
    ],
)
def test_what_is_raised_on_purpose_keeps_its_sentence(
    error: TouchstoneError, kind: FailureKind, caplog: pytest.LogCaptureFixture
) -> None:
    assert raising(error) == Problem(kind, "It rhymes.")
    assert caplog.records == []


@pytest.mark.parametrize("error", [ValueError("odd"), ZeroDivisionError(), KeyError("x")], ids=repr)
def test_anything_else_is_a_sentence_and_its_traceback_is_in_the_log(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        problem = raising(error)
    assert isinstance(problem, Problem)
    assert problem.kind is FailureKind.ERROR
    assert "the log has the details" in problem.error
    assert "Error" not in problem.error
    [logged] = caplog.records
    assert logged.exc_info is not None
    assert logged.exc_info[1] is error


def test_a_machine_without_memory_is_said_in_a_sentence() -> None:
    problem = raising(MemoryError())
    assert problem is not None
    assert problem.kind is FailureKind.OUT_OF_MEMORY
    assert problem.error.startswith("This machine has no memory left")


def test_the_wish_to_stop_is_no_problem() -> None:
    with pytest.raises(KeyboardInterrupt):
        raising(KeyboardInterrupt())


def test_a_message_of_a_library_with_many_lines_becomes_one_line_of_readable_length() -> None:
    def fail() -> None:
        raise LoadError("The weights do not load:\n\n  size mismatch for layer.0\n\tsize mismatch " + "x" * 5_000)

    problem = attempt(fail)
    assert isinstance(problem, Problem)
    assert problem.error.startswith("The weights do not load: size mismatch for layer.0 size mismatch xxx")
    assert len(problem.error) < 1_100
