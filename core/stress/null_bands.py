"""The null bands of single pairs, measured in the background: how far each metric moves under harmless edits of a summary."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

from cachetools import LRUCache

from core.engine import Engine
from core.metric import Metric
from core.remember import remembered
from core.stress.harmless import Harmless, harmless
from core.stress.shifts import Shift
from core.trouble import Trouble, attempt
from core.types import Example, Result

_KEPT = 4096  # measurements of one metric on one pair
_Key = tuple[str, str, str]
"""(metric spec, document, summary)"""


class NullBands:
    """Measures one metric on one pair after the other, behind everything that people wait for.

    What was measured serves every session, and every edit of the same summary: no edit is measured twice.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        self._found: LRUCache[_Key, tuple[Shift, ...]] = LRUCache(_KEPT)
        self._wanted: dict[_Key, tuple[Metric, Example]] = {}
        self._at_work = False

    def measure(self, metrics: Sequence[Metric], original: Example) -> None:
        """Measure these metrics on this pair before what was wanted earlier, in this order, unless it is known."""
        with self._changed:
            keys = {_key(metric, original): (metric, original) for metric in metrics}
            new = {key: work for key, work in keys.items() if key not in self._found}
            self._wanted = new | {key: work for key, work in self._wanted.items() if key not in new}
            if self._wanted and not self._at_work:
                self._at_work = True
                threading.Thread(target=self._work, daemon=True).start()

    def shifts(self, metric: Metric, original: Example) -> tuple[Shift, ...] | None:
        """The shifts under harmless edits; None where they have not been measured."""
        with self._changed:
            return self._found.get(_key(metric, original))

    def wait(self, metrics: Sequence[Metric], original: Example, known: int, timeout: float) -> int:
        """Wait until more than `known` of these are measured, or time is up; how many are."""
        keys = {_key(metric, original) for metric in metrics}
        with self._changed:
            self._changed.wait_for(lambda: len(keys & self._found.keys()) > known, timeout)
            return len(keys & self._found.keys())

    def _work(self) -> None:
        while (next_one := self._next()) is not None:
            key, (metric, original) = next_one
            found = attempt(partial(self._measured, metric, original))
            with self._changed:
                self._found[key] = () if isinstance(found, Trouble) else found
                self._changed.notify_all()

    def _next(self) -> tuple[_Key, tuple[Metric, Example]] | None:
        with self._changed:
            if self._wanted:
                key = next(iter(self._wanted))
                return key, self._wanted.pop(key)
            self._at_work = False
            return None

    def _measured(self, metric: Metric, original: Example) -> tuple[Shift, ...]:
        variants = _harmless(original)
        before = self._score(metric, original.document, original.summary)
        after = [self._score(metric, original.document, variant.summary) for variant in variants]
        return tuple(_shift(metric, variant, before, one) for variant, one in zip(variants, after, strict=True))

    def _score(self, metric: Metric, document: str, summary: str) -> float | None:
        # one at a time: more of them would take turns with what people wait for on all threads of the engine
        [(_, outcome)] = self._engine.run([metric], [Example("harmless", document, summary)])
        return outcome.score if isinstance(outcome, Result) else None


@remembered(16)
def _harmless(original: Example) -> list[Harmless]:
    return harmless(original)


def _shift(metric: Metric, variant: Harmless, before: float | None, after: float | None) -> Shift:
    return Shift("", variant.kind, metric.spec, "", "", before, after, variant.words)


def _key(metric: Metric, original: Example) -> _Key:
    return metric.spec, original.document, original.summary
