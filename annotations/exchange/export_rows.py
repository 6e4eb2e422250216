"""The rows of a campaign in long form, as they are exported and read again. People appear under their pseudonyms.

The numbers and ids of a database mean nothing in another one: tasks are counted, and labels go by the id of their event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from annotations.store.records import MAX_TEXT, RecordError, require_storable
from core.types import ErrorType


def _require_storable(text: str) -> str:
    try:
        require_storable("a text", text, most=MAX_TEXT)
    except RecordError as error:
        raise ValueError(str(error)) from None
    return text


StorableText = Annotated[str, AfterValidator(_require_storable)]


class _ExportedModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ExportedCampaign(_ExportedModel):
    """First row of an export: its campaign and who created it."""

    kind: Literal["campaign"] = "campaign"
    campaign: StorableText
    by: StorableText
    created_at: datetime


class ExportedVersion(_ExportedModel):
    """Guidelines (Markdown), questions (YAML) and rules (JSON) from this version on."""

    kind: Literal["version"] = "version"
    version: int
    guidelines: StorableText
    questions: StorableText
    rules: StorableText
    open: bool
    by: StorableText
    created_at: datetime


class ExportedPerson(_ExportedModel):
    """A person who labelled, adjudicated or corrected."""

    kind: Literal["person"] = "person"
    person: StorableText
    role: Literal["manager", "researcher", "adjudicator", "annotator"]


class ExportedDocument(_ExportedModel):
    """A source text, with name, start and end of its contexts and the question that its summaries answer."""

    kind: Literal["document"] = "document"
    document_id: StorableText
    document: StorableText
    contexts: list[tuple[StorableText, int, int]] = []
    question: StorableText = ""


class ExportedEdit(_ExportedModel):
    """One executable edit; offsets are code points of the parent's text."""

    start: int
    end: int
    original_text: StorableText
    replace_text: StorableText
    explanation: StorableText
    by: StorableText


class ExportedItem(_ExportedModel):
    """A summary; an edited one names what it was made from, which comes before it."""

    kind: Literal["item"] = "item"
    item_id: StorableText
    document_id: StorableText
    parent_id: StorableText | None
    summary: StorableText
    edits: tuple[ExportedEdit, ...]


class ExportedOrigin(_ExportedModel):
    """Origin of an item, and what it was meant to be."""

    kind: Literal["origin"] = "origin"
    item_id: StorableText
    by: StorableText
    intended: Literal["consistent", "inconsistent", "borderline"] | None
    error_type: ErrorType | None
    title: StorableText
    domain: StorableText
    source: StorableText
    reaction: StorableText = ""
    created_at: datetime


class ExportedExplanation(_ExportedModel):
    """An explanation that is judged."""

    kind: Literal["explanation"] = "explanation"
    explanation_id: StorableText
    item_id: StorableText
    explanation: StorableText
    by: StorableText
    created_at: datetime


class ExportedTask(_ExportedModel):
    """One thing to label, what is known of it (`key`), and its final answers, with the original on the left."""

    kind: Literal["task"] = "task"
    task: int
    part: Literal["training", "qualification", "work", "gold"]
    item_id: StorableText
    explanation_id: StorableText
    asked: dict[str, Any]
    group: StorableText
    position: int
    key: dict[str, Any] | None
    feedback: StorableText
    created_at: datetime
    provenance: StorableText | None
    answers: dict[str, Any]
    selection_probability: float | None = None


class ExportedDraw(_ExportedModel):
    """The draw by which the items came from a pool: the way, the dataset and the metrics; of each its task, place in the pool, weight and arrival.

    `scores` are the weight, the expected rate and the features of each of `size` summaries, float64 in base64.
    """

    kind: Literal["draw"] = "draw"
    way: Literal["random", "stratified", "active"]
    dataset: StorableText
    metrics: list[StorableText]
    size: int
    next_arrival: float | None
    scores: StorableText
    drawn: list[tuple[int, int, float, float]]
    by: StorableText
    created_at: datetime


class ExportedStop(_ExportedModel):
    """A look at which the interval of a drawn campaign was narrow enough, ± `points`, after so many labels."""

    kind: Literal["stop"] = "stop"
    points: float
    labels: int
    low: float
    high: float
    created_at: datetime


class ExportedSuggestion(_ExportedModel):
    """The answers that were filled in for annotators of a task under pre-annotation, with the original on the left."""

    kind: Literal["suggestion"] = "suggestion"
    task: int
    answers: dict[str, Any]
    source: StorableText
    person: StorableText
    created_at: datetime


class ExportedReservation(_ExportedModel):
    """A task reserved for a person; `order` counts the person's tasks, `swapped` says that the original was on the right.

    The label of an `excluded` one is left out; see `ExportedExclusion`.
    """

    kind: Literal["turn"] = "turn"
    task: int
    person: StorableText
    turn: int
    order: int
    swapped: bool
    state: Literal["open", "answered", "skipped", "flagged", "late", "lapsed"]
    reserved_at: datetime
    expires_at: datetime
    excluded: bool = False


