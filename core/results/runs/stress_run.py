"""A stress run: its plan, the records that are only ever added to it, and its file of JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, TypeAdapter, ValidationError

from core.base import write_whole
from core.edits import PERTURBATIONS, Intent, Perturbation
from core.errors import TouchstoneError
from core.scoring import Metric, NliCheck, NliResult
from core.settings import VERSION
from core.types import Edit, Example, FailureKind, Item

_StoredFailure = Annotated[FailureKind | None, Field(alias="trouble")]  # the key in files of runs

VariantKey = tuple[str, str]
"""(source id, kind)"""


class Meaning(StrEnum):
    """Opinion of a person on a variant: is it still true to the original?"""

    KEPT = "kept"
    CHANGED = "changed"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Plan:
    """Every metric on every source and on every variant that a kind of perturbation makes of it; specs, not names."""

    name: str
    """Name of the run, and of the dataset of sources without a domain."""
    kinds: tuple[str, ...]
    """Specs of the perturbations."""
    metrics: tuple[str, ...]
    """Specs of the metrics."""
    seed: int = 0
    """Seed of the perturbations and the resamples."""
    guard: str = ""
    """Spec of the NLI check of variants that should have kept the meaning; empty for no check."""
    version: str = VERSION
    """Version of Touchstone that made the run."""
    battery: str = ""
    """Signature of the battery that the kinds are; empty if they were named one by one."""
    dataset: str = field(default="", compare=False)
    """Version of the dataset that the sources are of, as NAME@2; empty for a file, and for runs older than versions."""
    record: Literal["plan"] = "plan"
    """Type of the line in the file of a run."""

    @classmethod
    def of(
        cls,
        name: str,
        kinds: Iterable[Perturbation],
        metrics: Iterable[Metric],
        seed: int = 0,
        guard: NliCheck | None = None,
        battery: str = "",
    ) -> Plan:
        """Each kind and metric once, in its full spelling."""
        return cls(
            name=name,
            kinds=tuple(dict.fromkeys(kind.spec for kind in kinds)),
            metrics=tuple(dict.fromkeys(metric.spec for metric in metrics)),
            seed=seed,
            guard=guard.spec if guard else "",
            battery=battery,
        )

    @property
    def battery_label(self) -> str:
        return self.battery or "none named"

    @property
    def guarded(self) -> tuple[str, ...]:
        """The kinds whose variants are checked: those that should keep the meaning, where there is a guard."""
        if not self.guard:
            return ()
        return tuple(kind for kind in self.kinds if PERTURBATIONS.parse(kind).card.intent == "preserving")


@dataclass(frozen=True, slots=True)
class Source:
    """A document and a summary to perturb. `group` names the document: the unit of resampling."""

    example: Example
    group: str
    domain: str = ""
    title: str = ""
    record: Literal["source"] = "source"

    @classmethod
    def of(cls, item: Item) -> Source:
        return cls(item.example, item.group or item.example.document, item.domain, item.title)


@dataclass(frozen=True, slots=True)
class Variant:
    """Variant of a source by a kind of perturbation, or its refusal."""

    source: str
    """Id of the source's example."""
    kind: str
    """Spec of the perturbation."""
    signature: str = ""
    """Form of the perturbation with its settings; empty if it was refused."""
    summary: str | None = None
    """The changed summary; None if the perturbation was refused."""
    edits: tuple[Edit, ...] = ()
    """Edits of the source's summary, in order."""
    error: Annotated[str, Field(alias="refusal")] = ""
    """Reason why it cannot apply; empty if it did."""
    remarks: tuple[str, ...] = ()
    """Sentences of the guards on the variant."""
    failure: _StoredFailure = None
    """Kind of failure behind `error`; None without one."""
    record: Literal["variant"] = "variant"
    """Type of the line in the file of a run."""


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """Score of a source, or of its variant of one kind."""

    source: str
    """Id of the source's example."""
    kind: str
    """Spec of the perturbation; empty for the source itself."""
    metric: str
    """Spec of the metric."""
    value: float | None
    """The score; None if the metric failed."""
    signature: str = ""
    """Signature of the score; empty if the metric failed."""
    error: str = ""
    """Reason why there is no score; empty if there is one."""
    failure: _StoredFailure = None
    """Kind of failure behind `error`; None if there is a score."""
    record: Literal["reading"] = "reading"
    """Type of the line in the file of a run."""


