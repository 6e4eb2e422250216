"""Many explanations judged by one language model, as they come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing

from core.engine import Engine
from core.explaining.judging import Case, Judged, Setup, judging
from core.job import Talk
from core.llm.saying import Sampling
from core.types import Failure


def judged(
    engine: Engine, cases: Iterable[Case], setup: Setup, sampling: Sampling
) -> Iterator[tuple[Case, Judged | Failure]]:
    """Each case with its grade, or with the reason why there is none, in order."""
    asked: deque[Case] = deque()

    def talks() -> Iterator[Talk[Judged]]:
        for case in cases:
            asked.append(case)
            yield judging(case, setup, sampling)

    with closing(engine.converse(talks())) as answers:
        for _, outcome in answers:
            yield asked.popleft(), outcome
