"""Functions that score: the decorator `touchstone.metric`, and what it reads from a function's signature."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, overload

from core.types import Example, Score

Function = TypeVar("Function", bound=Callable[..., Any])

Direction = Literal["higher", "lower", "neutral"]
Default = bool | int | float | str

ATTRIBUTE = "__touchstone_metric__"
"""Attribute of a function under which its declaration is kept."""


class WrongScoreError(Exception):
    """A value that is no score of the function that returned it."""


_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_DIRECTIONS = ("higher", "lower", "neutral")
_DECLARED: list[Declaration] = []


@dataclass(frozen=True, slots=True)
class Declaration:
    """A function as `@touchstone.metric` registered it."""

    function: Callable[..., Any]
    """The function itself."""
    module: str
    """Module that defines it."""
    name: str
    """Name of the metric in specs and files."""
    title: str
    """Name shown to people."""
    low: float | None
    """Smallest possible score; None for no bound."""
    high: float | None
    """Largest possible score; None for no bound."""
    direction: Direction
    """Side on which consistent summaries lie; "neutral" if none is better."""
    measures: str
    """A sentence on how the number comes about."""
    paper: str
    """Authors, year and title of the publication; empty for none."""
    url: str
    """Address of that publication; empty for none."""
    licence: str
    """Licences of the code and the weights; empty if not stated."""
    languages: str
    """Language codes separated by blanks, or `ANY` or `SPACED` of `core.text.language`."""
    network: bool
    """True if Python's sockets may reach addresses while it runs."""
    inputs: int
    """Number of texts it takes: 2 (document, summary), 3 (and question), or 1, a list of examples."""
    waits: bool
    """True for an async function."""
    settings: tuple[tuple[str, Default], ...]
    """Keyword arguments with their defaults."""


@overload
def metric(function: Function, /) -> Function: ...


@overload
def metric(
    *,
    name: str = ...,
    title: str = ...,
    low: float | None = ...,
    high: float | None = ...,
    direction: Direction = ...,
    measures: str = ...,
    paper: str = ...,
    url: str = ...,
    licence: str = ...,
    languages: str = ...,
    network: bool = ...,
) -> Callable[[Function], Function]: ...


def metric(  # noqa: PLR0913  # each is a line of the card
    function: Function | None = None,
    /,
    *,
    name: str = "",
    title: str = "",
    low: float | None = 0.0,
    high: float | None = 1.0,
    direction: Direction = "higher",
    measures: str = "",
    paper: str = "",
    url: str = "",
    licence: str = "",
    languages: str = "any",
    network: bool = False,
) -> Function | Callable[[Function], Function]:
    """Make a metric of a function `(document, summary) -> float | Score`, which stays a function.

    With a third argument it is given the question, "" where there is none. With one argument it is given a list of `Example`s
    and returns a list of scores, one for each. It may be `async`. Keyword-only arguments with a default (bool, int, float or str) are
    the metric's settings. `name` is by default that of the function with hyphens, `title` the same in words; `low` and `high`
    bound the score, None for no bound; `direction` says which way consistency lies. Without `network` Python's sockets reach no
    address. The rest is shown on the card.

    Raises TypeError or ValueError for a function or a value that cannot be a metric's.
    """

    def declare(scorer: Function) -> Function:
        for bound in (low, high):
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, (int, float))):
                raise TypeError(f"A bound is a number or None; got {bound!r}.")
        if low is not None and high is not None and not low < high:
            raise ValueError(f"The range from {low!r} to {high!r} is empty. Give low below high.")
        if direction not in _DIRECTIONS:
            raise ValueError(f"The direction is one of {', '.join(_DIRECTIONS)}; got {direction!r}.")
        inputs, settings = _read_signature(scorer)
        declaration = Declaration(
            function=scorer,
            module=scorer.__module__,
            name=name or scorer.__name__.replace("_", "-").strip("-"),
            title=title or scorer.__name__.replace("_", " ").strip().capitalize(),
            low=low,
            high=high,
            direction=direction,
            measures=measures or (inspect.getdoc(scorer) or "").partition("\n")[0],
            paper=paper,
            url=url,
            licence=licence,
            languages=languages,
            network=network,
            inputs=inputs,
            waits=inspect.iscoroutinefunction(scorer),
            settings=settings,
        )
        if not _NAME.fullmatch(declaration.name):
            raise ValueError(
                f"The name {declaration.name!r} cannot be typed as a metric. Use small letters, digits and hyphens, as in my-metric."
            )
        _DECLARED.append(declaration)
        setattr(scorer, ATTRIBUTE, declaration)
        return scorer

    return declare if function is None else declare(function)


def declared_functions() -> list[Declaration]:
    """The functions that were declared in this process; of two of one name the later one counts, as for a `def`."""
    return list({declaration.name: declaration for declaration in _DECLARED}.values())


def check_score(value: Any, declaration: Declaration, example: Example) -> Score:
    """The score that a function returned, if it is one: a finite number or a Score, within the declared range.

    Raises WrongScoreError for anything else.
    """
    score = value if isinstance(value, Score) else Score(_read_number(value))
    _check_number(_read_number(score.value), declaration, "")
    for part in score.parts:
        _check_number(_read_number(part.score), declaration, " for a sentence")
        if not 0 <= part.span.start < part.span.end <= len(example.summary):
            raise WrongScoreError(
                f"It returned a sentence at {part.span.start}–{part.span.end} of a summary of {len(example.summary)} characters."
            )
        if part.evidence and not 0 <= part.evidence.start <= part.evidence.end <= len(example.document):
            raise WrongScoreError(
                f"It returned evidence at {part.evidence.start}–{part.evidence.end} of a document of {len(example.document)} characters."
            )
    return score


def _read_number(value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(type(value), "__float__"):
        text = "None" if value is None else f"{type(value).__name__} {value!r}"
        shown = text if len(text) <= 60 else f"{text[:60]}…"
        raise WrongScoreError(f"It returned {shown}. A metric returns a number or a touchstone.Score.")
    return float(value)


def _check_number(number: float, declaration: Declaration, of: str) -> None:
    if not math.isfinite(number):
        raise WrongScoreError(f"It returned {number}{of}. Raise an exception where a text has no score.")
    low = -math.inf if declaration.low is None else declaration.low
    high = math.inf if declaration.high is None else declaration.high
    if not low - 1e-6 <= number <= high + 1e-6:
        raise WrongScoreError(
            f"It returned {number:g}{of}, outside its range from {low:g} to {high:g}. Give low and high to @touchstone.metric."
        )


def _read_signature(function: Callable[..., Any]) -> tuple[int, tuple[tuple[str, Default], ...]]:
    """The number of texts that a function takes, and its settings; raises TypeError where it takes other arguments."""
    parameters = inspect.signature(function).parameters.values()
    texts = [
        parameter.name
        for parameter in parameters
        if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}
    ]
    keywords = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    others = [
        str(parameter)
        for parameter in parameters
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
    ]
    if not 1 <= len(texts) <= 3 or others:
        raise TypeError(
            f"{function.__name__} takes ({', '.join([*texts, *others])}). A metric takes (document, summary), "
            "(document, summary, question), or one list of examples; its settings come after *."
        )
    for keyword in keywords:
        if not isinstance(keyword.default, (bool, int, float, str)):
            raise TypeError(
                f"The setting {keyword.name} of {function.__name__} has no default that is a bool, int, float or str."
            )
    return len(texts), tuple((keyword.name, keyword.default) for keyword in keywords)
