"""The rows of a campaign in long form, as they are exported and read again. People stand there by their pseudonyms.

The numbers and ids of a database mean nothing in another one: tasks are counted, and labels go by the id of their event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from annotations.errors import RecordError
from annotations.records import require_storable
from core.types import ErrorType


def _storable(text: str) -> str:
    try:
        require_storable("a text", text)
    except RecordError as error:
        raise ValueError(str(error)) from None
    return text


Text = Annotated[str, AfterValidator(_storable)]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CampaignLine(_Row):
    """Whose export this is; the first row."""

    kind: Literal["campaign"] = "campaign"
    campaign: Text
    by: Text
    created_at: datetime


class VersionLine(_Row):
    """Guidelines (Markdown), questions (YAML) and rules (JSON) from this version on."""

    kind: Literal["version"] = "version"
    version: int
    guidelines: Text
    questions: Text
    rules: Text
    open: bool
    by: Text
    created_at: datetime


class PersonLine(_Row):
    """Somebody who labelled, settled or corrected."""

    kind: Literal["person"] = "person"
    person: Text
    role: Literal["manager", "researcher", "adjudicator", "annotator"]


class DocumentLine(_Row):
    """A source text."""

    kind: Literal["document"] = "document"
    document_id: Text
    document: Text


class EditLine(_Row):
    """One executable edit; offsets are code points of the parent's text."""

    start: int
    end: int
    original_text: Text
    replace_text: Text
    explanation: Text
    by: Text


class ItemLine(_Row):
    """A summary; an edited one names what it was made from, which comes before it."""

    kind: Literal["item"] = "item"
    item_id: Text
    document_id: Text
    parent_id: Text | None
    summary: Text
    edits: tuple[EditLine, ...]


class OriginLine(_Row):
    """Where an item comes from, and what it was meant to be."""

    kind: Literal["origin"] = "origin"
    item_id: Text
    by: Text
    intended: Literal["consistent", "inconsistent", "borderline"] | None
    error_type: ErrorType | None
    title: Text
    domain: Text
    source: Text
    created_at: datetime


class ExplanationLine(_Row):
    """An explanation that is judged."""

    kind: Literal["explanation"] = "explanation"
    explanation_id: Text
    item_id: Text
    explanation: Text
    by: Text
    created_at: datetime


class TaskLine(_Row):
    """One thing to label, what is known of it (`key`), and the answers that it came to, the original being left."""

    kind: Literal["task"] = "task"
    task: int
    part: Literal["training", "qualification", "work", "gold"]
    item_id: Text
    explanation_id: Text
    asked: dict[str, Any]
    group: Text
    position: int
    key: dict[str, Any] | None
    feedback: Text
    created_at: datetime
    provenance: Text | None
    answers: dict[str, Any]


class TurnLine(_Row):
    """A task in somebody's hands; `order` counts the person's tasks, `swapped` says that the original stood right."""

    kind: Literal["turn"] = "turn"
    task: int
    person: Text
    turn: int
    order: int
    swapped: bool
    state: Literal["open", "answered", "skipped", "flagged", "late", "lapsed"]
    reserved_at: datetime
    expires_at: datetime


class LabelLine(_Row):
    """One revision of what a person said of a task, or that they left it out, flagged it or took the last back.

    `answers` are told as if the original had stood left; `order` and `swapped` are how it was shown. `provenance` is that of
    the task: single, unanimous, adjudicated or unresolved; of work only.
    """

    kind: Literal["label"] = "label"
    event_id: Text
    task: int
    item_id: Text
    part: Text
    person: Text
    turn: int
    revision: int
    act: Literal["answer", "skip", "flag", "undo"]
    answers: dict[str, Any]
    reason: Text
    blind: bool
    version: int
    order: int
    swapped: bool
    active_ms: int
    wall_ms: int
    created_at: datetime
    provenance: Text | None


class DecisionLine(_Row):
    """What an adjudicator decided of a task; `settles` names labels by their events."""

    kind: Literal["decision"] = "decision"
    event_id: Text
    task: int
    item_id: Text
    person: Text
    revision: int
    answers: dict[str, Any]
    cause: Literal["annotator slip", "ambiguous text", "guideline gap", "real edge case"]
    note: Text
    settles: tuple[Text, ...]
    created_at: datetime


class CorrectionLine(_Row):
    """The error type that a curator found in the edit of a label; what was required stands with the task."""

    kind: Literal["correction"] = "correction"
    event_id: Text
    label: Text
    item_id: Text
    person: Text
    revision: int
    error_type: ErrorType
    note: Text
    created_at: datetime


Line = (
    CampaignLine
    | VersionLine
    | PersonLine
    | DocumentLine
    | ItemLine
    | OriginLine
    | ExplanationLine
    | TaskLine
    | TurnLine
    | LabelLine
    | DecisionLine
    | CorrectionLine
)
_LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="kind")])

COLUMNS = tuple(
    dict.fromkeys(name for line in (LabelLine, DecisionLine, TaskLine, *get_args(Line)) for name in line.model_fields)
)
"""Every column; those of labels come first, as they are what most look at."""


def read_lines(lines: Iterable[str]) -> Iterator[Line]:
    """The rows of an export as JSONL. Raises RecordError, which names the line, for one that is none."""
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield _LINE.validate_json(text)
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'row'}: {one['msg']}" for one in error.errors()[:3])
            raise RecordError(
                f"Line {number} is no row of a campaign: {wrong}. Nothing was imported; export the campaign again as JSONL."
            ) from None