class ExportedLabel(_ExportedModel):
    """One revision of a label of a task, or that the person skipped it, flagged it or undid the last answer.

    `answers` are given with the original on the left; `order` and `swapped` are how it was shown. `provenance` is that of
    the task: single, unanimous, adjudicated or unresolved; of work only. `mode` is how much help
    it was given with. An `excluded` one is left out of agreement and final labels. `selection_probability` is that of the task
    in the sample so far, where the items were drawn from a pool.
    """

    kind: Literal["label"] = "label"
    event_id: StorableText
    task: int
    item_id: StorableText
    part: StorableText
    person: StorableText
    turn: int
    revision: int
    act: Literal["answer", "skip", "flag", "undo"]
    answers: dict[str, Any]
    reason: StorableText
    blind: bool
    mode: Literal["unaided", "pre-annotated", "assisted"] = "unaided"
    version: int
    order: int
    swapped: bool
    active_ms: int
    wall_ms: int
    created_at: datetime
    provenance: StorableText | None
    excluded: bool = False
    selection_probability: float | None = None


class ExportedDecision(_ExportedModel):
    """Decision of an adjudicator on a task; `settles` names labels by their events."""

    kind: Literal["decision"] = "decision"
    event_id: StorableText
    task: int
    item_id: StorableText
    person: StorableText
    revision: int
    answers: dict[str, Any]
    cause: Literal["annotator slip", "ambiguous text", "guideline gap", "real edge case"]
    note: StorableText
    settles: tuple[StorableText, ...]
    created_at: datetime


class ExportedCorrection(_ExportedModel):
    """The error type that a curator found in the edit of a label; the required one is part of the task."""

    kind: Literal["correction"] = "correction"
    event_id: StorableText
    label: StorableText
    item_id: StorableText
    person: StorableText
    revision: int
    error_type: ErrorType
    note: StorableText
    created_at: datetime


class ExportedComment(_ExportedModel):
    """Comment on a task, by somebody who speaks as `role`, in the conversation of an `annotator` or of none."""

    kind: Literal["comment"] = "comment"
    event_id: StorableText
    task: int
    annotator: StorableText | None
    role: Literal["annotator", "adjudicator", "manager"]
    person: StorableText
    text: StorableText
    created_at: datetime


class ExportedFlagResolution(_ExportedModel):
    """Resolution of a flag by a manager; `label` is the event of the flag."""

    kind: Literal["resolution"] = "resolution"
    event_id: StorableText
    label: StorableText
    person: StorableText
    note: StorableText
    created_at: datetime


class ExportedExclusion(_ExportedModel):
    """Labels of a person that are left out, all, of a day or to a question, and if they count again, why."""

    kind: Literal["exclusion"] = "exclusion"
    event_id: StorableText
    person: StorableText
    day: date | None
    question: StorableText
    reason: StorableText
    by: StorableText
    created_at: datetime
    reinstated: StorableText | None = None
    reinstated_by: StorableText | None = None
    reinstated_at: datetime | None = None


class ExportedLimit(_ExportedModel):
    """A person was warned, paused or let go on: by the limits, with the `signal` that they fell short of, or by a manager."""

    kind: Literal["limit"] = "limit"
    person: StorableText
    act: Literal["warn", "pause", "resume"]
    signal: StorableText
    reason: StorableText
    by: StorableText
    created_at: datetime


ExportedRow = (
    ExportedCampaign
    | ExportedVersion
    | ExportedPerson
    | ExportedDocument
    | ExportedItem
    | ExportedOrigin
    | ExportedExplanation
    | ExportedTask
    | ExportedReservation
    | ExportedLabel
    | ExportedDecision
    | ExportedCorrection
    | ExportedComment
    | ExportedFlagResolution
    | ExportedSuggestion
    | ExportedExclusion
    | ExportedLimit
    | ExportedDraw
    | ExportedStop
)
_ROW_ADAPTER: TypeAdapter[ExportedRow] = TypeAdapter(Annotated[ExportedRow, Field(discriminator="kind")])

CAMPAIGN_COLUMNS = tuple(
    dict.fromkeys(
        name
        for line in (ExportedLabel, ExportedDecision, ExportedTask, *get_args(ExportedRow))
        for name in line.model_fields
    )
)
"""Every column; those of labels come first, as they are what most look at."""


def read_exported_rows(lines: Iterable[str]) -> Iterator[ExportedRow]:
    """The rows of an export as JSONL. Raises RecordError, which names the line, for one that is none."""
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield _ROW_ADAPTER.validate_json(text)
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, problem['loc'])) or 'row'}: {problem['msg']}" for problem in error.errors()[:3]
            )
            raise RecordError(
                f"Line {number} is no row of a campaign: {wrong}. Nothing was imported; export the campaign again as JSONL."
            ) from None
