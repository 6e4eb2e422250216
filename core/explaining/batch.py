"""Many conversations with one language model, as they come."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import TypeVar

from core.engine import Engine
from core.explaining.judging import Case, Judged, Setup, judging
from core.job import Talk
from core.llm.saying import Sampling
from core.types import Failure

About = TypeVar("About")
Said = TypeVar("Said")


def in_order(
    engine: Engine, subjects: Iterable[About], talk: Callable[[About], Talk[Said]]
) -> Iterator[tuple[About, Said | Failure]]:
    """What each is talked about, with what came of it or with the reason why nothing did, in order."""
    asked: deque[About] = deque()

    def talks() -> Iterator[Talk[Said]]:
        for subject in subjects:
            asked.append(subject)
            yield talk(subject)

    with closing(engine.converse(talks())) as answers:
        for _, outcome in answers:
            yield asked.popleft(), outcome


def judged(
    engine: Engine, cases: Iterable[Case], setup: Setup, sampling: Sampling
) -> Iterator[tuple[Case, Judged | Failure]]:
    """Each case with its grade, or with the reason why there is none, in order."""
    return in_order(engine, cases, lambda case: judging(case, setup, sampling))
