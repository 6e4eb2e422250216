"""A pin: a result with its source, its signatures and its content as it was, and a report of pins with Markdown between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from pydantic import TypeAdapter, ValidationError

from core.errors import TouchstoneError
from core.evaluation import Report, current_spec


@dataclass(frozen=True, slots=True)
class StudySource:
    """A study on datasets or on a stress run, or one table or chart of it."""

    spec: str
    """Name and settings of the study."""
    datasets: tuple[str, ...] = ()
    """Names of the datasets; empty for a stress run."""
    by: str = ""
    """Field whose values are the slices besides Overall; empty for Overall alone."""
    metrics: tuple[str, ...] = ()
    """Metrics of the study; empty for all."""
    resamples: int = 0
    """Bootstrap resamples; 0 for as many as the data allow."""
    run: str = ""
    """Id of a saved stress run, or its file; empty for datasets."""
    left_out: tuple[str, ...] = ()
    """Names of the filters that leave out variants of the run."""
    table: str = ""
    """Name of the one table shown; empty for all."""
    chart: str = ""
    """Name of the one chart shown; empty for all."""
    cell: Mapping[str, str] = field(default_factory=dict)
    """Values by column that the shown rows have, as those of one cell of a matrix; empty for all rows."""

    def __post_init__(self) -> None:
        # pins and recipes outlive the names of studies
        object.__setattr__(self, "spec", current_spec(self.spec))


@dataclass(frozen=True, slots=True)
class AuditSource:
    """An audit of metrics on datasets, of which at most `most` summaries are perturbed by a `battery`; one `question` of it alone where named.

    `thresholds` are saved ones by name; `opened` is the id that the address has while the server keeps the audit.
    """

    audited: tuple[str, ...]
    datasets: tuple[str, ...]
    most: int
    battery: str
    question: str = ""
    thresholds: tuple[str, ...] = ()
    opened: str = ""


@dataclass(frozen=True, slots=True)
class PairSource:
    """A summary of a document before and after an edit, scored by metrics."""

    document: str
    """Text of the document."""
    original: str
    """The summary before the edit."""
    edited: str
    """The summary after the edit."""
    scored_by: tuple[str, ...]
    """Specs of the metrics."""
    intended: str = ""
    """Verdict that the edit should give; empty if none was stated."""
    error_type: str = ""
    """Kind of error that the edit makes; empty if none was stated."""
    contexts: tuple[tuple[str, int, int], ...] = ()
    """Name, start and end of each context in the document; empty for a document that is one text."""
    question: str = ""
    """Question that the summary answers; empty without one."""
    link: str = ""
    """Query of the address that opens the pair; empty if no address does."""
    verdict: str = ""
    """Sentence on the edit at the time of pinning."""


Source = StudySource | AuditSource | PairSource


@dataclass(frozen=True, slots=True)
class PinnedPair:
    """A summary before and after an edit, as it is shown behind a figure; `scores` is a line on both."""

    before: str
    after: str
    remark: str = ""
    scores: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True)
class Pin:
    """A result as it was on the day it was `made`: its content, the pairs behind it, and the signatures of its metrics."""

    title: str
    source: Source
    content: Report
    made: date
    pairs: tuple[PinnedPair, ...] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The kind of result, in a word for people."""
        match self.source:
            case PairSource():
                return "pair"
            case AuditSource(question=question):
                return "finding" if question else "audit"
            case StudySource(cell=cell, table=table, chart=chart):
                return "cell" if cell else "table" if table else "chart" if chart else "study"


@dataclass(frozen=True, slots=True)
class PinnedPart:
    """A part of a report: Markdown, and the pin below it where there is one."""

    text: str = ""
    pin: Pin | None = None


@dataclass(frozen=True, slots=True)
class PinnedReport:
    """A report of pins in their order, with Markdown between them."""

    title: str
    parts: tuple[PinnedPart, ...] = ()

    @property
    def pins(self) -> list[Pin]:
        return [part.pin for part in self.parts if part.pin]


_PIN: TypeAdapter[Pin] = TypeAdapter(Pin)


def pin_json(pin: Pin) -> str:
    """The pin as JSON; `read_pin` gives it back."""
    return _PIN.dump_json(pin, by_alias=True).decode()


def read_pin(text: str | bytes) -> Pin:
    """The pin that `pin_json` wrote. Raises TouchstoneError for anything else."""
    try:
        return _PIN.validate_json(text)
    except ValidationError as error:
        where = error.errors()[0]
        raise TouchstoneError(
            f"This pin cannot be read ({'.'.join(map(str, where['loc']))}: {where['msg']}). Delete it and pin the result again."
        ) from None