@dataclass(frozen=True, slots=True)
class Check:
    """Verdict of the guard on one variant; no mark, an `error` and its `failure` where it could not tell."""

    source: str
    kind: str
    mark: NliResult | None
    error: str = ""
    failure: _StoredFailure = None
    record: Literal["check"] = "check"


@dataclass(frozen=True, slots=True)
class Opinion:
    """Opinion of a person on one variant; the last one counts."""

    source: str
    kind: str
    meaning: Meaning
    by: str
    record: Literal["opinion"] = "opinion"


RunRecord = Source | Variant | ScoreRecord | Check | Opinion
_RECORD_ADAPTER: TypeAdapter[Plan | RunRecord] = TypeAdapter(
    Annotated[Plan | Source | Variant | ScoreRecord | Check | Opinion, Discriminator("record")]
)


def to_json_line(record: Plan | RunRecord) -> str:
    """One line of JSON, without its end."""
    fields = _RECORD_ADAPTER.dump_python(record, mode="json", by_alias=True)
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)


def from_json_line(line: str) -> Plan | RunRecord:
    """The record of a line; raises TouchstoneError for one that is no record of a run."""
    try:
        return _RECORD_ADAPTER.validate_json(line)
    except ValidationError as error:
        where: Any = error.errors()[0]
        place = ".".join(str(part) for part in where["loc"]) or "the line"
        raise TouchstoneError(
            f"This is no record of a stress run ({place}: {where['msg']}): {line[:80]!r}. Give a file that `stress` wrote."
        ) from None


