"""A pin: a result with its source, its signatures and its content as it was, and a report of pins with Markdown between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from pydantic import TypeAdapter, ValidationError

from core.errors import TouchstoneError
from core.evaluation.report import Report
from core.evaluation.study import current_spec


@dataclass(frozen=True, slots=True)
class StudySource:
    """A study, as its `spec` spells it, on datasets or a stress run; a `table` or `chart` of it alone where one is named.

    `cell` are the values by column that the shown rows have, as those of one cell of a matrix. `run` is the id of a kept run or
    a file of one; `left_out` are the filters of its variants. No `metrics` are all. No `resamples` are as many as the data allow.
    """

    spec: str
    datasets: tuple[str, ...] = ()
    by: str = ""
    metrics: tuple[str, ...] = ()
    resamples: int = 0
    run: str = ""
    left_out: tuple[str, ...] = ()
    table: str = ""
    chart: str = ""
    cell: Mapping[str, str] = field(default_factory=dict)

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
    """A summary of a document before and after an edit, scored by metrics; `intended` is the verdict that the edit should give.

    `contexts` are name, start and end of each in the document, `question` is what the summary answers. `link` is the query of an
    address that opens the pair, where one does, and `verdict` the sentence on its edit when it was pinned.
    """

    document: str
    original: str
    edited: str
    scored_by: tuple[str, ...]
    intended: str = ""
    error_type: str = ""
    contexts: tuple[tuple[str, int, int], ...] = ()
    question: str = ""
    link: str = ""
    verdict: str = ""


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
class Part:
    """A part of a report: Markdown, and the pin below it where there is one."""

    text: str = ""
    pin: Pin | None = None


@dataclass(frozen=True, slots=True)
class PinnedReport:
    """A report of pins in their order, with Markdown between them."""

    title: str
    parts: tuple[Part, ...] = ()

    @property
    def pins(self) -> list[Pin]:
        return [part.pin for part in self.parts if part.pin]


_PIN: TypeAdapter[Pin] = TypeAdapter(Pin)


def pin_json(pin: Pin) -> str:
    """The pin as JSON; `read_pin` gives it back."""
    return _PIN.dump_json(pin).decode()


def read_pin(text: str | bytes) -> Pin:
    """The pin that `pin_json` wrote. Raises TouchstoneError for anything else."""
    try:
        return _PIN.validate_json(text)
    except ValidationError as error:
        where = error.errors()[0]
        raise TouchstoneError(
            f"This pin cannot be read ({'.'.join(map(str, where['loc']))}: {where['msg']}). Delete it and pin the result again."
        ) from None
