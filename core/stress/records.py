"""What a stress run consists of: a plan, and records that are only ever added to it, one JSON line each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Discriminator, TypeAdapter, ValidationError

from core.errors import TouchstoneError
from core.metric import Metric
from core.perturbation import Perturbation
from core.settings import VERSION
from core.types import Edit, Example, Item


class Meaning(StrEnum):
    """What a person says of a variant: is it still true to the original?"""

    KEPT = "kept"
    CHANGED = "changed"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Plan:
    """Every metric on every source and on every variant that a kind of perturbation makes of it; specs, not names."""

    name: str
    kinds: tuple[str, ...]
    metrics: tuple[str, ...]
    seed: int = 0
    version: str = VERSION
    record: Literal["plan"] = "plan"

    @classmethod
    def of(cls, name: str, kinds: Iterable[Perturbation], metrics: Iterable[Metric], seed: int = 0) -> Plan:
        """Each kind and metric once, in its full spelling."""
        return cls(
            name=name,
            kinds=tuple(dict.fromkeys(kind.spec for kind in kinds)),
            metrics=tuple(dict.fromkeys(metric.spec for metric in metrics)),
            seed=seed,
        )


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
    """What a kind of perturbation made of a source; no summary and a `refusal` where it cannot apply.

    `signature` tells the form and its settings; `remarks` are what the guards say of it.
    """

    source: str
    kind: str
    signature: str = ""
    summary: str | None = None
    edits: tuple[Edit, ...] = ()
    refusal: str = ""
    remarks: tuple[str, ...] = ()
    record: Literal["variant"] = "variant"


@dataclass(frozen=True, slots=True)
class Reading:
    """A score of a source, or of its variant of one kind; no value and an `error` where the metric failed."""

    source: str
    kind: str  # "" for the source itself
    metric: str
    value: float | None
    signature: str = ""
    error: str = ""
    record: Literal["reading"] = "reading"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a person says of one variant; the last one counts."""

    source: str
    kind: str
    meaning: Meaning
    by: str
    record: Literal["opinion"] = "opinion"


Record = Source | Variant | Reading | Opinion
_RECORDS: TypeAdapter[Plan | Record] = TypeAdapter(
    Annotated[Plan | Source | Variant | Reading | Opinion, Discriminator("record")]
)


def as_line(record: Plan | Record) -> str:
    """One line of JSON, without its end."""
    return json.dumps(asdict(record), ensure_ascii=False, allow_nan=False)


def from_line(line: str) -> Plan | Record:
    """The record of a line; raises TouchstoneError for one that is no record of a run."""
    try:
        return _RECORDS.validate_json(line)
    except ValidationError as error:
        where: Any = error.errors()[0]
        place = ".".join(str(part) for part in where["loc"]) or "the line"
        raise TouchstoneError(
            f"This is no record of a stress run ({place}: {where['msg']}): {line[:80]!r}. Give a file that `stress` wrote."
        ) from None


@dataclass(eq=False)
class Run:
    """A plan with what was found so far. What was found is not asked again: a run that was broken off goes on."""

    plan: Plan
    sources: dict[str, Source] = field(default_factory=dict)
    variants: dict[tuple[str, str], Variant] = field(default_factory=dict)
    readings: dict[tuple[str, str, str], Reading] = field(default_factory=dict)
    opinions: dict[tuple[str, str], Opinion] = field(default_factory=dict)

    def add(self, record: Record) -> bool:
        """Take a record in, in place of an older one of the same thing; False where it says nothing new."""
        kept, key = self._place(record)
        if kept.get(key) == record:
            return False
        kept[key] = record
        return True

    def has_variant(self, source: str, kind: str) -> bool:
        variant = self.variants.get((source, kind))
        return variant is not None and variant.summary is not None

    def has_score(self, source: str, kind: str, metric: str) -> bool:
        reading = self.readings.get((source, kind, metric))
        return reading is not None and reading.value is not None

    @property
    def total(self) -> int:
        """Scores to be had, each variant that cannot be made counting as scored."""
        return len(self.sources) * (1 + len(self.plan.kinds)) * len(self.plan.metrics)

    @property
    def done(self) -> int:
        refused = sum(variant.summary is None for variant in self.variants.values())
        return len(self.readings) + refused * len(self.plan.metrics)

    def _place(self, record: Record) -> tuple[dict[Any, Any], str | tuple[str, ...]]:
        match record:
            case Source():
                return self.sources, record.example.id
            case Variant():
                return self.variants, (record.source, record.kind)
            case Reading():
                return self.readings, (record.source, record.kind, record.metric)
            case Opinion():
                return self.opinions, (record.source, record.kind)
