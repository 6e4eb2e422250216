"""The null band: how far a metric moves when nothing was broken, by harmless edits of about the same size.

For a single pair the edits are the rule forms of the meaning-preserving perturbations, drawn with several seeds and
numbers of edits, and two of different kinds together; its bands are measured in the background."""

from __future__ import annotations

import random
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from cachetools import LRUCache

from core.background import BackgroundTask
from core.edits import apply
from core.engine.engine import Engine
from core.errors import Problem, UnscorableError, attempt
from core.memoize import memoize
from core.metric import Metric
from core.perturbation import Perturbation, RulePerturbation, rule_perturbations
from core.stats.score_pairs import noise_range
from core.stats.statistic import Values
from core.stress.shifts import Shift, changed_words
from core.types import Edit, Example, Result

_SIZE_FACTOR = 2  # sizes within this factor count as the same


@dataclass(frozen=True, slots=True)
class NullBand:
    """The range of the shifts of `n` harmless edits (their middle 95 % from 30 on), and their mean size, in the metric's own units.

    None where fewer than five harmless edits were scored; `any_size` says that too few of the same size were, so that
    all of them count.
    """

    low: float | None
    high: float | None
    size: float | None
    n: int
    any_size: bool = False

    def multiple(self, shift: float) -> float | None:
        """How many times the mean harmless shift this one is; None where there is nothing to compare with."""
        return abs(shift) / self.size if self.size else None

    @property
    def range(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)

    def holds(self, shift: float) -> bool | None:
        """Whether a shift lies within the band; None where there is none."""
        return None if self.low is None or self.high is None else self.low <= shift <= self.high


def null_band(harmless: Sequence[Shift], words: int) -> NullBand:
    """The band of one metric for edits that change so many words; `harmless` are its shifts under such edits."""
    alike = [shift for shift in harmless if shift.words <= _SIZE_FACTOR * words and words <= _SIZE_FACTOR * shift.words]
    sizes = _known_sizes(alike)
    few = noise_range(sizes) is None
    if few:
        sizes = _known_sizes(harmless)
    found = noise_range(sizes)
    if found is None:
        return NullBand(None, None, None, len(sizes))
    return NullBand(*found, float(np.abs(sizes).mean()), len(sizes), any_size=few)


def _known_sizes(shifts: Sequence[Shift]) -> Values:
    return np.array([shift.size for shift in shifts if shift.size is not None], dtype=np.float64)


MAX_HARMLESS = 32
_SEEDS = range(3)
_EDIT_COUNTS = (1, 2, 3)
_JOINED_VARIANTS = 16  # of variants of few words, joined in pairs


@dataclass(frozen=True, slots=True)
class HarmlessVariant:
    """A variant of a summary that says the same, the kind of its edits, and how many words they change."""

    summary: str
    kind: str
    edits: tuple[Edit, ...]
    words: int


def harmless_variants(example: Example) -> list[HarmlessVariant]:
    """At most 32 different variants, spread over their sizes, the smallest first; the same at every call."""
    single = list(_distinct_variants(example, _draw_edits(example)))
    small = sorted(single, key=lambda variant: variant.words)[:_JOINED_VARIANTS]
    joined = _distinct_variants(example, _join_edits(small))
    found = {variant.summary: variant for variant in [*joined, *single]}
    return _spread_evenly(sorted(found.values(), key=lambda variant: (variant.words, variant.summary)))


def _draw_edits(example: Example) -> Iterator[tuple[str, Sequence[Edit]]]:
    for kind in rule_perturbations():
        if kind.card.intent == "preserving":
            for setting in _with_edit_counts(kind):
                for seed in _SEEDS:
                    try:
                        yield kind.name, setting.edits(example, random.Random(seed))
                    except UnscorableError:
                        break  # no seed helps where there is nothing to edit


def _with_edit_counts(kind: Perturbation) -> list[Perturbation]:
    """The kind with one edit, with two, with three, where it counts them."""
    return [replace(kind, most=most) for most in _EDIT_COUNTS] if isinstance(kind, RulePerturbation) else [kind]


def _join_edits(variants: Sequence[HarmlessVariant]) -> Iterator[tuple[str, Sequence[Edit]]]:
    for one, other in combinations(variants, 2):
        if one.kind != other.kind and _do_not_touch(one.edits, other.edits):
            yield f"{one.kind} and {other.kind}", [*one.edits, *other.edits]