@dataclass(eq=False)
class StressRun:
    """A plan with what was found so far. What was found is not asked again: a run that was broken off goes on."""

    plan: Plan
    sources: dict[str, Source] = field(default_factory=dict)
    variants: dict[VariantKey, Variant] = field(default_factory=dict)
    readings: dict[tuple[str, str, str], ScoreRecord] = field(default_factory=dict)
    checks: dict[VariantKey, Check] = field(default_factory=dict)
    opinions: dict[VariantKey, Opinion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # progress is asked for after every record: a walk over all variants each time grows with their square
        self._refused = Counter(kind for (_, kind), variant in self.variants.items() if variant.summary is None)

    def add(self, record: RunRecord) -> bool:
        """Take a record in, in place of an older one of the same thing; False where it says nothing new."""
        records, key = self._place(record)
        before = records.get(key)
        if before == record:
            return False
        records[key] = record
        if isinstance(record, Variant):
            self._refused[record.kind] += (record.summary is None) - (before is not None and before.summary is None)
        return True

    def has_variant(self, source: str, kind: str) -> bool:
        variant = self.variants.get((source, kind))
        return variant is not None and variant.summary is not None

    def has_score(self, source: str, kind: str, metric: str) -> bool:
        reading = self.readings.get((source, kind, metric))
        return reading is not None and reading.value is not None

    def has_mark(self, source: str, kind: str) -> bool:
        check = self.checks.get((source, kind))
        return check is not None and check.mark is not None

    @property
    def without_value(self) -> int:
        """Scores and checks that were tried without success, whatever it was for."""
        scores = sum(reading.value is None for reading in self.readings.values())
        return scores + sum(check.mark is None for check in self.checks.values())

    @property
    def planned(self) -> int:
        """Scores and checks of every source and every variant, as if none were refused: it stays the same while a run goes on."""
        return len(self.sources) * ((1 + len(self.plan.kinds)) * len(self.plan.metrics) + len(self.plan.guarded))

    @property
    def not_applicable(self) -> int:
        """Those among them of variants that were refused so far."""
        guarded = sum(self._refused[kind] for kind in self.plan.guarded)
        return self._refused.total() * len(self.plan.metrics) + guarded

    @property
    def total(self) -> int:
        """Scores and checks to be had: of every source, and of every variant that was not refused so far."""
        return self.planned - self.not_applicable

    @property
    def settled(self) -> int:
        """Number of `planned` that need nothing more: they were tried, or their variant was refused."""
        return self.done + self.not_applicable

    @property
    def done(self) -> int:
        """Scores and checks that were tried, with or without success."""
        return len(self.readings) + len(self.checks)

    @property
    def failed(self) -> int:
        """Variants, scores and checks that could not be had and may be another time: it was not for their text."""
        missing = [
            *(variant.failure for variant in self.variants.values() if variant.summary is None),
            *(reading.failure for reading in self.readings.values() if reading.value is None),
            *(check.failure for check in self.checks.values() if check.mark is None),
        ]
        return sum(failure is not FailureKind.INPUT for failure in missing)

    def _place(self, record: RunRecord) -> tuple[dict[Any, Any], str | tuple[str, ...]]:
        match record:
            case Source():
                return self.sources, record.example.id
            case Variant():
                return self.variants, (record.source, record.kind)
            case ScoreRecord():
                return self.readings, (record.source, record.kind, record.metric)
            case Check():
                return self.checks, (record.source, record.kind)
            case Opinion():
                return self.opinions, (record.source, record.kind)


def run_from_lines(lines: Iterable[str]) -> StressRun:
    """The run that the lines of a file or database tell of; raises TouchstoneError where the first is no plan."""
    records = (from_json_line(line) for line in lines)
    plan = next(records, None)
    if not isinstance(plan, Plan):
        raise TouchstoneError("This is no stress run: its first line is no plan. Give a file that `stress` wrote.")
    run = StressRun(plan)
    for record in records:
        if isinstance(record, Plan):
            raise TouchstoneError("This file holds two runs. Give one that `stress` wrote.")
        run.add(record)
    return run


def run_lines(run: StressRun) -> Iterator[str]:
    """The run as the lines from which it can be assembled."""
    yield to_json_line(run.plan)
    for records in (run.sources, run.variants, run.readings, run.checks, run.opinions):
        yield from map(to_json_line, records.values())


def open_run_file(path: Path, run: StressRun) -> StressRun:
    """Write a run to a new file, or read the run of this file to go on with; raises TouchstoneError for one of another plan.

    A last line that was cut off while it was written is dropped.
    """
    if not path.exists():
        write_whole(path, "".join(f"{line}\n" for line in run_lines(run)))
        return run
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if len(whole) < len(text):
        write_whole(path, whole)
    try:
        lines = whole.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise TouchstoneError(f"{path} is no text in UTF-8 ({error}). Give a file that `stress` wrote.") from None
    before = run_from_lines(lines)
    # the kinds decide, so that a file from before batteries had names is continued
    if (replace(before.plan, battery=run.plan.battery), before.sources) != (run.plan, run.sources):
        raise TouchstoneError(
            f"{path} holds a run of other pairs, metrics, kinds, guard, seed or version. Name another file with -o, or repeat its command."
        )
    return before


def append_records(path: Path, records: Iterable[RunRecord]) -> Iterator[RunRecord]:
    """Write each record to the end of the file before it is given on; one that cannot be written leaves no part of its line."""
    with path.open("ab", buffering=0) as file:
        for record in records:
            end, line = file.tell(), memoryview(f"{to_json_line(record)}\n".encode())
            try:
                while line:
                    line = line[file.write(line) :]
            except OSError:
                file.truncate(end)  # the next line would begin within this one
                raise
            yield record


def intent_of(kind: str) -> Intent:
    return PERTURBATIONS.parse(kind).card.intent
