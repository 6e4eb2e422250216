"""The null band: how far a metric moves when nothing was broken, by harmless edits of about the same size.

For a single pair the edits are by the meaning-preserving perturbations of a battery, drawn with several seeds and
numbers of edits, and two of different kinds together; its bands are measured in the background."""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from cachetools import LRUCache

from core.base import BackgroundTask, apart_from_code, memoize, open_database
from core.edits import Battery, Perturbation, RulePerturbation, standard_battery
from core.errors import Problem, UnscorableError, attempt
from core.results.runs.shifts import Shift, changed_words
from core.scoring import Metric, ScoringEngine
from core.stats import MIN_FOR_QUANTILES, SHIFT_TOLERANCE, Values, noise_range, with_least_ends
from core.text import apply, contexts_to_json
from core.types import Edit, Example, Result

_SIZE_FACTOR = 2  # sizes within this factor count as the same


@dataclass(frozen=True, slots=True)
class NullBand:
    """The range of the shifts of `n` harmless edits (their middle 95 % from 30 on), and their mean size, in the metric's own units.

    None where fewer than five harmless edits were scored; `any_size` says that too few of the same size were, so that
    all of them count. `elsewhere` of the edits are of other pairs.
    """

    low: float | None
    high: float | None
    size: float | None
    n: int
    any_size: bool = False
    elsewhere: int = 0

    @property
    def range(self) -> tuple[float, float] | None:
        """Both ends, each at least a fiftieth of the width away from no shift; see `with_least_ends`.

        None where there is no band, or one without width: harmless edits that move nothing tell no noise.
        """
        if self.low is None or self.high is None or self.high - self.low <= SHIFT_TOLERANCE:
            return None
        return with_least_ends(self.low, self.high)

    def edge(self, shift: float) -> float | None:
        """Distance of this shift from none, in units of that to the end of the band on its side; None where the noise is unknown.

        Up to 1 the shift is within noise.
        """
        if self.range is None:
            return None
        low, high = self.range
        return abs(shift) / (high if shift > 0 else -low)


def null_band(harmless: Sequence[Shift], words: int, elsewhere: Sequence[Shift] = ()) -> NullBand:
    """The band of one metric for edits that change this number of words; `harmless` are its shifts under harmless edits.

    Where fewer than 30 of these are of about that size, those of other pairs, `elsewhere`, that are count as well.
    """
    own = _known_sizes(_of_size(harmless, words))
    others = _known_sizes(_of_size(elsewhere, words) if len(own) < MIN_FOR_QUANTILES else [])
    sizes = np.concatenate([own, others])
    noise = noise_range(sizes)
    if noise is None:
        return any_size_band(harmless)
    return NullBand(*noise, float(np.abs(sizes).mean()), len(sizes), elsewhere=len(others))


def any_size_band(harmless: Sequence[Shift]) -> NullBand:
    """The band of one metric for harmless edits whatever their size."""
    sizes = _known_sizes(harmless)
    noise = noise_range(sizes)
    if noise is None:
        return NullBand(None, None, None, len(sizes))
    return NullBand(*noise, float(np.abs(sizes).mean()), len(sizes), any_size=True)


def _of_size(shifts: Sequence[Shift], words: int) -> list[Shift]:
    """Those under edits of half as many words to twice as many."""
    return [shift for shift in shifts if shift.words <= _SIZE_FACTOR * words and words <= _SIZE_FACTOR * shift.words]


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