def _do_not_touch(ours: Sequence[Edit], theirs: Sequence[Edit]) -> bool:
    return all(one.span.end < other.span.start or other.span.end < one.span.start for one in ours for other in theirs)


def _distinct_variants(example: Example, drawn: Iterator[tuple[str, Sequence[Edit]]]) -> Iterator[HarmlessVariant]:
    seen = {example.summary}
    for kind, edits in drawn:
        summary = apply(example.summary, edits)
        if summary not in seen:
            seen.add(summary)
            yield HarmlessVariant(summary, kind, tuple(edits), changed_words(example.summary, edits))


def _spread_evenly(variants: Sequence[HarmlessVariant]) -> list[HarmlessVariant]:
    """At most `MOST` of them, evenly over the list."""
    number = min(MAX_HARMLESS, len(variants))
    return [variants[place * len(variants) // number] for place in range(number)]


_CACHE_SIZE = 4096  # measurements of one metric on one pair
_MeasurementKey = tuple[str, str, str]
"""(metric spec, document, summary)"""


class NullBands:
    """Measures one metric on one pair after the other, behind everything that people wait for.

    What was measured serves every session, and every edit of the same summary: no edit is measured twice.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        self._found: LRUCache[_MeasurementKey, tuple[Shift, ...]] = LRUCache(_CACHE_SIZE)
        self._wanted: dict[_MeasurementKey, tuple[Metric, Example]] = {}
        self._at_work = False

    def measure(self, metrics: Sequence[Metric], original: Example) -> None:
        """Measure these metrics on this pair before what was wanted earlier, in this order, unless it is known."""
        with self._changed:
            keys = {_measurement_key(metric, original): (metric, original) for metric in metrics}
            new = {key: work for key, work in keys.items() if key not in self._found}
            self._wanted = new | {key: work for key, work in self._wanted.items() if key not in new}
            if self._wanted and not self._at_work:
                self._at_work = True
                BackgroundTask(self._work)

    def shifts(self, metric: Metric, original: Example) -> tuple[Shift, ...] | None:
        """The shifts under harmless edits; None where they have not been measured."""
        with self._changed:
            return self._found.get(_measurement_key(metric, original))

    def wait(self, metrics: Sequence[Metric], original: Example, known: int, timeout: float) -> int:
        """Wait until more than `known` of these are measured, or time is up; how many are."""
        keys = {_measurement_key(metric, original) for metric in metrics}
        with self._changed:
            self._changed.wait_for(lambda: len(keys & self._found.keys()) > known, timeout)
            return len(keys & self._found.keys())

    def _work(self) -> Generator[_MeasurementKey]:
        while (next_one := self._next()) is not None:
            key, (metric, original) = next_one
            found = attempt(partial(self._measured, metric, original))
            with self._changed:
                self._found[key] = () if isinstance(found, Problem) else found
                self._changed.notify_all()
            yield key

    def _next(self) -> tuple[_MeasurementKey, tuple[Metric, Example]] | None:
        with self._changed:
            if self._wanted:
                key = next(iter(self._wanted))
                return key, self._wanted.pop(key)
            self._at_work = False
            return None

    def _measured(self, metric: Metric, original: Example) -> tuple[Shift, ...]:
        variants = _cached_harmless_variants(original)
        before = self._score(metric, original.document, original.summary)
        after = [self._score(metric, original.document, variant.summary) for variant in variants]
        return tuple(
            _harmless_shift(metric, variant, before, one) for variant, one in zip(variants, after, strict=True)
        )

    def _score(self, metric: Metric, document: str, summary: str) -> float | None:
        # one at a time: more of them would take turns with what people wait for on all threads of the engine
        [(_, outcome)] = self._engine.run([metric], [Example("harmless", document, summary)])
        return outcome.score if isinstance(outcome, Result) else None


@memoize(16)
def _cached_harmless_variants(original: Example) -> list[HarmlessVariant]:
    return harmless_variants(original)


def _harmless_shift(metric: Metric, variant: HarmlessVariant, before: float | None, after: float | None) -> Shift:
    return Shift("", variant.kind, metric.spec, "", "", before, after, variant.words)


def _measurement_key(metric: Metric, original: Example) -> _MeasurementKey:
    return metric.spec, original.document, original.summary
