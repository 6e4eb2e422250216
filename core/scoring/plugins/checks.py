"""Remarks on a new metric from a few bundled pairs: failures, a constant, scores that change, and the wrong direction."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Literal

from core.data import bundled_items
from core.errors import Problem
from core.types import Example, Verdict

Outcome = float | Problem
AskScores = Callable[[Sequence[Example]], Sequence[Outcome]]
"""Function that scores examples at once, in order."""

Direction = Literal["higher", "lower", "neutral"]

_PAIRS = 10
_LEVEL = 0.05
_SIGNS = {"higher": 1, "lower": -1}


def bundled_pairs() -> list[tuple[Example, Example]]:
    """Faithful summaries and the same with an error, of as many documents as there are."""
    items = bundled_items()
    faithful = {item.example.id: item.example for item in items if not item.parent}
    wrong = [item for item in items if item.parent and item.intended is Verdict.INCONSISTENT]
    nth = {
        item.example.id: sum(earlier.parent == item.parent for earlier in wrong[:place])
        for place, item in enumerate(wrong)
    }
    sample = sorted(wrong, key=lambda item: nth[item.example.id])[:_PAIRS]
    return [(faithful[str(item.parent)], item.example) for item in sample]


def check_metric(
    ask: AskScores, pairs: Sequence[tuple[Example, Example]], direction: Direction, at_once: int, limit_s: float
) -> list[str]:
    """Sentences on what looks wrong; none for a metric that passes.

    `pairs` are a faithful summary and the same with an error. Asking stops after `limit_s`, and the rest is not judged.
    """
    texts = list(dict.fromkeys(example for pair in pairs for example in pair))
    size = max(1, at_once)
    began, scores = time.monotonic(), dict[Example, Outcome]()
    for start in range(0, len(texts), size):
        some = texts[start : start + size]
        scores |= zip(some, ask(some), strict=True)
        if time.monotonic() - began > limit_s:
            break
    again = ask(texts[:size][::-1])[::-1]  # the other way round, which may change nothing
    changed = [
        (scores[example], second)
        for example, second in zip(texts[:size], again, strict=True)
        if scores[example] != second and not isinstance(scores[example], Problem)
    ]
    ordered = [(scores[faithful], scores[wrong]) for faithful, wrong in pairs if faithful in scores and wrong in scores]
    outcomes = list(scores.values())
    problems = [outcome.error for outcome in outcomes if isinstance(outcome, Problem)]
    failures = (
        [f"It has no score for {len(problems)} of {len(outcomes)} bundled texts: {problems[0]}"] if problems else []
    )
    return [
        *failures,
        *constant_remarks(list(scores.values())),
        *[
            f"Asked again about the same text it gave {_show(second)} instead of {_show(first)}."
            for first, second in changed[:1]
        ],
        *direction_remarks(ordered, direction),
    ]


def _show(outcome: Outcome) -> str:
    return outcome.error if isinstance(outcome, Problem) else f"{outcome:g}"


def constant_remarks(outcomes: Sequence[Outcome]) -> list[str]:
    """A sentence where all texts that have a score have the same."""
    values = [outcome for outcome in outcomes if not isinstance(outcome, Problem)]
    if len(values) < 2 or len({*values}) > 1:
        return []
    return [f"It scores {values[0]:g} for every one of {len(values)} bundled texts: a constant tells none apart."]


def direction_remarks(pairs: Sequence[tuple[Outcome, Outcome]], direction: Direction) -> list[str]:
    """A sentence where more pairs come out the wrong way round than chance explains (one-sided sign test at 5 %)."""
    sign = _SIGNS.get(direction, 0)
    gaps = [
        sign * (first - second)
        for first, second in pairs
        if not isinstance(first, Problem) and not isinstance(second, Problem)
    ]
    right, wrong = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    decided = right + wrong
    chance = sum(math.comb(decided, more) for more in range(wrong, decided + 1)) / 2**decided
    if chance > _LEVEL:
        return []
    return [
        f"Of {len(gaps)} bundled pairs it prefers the summary with an error in {wrong} and the faithful one in {right}. "
        f"Check direction={direction!r}."
    ]
