"""Records that go into the store and come out of it: frozen values, checked when they are made; and the errors on the way.

TouchstoneError
└── StoreError            a database that cannot be opened or read
    ├── UnavailableError  a database that cannot be used now
    │   └── NotSavedError a write that did not happen
    ├── ReadOnlyError     a write to a store that keeps nothing
    ├── RightsError       something that this person may not do
    └── RecordError       a record that cannot be kept as it is
        └── ChangedElsewhereError an answer to what was answered elsewhere meanwhile"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from core.errors import TouchstoneError
from core.text import apply
from core.types import Context, Edit, ErrorType, ExplanationFlaw, Grade, Outcome, Result, Verdict


class StoreError(TouchstoneError):
    """A database that cannot be opened or read."""


class UnavailableError(StoreError):
    """A database that cannot be used now, and may be later: gone, locked, full, or not to be written."""


class NotSavedError(UnavailableError):
    """A write that did not happen: no part of it is in the database."""


class ReadOnlyError(StoreError):
    """A write to a store that keeps nothing."""


class RecordError(StoreError):
    """A record that cannot be kept as it is."""


class ChangedElsewhereError(RecordError):
    """An answer to a task that its person answered in another window after it was shown here."""


class RightsError(StoreError):
    """Something that this person may not do."""


LOCAL_LABELS = "our labels"
"""The dataset of pairs and labels saved here; no import may have its name."""

CAMPAIGN_PREFIX = "campaign: "
"""Beginning of the dataset name of a campaign's labels; no import's name may have it."""

MAX_NAME, MAX_NOTE, MAX_TEXT = 300, 20_000, 2_000_000
"""The most characters of a name, of what somebody writes into a field, and of a document, summary, or guidelines."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


FLAW_MEANINGS: Mapping[ExplanationFlaw, str] = MappingProxyType(
    {
        ExplanationFlaw.MISATTRIBUTION: "It blames another part.",
        ExplanationFlaw.ADDITIONAL_UNRELATED: "It adds what has nothing to do with the error.",
        ExplanationFlaw.COMPLETENESS: "It complains that the summary leaves details out.",
        ExplanationFlaw.VAGUE: "Or incomplete: it leaves out what makes it an error, or could be said of many summaries.",
    }
)

FLAW_WORDING = 2
"""The version of these meanings. In the first, "completeness" was an explanation that leaves out what makes it an error."""


@dataclass(frozen=True, slots=True)
class EditAnswers:
    """The four questions of SummExecEdit; each is asked only where the one before was answered with yes."""

    inconsistent: bool | None = None
    interesting: bool | None = None
    controlled: bool | None = None
    explanation_good: bool | None = None

    def __post_init__(self) -> None:
        names = [field.name for field in fields(self)]
        for before, after in pairwise(names):
            if getattr(self, after) is not None and getattr(self, before) is not True:
                raise RecordError(f"{after!r} is answered, but {before!r} is not yes. Answer the questions in order.")


@dataclass(frozen=True, slots=True)
class Pair:
    """A document, a summary and what edits made of it; an unedited summary has no edits and `edited == original`.

    `contexts` and `question` are those of an Example. Raises RecordError for a blank or unstorable text and for edits that do not lead from `original` to `edited`,
    EditError for edits that cannot be executed.
    """

    document: str
    original: str
    edited: str
    edits: tuple[Edit, ...]
    contexts: tuple[Context, ...] = field(default=(), kw_only=True)
    question: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        require_storable("the contexts or the question", *(context.name for context in self.contexts), self.question)
        for name in ("document", "original", "edited"):
            require_text(name, getattr(self, name), MAX_TEXT)
        for edit in self.edits:
            require_storable("an edit", edit.new, most=MAX_TEXT)
            require_storable("an edit's explanation", edit.explanation, edit.by)
        if self.edits and apply(self.original, self.edits) != self.edited:
            raise RecordError("The edits do not turn the original summary into the edited one. Recover them again.")
        if self.edits and self.edited == self.original:
            raise RecordError("The edits change nothing. Leave them out to keep the summary as it is.")


@dataclass(frozen=True, slots=True)
class PairRecord(Pair):
    """A pair worth saving, with its maker, its intended verdict and the scores of the metrics."""

    by: str
    """Name of its maker."""
    intended: Verdict | None = None
    """Verdict that it is meant to have; None for none."""
    error_type: ErrorType | None = None
    """Error type of the edit; None for none."""
    title: str = ""
    """Title for lists; "" for none."""
    domain: str = ""
    """Domain of the text; "" for none."""
    source: str = ""
    """Place that it came from: a bundled example, "upload", "pasted", …"""
    outcomes: tuple[Outcome, ...] = ()
    """Scores and failures of the two sides, with the example_id "original" or "edited"."""
    reaction: str = ""
    """Number of metrics that noticed the edit, in words; "" for none."""

    def __post_init__(self) -> None:
        Pair.__post_init__(self)
        require_storable("the pair's description", self.by, self.title, self.domain, self.source, self.reaction)
        for outcome in self.outcomes:
            if outcome.example_id not in {"original", "edited"}:
                raise RecordError(
                    f"An outcome is of {outcome.example_id!r}; a pair has the sides 'original' and 'edited'."
                )
            if not isinstance(outcome, Result):
                require_storable("a failure's message", outcome.error, most=MAX_TEXT)
            elif not all(math.isfinite(value) for value in [outcome.score, *(part.score for part in outcome.parts)]):
                raise RecordError(f"A score of {outcome.metric!r} is not a finite number and cannot be kept.")