def harmless_variants(example: Example, battery: Battery | None = None) -> list[HarmlessVariant]:
    """At most 32 different variants, spread over their sizes, the smallest first; the same at every call.

    They are by the kinds of the battery that keep the meaning, without one by those of the standard battery.
    """
    kinds = (battery or standard_battery()).of_intent("preserving")
    single = list(_distinct_variants(example, _draw_edits(example, kinds)))
    small = sorted(single, key=lambda variant: variant.words)[:_JOINED_VARIANTS]
    joined = _distinct_variants(example, _join_edits(small))
    by_summary = {variant.summary: variant for variant in [*joined, *single]}
    variants = sorted(by_summary.values(), key=lambda variant: (variant.words, variant.summary))
    number = min(MAX_HARMLESS, len(variants))  # evenly over the list
    return [variants[place * len(variants) // number] for place in range(number)]


def _draw_edits(example: Example, kinds: Iterable[Perturbation]) -> Iterator[tuple[str, Sequence[Edit]]]:
    for kind in kinds:
        # with one edit, with two, with three, where it counts them
        settings: list[Perturbation] = [kind]
        if isinstance(kind, RulePerturbation):
            settings = [replace(kind, most=most) for most in _EDIT_COUNTS]
        for setting in settings:
            for seed in _SEEDS:
                try:
                    yield kind.name, setting.edits(example, random.Random(seed))
                except UnscorableError:
                    break  # no seed helps where there is nothing to edit


def _join_edits(variants: Sequence[HarmlessVariant]) -> Iterator[tuple[str, Sequence[Edit]]]:
    for variant, other in combinations(variants, 2):
        spans = [(ours.span, theirs.span) for ours in variant.edits for theirs in other.edits]
        apart = all(ours.end < theirs.start or theirs.end < ours.start for ours, theirs in spans)
        if variant.kind != other.kind and apart:
            yield f"{variant.kind} and {other.kind}", [*variant.edits, *other.edits]


def _distinct_variants(example: Example, candidates: Iterator[tuple[str, Sequence[Edit]]]) -> Iterator[HarmlessVariant]:
    seen = {example.summary}
    for kind, edits in candidates:
        summary = apply(example.summary, edits)
        if summary not in seen:
            seen.add(summary)
            yield HarmlessVariant(summary, kind, tuple(edits), changed_words(example.summary, edits))


_FILE = "harmless-1.sqlite"  # the number changes with the layout; an old file is simply not read
_TABLE = "CREATE TABLE IF NOT EXISTS harmless (key BLOB PRIMARY KEY, scores TEXT) WITHOUT ROWID"


class _CachedScores:
    """The scores of a summary and its harmless variants, by the signature of the metric, in a file beside the cached answers."""

    def __init__(self, folder: Path) -> None:
        self._database = open_database(folder / _FILE, "file of scores under harmless edits", _TABLE)
        self._lock = threading.Lock()

    def get(self, signature: str, original: Example, variants: Sequence[HarmlessVariant]) -> list[float] | None:
        with self._lock:
            row = self._database.execute(
                "SELECT scores FROM harmless WHERE key = ?", (_kept_key(signature, original, variants),)
            ).fetchone()
        return None if row is None else list(map(float, json.loads(row[0])))

    def put(
        self, signature: str, original: Example, variants: Sequence[HarmlessVariant], scores: Sequence[float]
    ) -> None:
        row = (_kept_key(signature, original, variants), json.dumps(scores))
        with self._lock, self._database:
            self._database.execute("INSERT OR REPLACE INTO harmless VALUES (?, ?)", row)

    def close(self) -> None:
        with self._lock:
            self._database.close()


def _kept_key(signature: str, original: Example, variants: Sequence[HarmlessVariant]) -> bytes:
    """The variants are part of it: where a rule makes other ones they are measured again."""
    texts = [original.document, original.summary, *(variant.summary for variant in variants)]
    parts = [contexts_to_json(original.contexts), original.question] if original.contexts or original.question else []
    facts = [signature, *texts, *parts]
    return hashlib.sha256(json.dumps(facts).encode()).digest()


_CACHE_SIZE = 4096  # measurements of one metric on one pair
_MeasurementKey = tuple[str, Example]
"""(signature of the metric, the texts)"""
SignedMetrics = Mapping[str, Metric]
"""Metrics by the signature of their scores, which names weights, settings and version."""


class NullBands:
    """Measures one metric on one pair after the other, behind everything that people wait for.

    What was measured serves every session, and every edit of the same summary; it is kept beside the answers by the
    signature of the metric, so that no edit is measured twice, also after a restart.
    """

    def __init__(
        self,
        engine: ScoringEngine,
        elsewhere: Callable[[], Mapping[str, Sequence[Shift]]] = dict,
        battery: Battery | None = None,
    ) -> None:
        """`elsewhere` gives the shifts of other pairs by signature, which fill up bands; it is first called in the background.

        They must be of the same battery, which is the standard one where none is given.
        """
        self.battery = battery or standard_battery()
        self._engine = engine
        self._elsewhere = elsewhere
        self._cached_scores = _CachedScores(engine.folder)
        self._changed = threading.Condition()
        self._shifts: LRUCache[_MeasurementKey, tuple[Shift, ...]] = LRUCache(_CACHE_SIZE)
        self._bands: LRUCache[tuple[_MeasurementKey, int], NullBand] = LRUCache(_CACHE_SIZE)
        self._waiting: dict[_MeasurementKey, tuple[Metric, Example]] = {}
        self._at_work = False

    def close(self) -> None:
        self._cached_scores.close()

    def measure(self, metrics: SignedMetrics, original: Example) -> None:
        """Measure these metrics on this pair before what was wanted earlier, in this order, unless it is known."""
        with self._changed:
            keys = {_measurement_key(signed, original): (metric, original) for signed, metric in metrics.items()}
            new = {key: work for key, work in keys.items() if key not in self._shifts}
            self._waiting = new | {key: work for key, work in self._waiting.items() if key not in new}
            if self._waiting and not self._at_work:
                self._at_work = True
                BackgroundTask(self._work)

    def shifts(self, signature: str, original: Example) -> tuple[Shift, ...] | None:
        """The shifts under harmless edits; None where they have not been measured."""
        with self._changed:
            return self._shifts.get(_measurement_key(signature, original))

    def band(self, signature: str, original: Example, words: int) -> NullBand | None:
        """The band for edits of this pair that change this number of words; None where it has not been measured."""
        key = _measurement_key(signature, original)
        with self._changed:
            shifts = self._shifts.get(key)
            if shifts is not None and (key, words) not in self._bands:
                self._bands[key, words] = null_band(
                    shifts, words, self._elsewhere().get(apart_from_code(signature), ())
                )
            return None if shifts is None else self._bands[key, words]

    def wait(self, signatures: Iterable[str], original: Example, count: int, timeout: float) -> int:
        """Wait until more than `count` of these are measured, or time is up; how many are."""
        keys = {_measurement_key(signature, original) for signature in signatures}
        with self._changed:
            self._changed.wait_for(lambda: len(keys & self._shifts.keys()) > count, timeout)
            return len(keys & self._shifts.keys())

    def _work(self) -> Generator[_MeasurementKey]:
        self._elsewhere()  # read here, no page waits for it
        while (next_one := self._next()) is not None:
            key, (metric, original) = next_one
            shifts = attempt(partial(self._measured, key[0], metric, original))
            with self._changed:
                self._shifts[key] = () if isinstance(shifts, Problem) else shifts
                self._changed.notify_all()
            yield key

    def _next(self) -> tuple[_MeasurementKey, tuple[Metric, Example]] | None:
        with self._changed:
            if self._waiting:
                key = next(iter(self._waiting))
                return key, self._waiting.pop(key)
            self._at_work = False
            return None

    def _measured(self, signature: str, metric: Metric, original: Example) -> tuple[Shift, ...]:
        variants = _cached_harmless_variants(original, self.battery)
        cached = self._cached_scores.get(signature, original, variants)
        texts = (original.summary, *(variant.summary for variant in variants))
        scores: Sequence[float | None] = cached or [
            self._score(metric, replace(original, id="harmless", summary=text)) for text in texts
        ]
        before, *after = scores
        defined = [score for score in scores if score is not None]
        if cached is None and len(defined) == 1 + len(variants):  # what failed may succeed next time
            self._cached_scores.put(signature, original, variants, defined)
        return tuple(
            Shift("", variant.kind, metric.spec, "", "", before, score, variant.words)
            for variant, score in zip(variants, after, strict=True)
        )

    def _score(self, metric: Metric, variant: Example) -> float | None:
        # one at a time: more of them would take turns with what people wait for on all threads of the engine
        [(_, outcome)] = self._engine.run([metric], [variant])
        return outcome.score if isinstance(outcome, Result) else None


@memoize(16)
def _cached_harmless_variants(original: Example, battery: Battery) -> list[HarmlessVariant]:
    return harmless_variants(original, battery)


def _measurement_key(signature: str, original: Example) -> _MeasurementKey:
    return signature, replace(original, id="")
