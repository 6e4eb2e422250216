"""Memory for pure functions of long texts."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition
from typing import ParamSpec, TypeVar

from cachetools import LRUCache, cached

P = ParamSpec("P")
R = TypeVar("R")


def memoize(size: int, measure: Callable[..., int] | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the last results of a function of hashable arguments, up to a total `size` by `measure`; by default their number.

    What several threads want at once is computed by one of them while the others wait: all metrics ask for the words
    of the same document at the same moment.
    """
    decorator: Callable[[Callable[P, R]], Callable[P, R]] = cached(LRUCache(size, measure), condition=Condition())
    return decorator
