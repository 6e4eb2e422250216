"""What becomes of an exception."""

from __future__ import annotations

import logging

import pytest

from core.errors import (
    BadSettingError,
    LoadError,
    MemoryFullError,
    MissingEndpointError,
    MissingWeightsError,
    Problem,
    TouchstoneError,
    UnscorableError,
    attempt,
)
from core.types import FailureKind


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


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("odd"), "ValueError: odd"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
def test_anything_else_is_named_and_its_traceback_is_in_the_log(
    error: Exception, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert raising(error) == Problem(FailureKind.ERROR, message)
    [logged] = caplog.records
    assert logged.exc_info is not None
    assert logged.exc_info[1] is error


def test_a_machine_without_memory_is_said_in_a_sentence() -> None:
    trouble = raising(MemoryError())
    assert trouble is not None
    assert trouble.kind is FailureKind.OUT_OF_MEMORY
    assert trouble.message.startswith("This machine has no memory left")


def test_the_wish_to_stop_is_no_trouble() -> None:
    with pytest.raises(KeyboardInterrupt):
        raising(KeyboardInterrupt())
