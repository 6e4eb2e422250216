"""Estimates of a run before it starts: seconds by what this machine took before, memory by what is not loaded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.types import Question

SMALL_MODEL_BYTES = 150_000_000
"""Models up to this size, as those that ship inside packages, load and answer while a person types."""

SLOW_EDIT_S = 1.0
"""A metric whose last edit took longer is not asked at every pause in typing."""

_CHARACTERS_PER_TOKEN = 4  # of English, for the vocabularies of the models here
_DECAY = 0.5  # what was measured before counts half at every new measure

Side = Literal["original", "edited"]
"""Which summary of a pair: of the original everything is asked, of an edited one what is new in it."""


@dataclass(frozen=True, slots=True)
class ModelSize:
    """A kind of forward pass and the memory that its weights take: models alike in both are about as fast."""

    kind: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class TimedScore:
    """One score that models were asked for: seconds without loading, tokens read, characters of document and summary.

    `foretold` are the tokens that `tokens` reckons for its questions; 0 where not all of them are known to have been asked.
    """

    seconds: float
    tokens: int
    characters: int
    foretold: int = 0

    def __add__(self, other: TimedScore) -> TimedScore:
        """Two pieces of work on one text."""
        whole = self.foretold + other.foretold if (self.foretold or not self.tokens) and other.foretold else 0
        seconds, tokens = self.seconds + other.seconds, self.tokens + other.tokens
        return TimedScore(seconds, tokens, max(self.characters, other.characters), whole)


@dataclass(frozen=True, slots=True)
class MetricWork:
    """What one metric would do on the texts of `sides`, with the characters of each.

    `questions` are those that nobody answered yet; None where the metric asks in rounds, whose questions are not
    known before.
    """

    spec: str
    title: str
    size: ModelSize
    sides: Mapping[Side, int]
    questions: frozenset[Question] | None


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Memory in bytes: what models take now, of which `idle` ones can leave, and what they may take at most."""

    used: int
    budget: int
    idle: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Seconds of the metrics whose pace is known, the titles of the others, and what becomes of memory.

    `leaving` names what makes room, `any_of` when only some of them have to. `too_large` names what does not fit alone;
    `in_turns` is set where the models to load fit one by one but not together.
    """

    seconds: float = 0.0
    unknown: tuple[str, ...] = ()
    load_bytes: int = 0
    leaving: tuple[str, ...] = ()
    any_of: bool = False
    too_large: tuple[str, ...] = ()
    in_turns: bool = False


class TimingHistory:
    """What this machine has shown of its metrics and models so far; shared by the sessions of a process."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, Side], TimedScore] = {}
        self._metrics: dict[str, tuple[float, float]] = {}  # fading sums of tokens and seconds
        self._sizes: dict[ModelSize, tuple[float, float]] = {}
        self._scales: dict[str, float] = {}

    def learn(self, spec: str, side: Side, size: ModelSize, took: TimedScore) -> None:
        self._last[spec, side] = took
        if took.tokens and took.seconds:
            self._metrics[spec] = _decayed_sums(self._metrics.get(spec), took)
            self._sizes[size] = _decayed_sums(self._sizes.get(size), took)
        if took.tokens and took.foretold:
            self._scales[spec] = took.tokens / took.foretold

    def last(self, spec: str, side: Side) -> TimedScore | None:
        return self._last.get((spec, side))

    def scale(self, spec: str) -> float:
        """Tokens that a metric read for each that was reckoned: vocabularies and languages differ, and texts are cut."""
        return self._scales.get(spec, 1.0)

    def tokens_per_second(self, spec: str, size: ModelSize) -> float | None:
        """Of the metric itself; else of a model of its size; else of its kind, slower as it is larger; else None."""
        if known := self._metrics.get(spec) or self._sizes.get(size):
            return known[0] / known[1]
        alike = [other for other in self._sizes if other.kind == size.kind and other.nbytes and size.nbytes]
        if not alike:
            return None
        nearest = min(alike, key=lambda other: abs(other.nbytes - size.nbytes))
        tokens, seconds = self._sizes[nearest]
        return tokens / seconds * nearest.nbytes / size.nbytes


def has_to_wait(nbytes: int, loaded: bool, edit_s: float | None) -> bool:
    """Whether a metric waits for the key: its last edit was slow, or its model is large and not loaded or not yet timed."""
    slow = edit_s is not None and edit_s > SLOW_EDIT_S
    return slow or (nbytes > SMALL_MODEL_BYTES and (not loaded or edit_s is None))


def split_seconds(finished: Sequence[float], clock: float) -> list[float]:
    """What each of several scores took alone, where one device worked on them in turn.

    `finished` are seconds since all of them were asked for, ascending; before `clock` the device did something else.
    """
    starts = [clock, *finished]
    return [max(0.0, end - max(clock, start)) for start, end in zip(starts, finished, strict=False)]


def estimate_seconds(work: MetricWork, pace: TimingHistory) -> float | None:
    """How long the models would need; None where nothing like it has been timed."""
    rate = pace.tokens_per_second(work.spec, work.size)
    if work.questions is None or rate is None:
        return _scale_last(work, pace)
    return estimate_tokens(work.questions) * pace.scale(work.spec) / rate


def estimate_tokens(questions: Iterable[Question]) -> int:
    """About how many tokens the models would read, where nothing is known of their vocabulary."""
    return sum(_character_count(question) for question in questions)


def estimate_run(
    works: Iterable[MetricWork], pace: TimingHistory, to_load: Mapping[str, int], room: MemoryUse
) -> Forecast:
    """What these works would take; `to_load` names the models that are not in memory, with their bytes."""
    times = [(work.title, estimate_seconds(work, pace)) for work in works]
    need = sum(nbytes for nbytes in to_load.values() if nbytes <= room.budget)
    excess = room.used + need - room.budget
    return Forecast(
        seconds=sum(time for _, time in times if time is not None),
        unknown=tuple(title for title, time in times if time is None),
        load_bytes=need,
        leaving=tuple(room.idle) if need and excess > 0 else (),
        any_of=_some_suffice(room.idle.values(), excess),
        too_large=tuple(name for name, nbytes in to_load.items() if nbytes > room.budget),
        in_turns=need > 0 and excess > sum(room.idle.values()),
    )


def _decayed_sums(before: tuple[float, float] | None, took: TimedScore) -> tuple[float, float]:
    read, spent = before or (0.0, 0.0)
    return _DECAY * read + took.tokens, _DECAY * spent + took.seconds


def _scale_last(work: MetricWork, pace: TimingHistory) -> float | None:
    """By what the metric took last on such a text, longer as the text is longer."""
    total = 0.0
    for side, characters in work.sides.items():
        took = pace.last(work.spec, side) or pace.last(work.spec, "original")
        if took is None:
            return None
        total += took.seconds * characters / took.characters
    return total


def _character_count(question: Question) -> int:
    read = -(-sum(map(len, question.inputs)) // _CHARACTERS_PER_TOKEN)
    limit = dict(question.options).get("limit")
    return min(read, limit) if isinstance(limit, int) else read


def _some_suffice(idle: Collection[int], excess: int) -> bool:
    return len(idle) > 1 and 0 < excess <= sum(idle) - min(idle)
