"""Every exception that Touchstone raises on purpose.

TouchstoneError
├── UnknownNameError    a metric, perturbation, setting … that does not exist
├── BadSettingError     a setting whose value cannot be read
├── EditError           an executable edit that cannot be executed
│   └── AmbiguousEditError  one whose words stand in more than one place
├── UnscorableError     a text that a metric cannot score
├── NotHereError        weights that are not on this machine
├── LoadError           weights that do not load
├── MemoryFullError     weights or a batch that do not fit
└── NoEndpointError     no language-model endpoint is configured
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TouchstoneError(Exception):
    """A message for a person: what was got, what exists, what to do."""


class UnknownNameError(TouchstoneError):
    """A name that is not registered."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=1)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(f"No {what} is named {name!r}.{guess} Known: {', '.join(names)}.")


class BadSettingError(TouchstoneError):
    """A setting whose value cannot be read."""


class EditError(TouchstoneError):
    """An executable edit that cannot be executed."""


class AmbiguousEditError(EditError):
    """An executable edit whose words stand in more than one place, shown in their surroundings."""

    def __init__(self, message: str, places: list[str], record: int = 0) -> None:
        super().__init__(message)
        self.places = places
        self.record = record


class UnscorableError(TouchstoneError):
    """A text that a metric cannot score."""


class NotHereError(TouchstoneError):
    """Weights that are not on this machine."""


class LoadError(TouchstoneError):
    """Weights that are here but do not load."""


class MemoryFullError(TouchstoneError):
    """Weights or a batch that do not fit into the memory of the device."""


class NoEndpointError(TouchstoneError):
    """No language-model endpoint is configured."""