@dataclass(frozen=True, slots=True)
class LabelRecord(Pair):
    """Label of an edited summary by a person, with all that is saved in one go."""

    annotator: str
    """Name of the person."""
    event_id: str
    """Identifier made once per press of the button, so that a re-sent press is known."""
    verdict: Verdict
    """Verdict on the edited summary."""
    confidence: int | None = None
    """Confidence from 1 to 5; None for none."""
    error_type: ErrorType | None = None
    """Error type of the edit; None for none."""
    note: str = ""
    """Note of the person; "" for none."""
    blind: bool = False
    """True if no score was shown."""
    answers: EditAnswers | None = None
    """Answers about the edit; None where it was not judged."""
    explanation: str = ""
    """Explanation of the edit; "" for none."""
    explanation_by: str = ""
    """Author of the explanation, a person or a model."""
    grade: Grade | None = None
    """Judgement of the explanation, which it needs; None for none."""
    cause: ExplanationFlaw | None = None
    """Flaw of the explanation, for a grade below "entirely"; None for none."""

    def __post_init__(self) -> None:
        Pair.__post_init__(self)
        require_text("annotator", self.annotator)
        require_text("event_id", self.event_id)
        require_storable("the note or explanation", self.note, self.explanation, self.explanation_by)
        if self.confidence is not None and self.confidence not in range(1, 6):
            raise RecordError(f"The confidence is {self.confidence}; give 1 (a guess) to 5 (certain).")
        self._check_grade()

    def _check_grade(self) -> None:
        if self.grade and not self.explanation.strip():
            raise RecordError(
                f"The grade is {self.grade.value!r}, but there is no explanation to grade. Write it first."
            )
        if self.cause and self.grade in {None, Grade.ENTIRELY}:
            raise RecordError(
                f"The cause {self.cause.value!r} says what is wrong with an explanation: "
                "choose the grade 'partially' or 'not', or no cause."
            )


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof that something is in the database: `Store.pair(id)` gives it back.

    `is_new` is False when it was saved before. `revision` counts this person's labels of this item from 1.
    """

    id: str
    created_at: datetime
    is_new: bool
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A pair as it was kept last, with every score ever saved for its two sides, oldest first.

    An item that has only been labelled has no author, intention or source. An unedited one has its scores on both sides.
    """

    id: str
    created_at: datetime
    pair: PairRecord


@dataclass(frozen=True, slots=True)
class SavedRow:
    """One line of the list of saved pairs and labels."""

    kind: Literal["pair", "label"]
    """Kind of the line."""
    item_id: str
    """Id of the item that was saved or labelled."""
    created_at: datetime
    """Time of the saving."""
    by: str
    """Name of the person who saved it."""
    title: str
    """Title of the pair; "" for none."""
    text: str
    """Summary that was saved or labelled."""
    verdict: Verdict | None
    """Verdict of a label, or the intended one of a pair; None for none."""
    error_type: ErrorType | None
    """Error type, as labelled or as intended; None for none."""
    confidence: int | None
    """Confidence of a label from 1 to 5; None for none."""
    revision: int | None
    """Revision of a label, from 1; None for a pair."""
    note: str
    """Note of a label; "" for none."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of the list of stress runs; `lines` were written so far."""

    id: str
    name: str
    owner: str
    created_at: datetime
    lines: int


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """A finished audit of one metric on some data: `report` is the whole of it as JSON, the rest finds it."""

    metric: str
    signature: str
    data: str
    data_sha256: str
    version: str
    report: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ThresholdRecord:
    """A threshold of one metric under its name: `record` is the whole of it as JSON."""

    name: str
    metric: str
    record: str
    created_at: datetime


def require_text(what: str, text: str, most: int = MAX_NAME) -> None:
    """Raise RecordError for a blank or unstorable text, or one of more than `most` characters."""
    if not text.strip():
        raise RecordError(f"The {what} is empty. Fill it in: nothing can be kept without it.")
    require_storable(f"the {what}", text, most=most)


def require_storable(what: str, *texts: str, most: int = MAX_NOTE) -> None:
    """Raise RecordError for characters that no database holds, NUL and halves of surrogate pairs, and for too many of any."""
    longest = max(map(len, texts), default=0)
    if longest > most:
        raise RecordError(
            f"{what[0].upper()}{what[1:]} has {longest:,} characters, and at most {most:,} are kept. Shorten it and save again."
        )
    for match in filter(None, map(_UNSTORABLE.search, texts)):
        raise RecordError(
            f"Character {match.start() + 1} of {what} is U+{ord(match[0]):04X}, which is no text and cannot be kept. "
            "Remove it and save again."
        )
