"""What becomes of an exception in a metric or a model: a kind and a sentence for its own cell, and nothing more."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.errors import LoadError, MemoryFullError, NoEndpointError, NotHereError, TouchstoneError, UnscorableError
from core.types import FailureKind

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_KINDS: Mapping[type[Exception], FailureKind] = {
    UnscorableError: FailureKind.INPUT,
    NotHereError: FailureKind.NEEDS_DOWNLOAD,
    LoadError: FailureKind.LOAD,
    MemoryFullError: FailureKind.OUT_OF_MEMORY,
    NoEndpointError: FailureKind.NEEDS_ENDPOINT,
    TouchstoneError: FailureKind.ERROR,  # last: the others are of its kind
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong, as a kind and a sentence."""

    kind: FailureKind
    message: str


def attempt(action: Callable[[], _T]) -> _T | Trouble:
    """The outcome of an action, or the trouble that it raised."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001  # whatever a metric or a model raises must spoil only its own cell
        return _told(error)


def _told(error: Exception) -> Trouble:
    if isinstance(error, MemoryError):
        return Trouble(
            FailureKind.OUT_OF_MEMORY, "This machine has no memory left for it. Shorten the text or free some."
        )
    for raised, kind in _KINDS.items():
        if isinstance(error, raised):
            return Trouble(kind, str(error))
    _log.error("A metric or a model failed", exc_info=error)
    return Trouble(FailureKind.ERROR, ": ".join(filter(None, [type(error).__name__, str(error)])))
