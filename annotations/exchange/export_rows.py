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
    """Guidelines, questions and rules of a campaign from this version on."""

    kind: Literal["version"] = "version"
    """Kind of the row."""
    version: int
    """Number of the version, from 1."""
    guidelines: StorableText
    """Guidelines, Markdown."""
    questions: StorableText
    """Question set, YAML."""
    rules: StorableText
    """Rules, JSON."""
    open: bool
    """True if the campaign took labels."""
    by: StorableText
    """Name or pseudonym of the manager who issued it."""
    created_at: datetime
    """Time of the version."""


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
    """Kind of the row."""
    item_id: StorableText
    """Id of the item in the file."""
    by: StorableText
    """Name or pseudonym of its maker."""
    intended: Literal["consistent", "inconsistent", "borderline"] | None
    """Verdict that the maker meant the item to have; None for none."""
    error_type: ErrorType | None
    """Error type that was meant; None for none."""
    title: StorableText
    """Title of the pair; "" for none."""
    domain: StorableText
    """Domain of the text; "" for none."""
    source: StorableText
    """Place that the item came from, such as an upload or a campaign."""
    reaction: StorableText = ""
    """Reaction of the metrics to the edit, in words; "" for none."""
    created_at: datetime
    """Time at which the item was saved."""


class ExportedExplanation(_ExportedModel):
    """An explanation that is judged."""

    kind: Literal["explanation"] = "explanation"
    explanation_id: StorableText
    item_id: StorableText
    explanation: StorableText
    by: StorableText
    created_at: datetime


class ExportedTask(_ExportedModel):
    """One thing to label, with its final answers where it has labels; the original is on the left."""

    kind: Literal["task"] = "task"
    """Kind of the row."""
    task: int
    """Number of the task in the campaign, from 1."""
    part: Literal["training", "qualification", "work", "gold"]
    """Part of the campaign that the task belongs to."""
    item_id: StorableText
    """Id of the labelled item."""
    explanation_id: StorableText
    """Id of the explanation to judge; "" for none."""
    asked: dict[str, Any]
    """Details of the task, such as the error type to write."""
    group: StorableText
    """Key that versions of one text share, which are kept apart."""
    position: int
    """Place in the order of the campaign."""
    key: dict[str, Any] | None
    """Known answers; None where there are none."""
    feedback: StorableText
    """Text shown after an answer in training; "" for none."""
    created_at: datetime
    """Time at which the task was added."""
    provenance: StorableText | None
    """Origin of the final answers: single, unanimous, adjudicated or unresolved; None without a label."""
    answers: dict[str, Any]
    """Final answers; empty where unresolved."""
    selection_probability: float | None = None
    """Probability of the item in the sample so far; None where the items were not drawn."""


class ExportedDraw(_ExportedModel):
    """The draw by which the items came from a pool."""

    kind: Literal["draw"] = "draw"
    """Kind of the row."""
    way: Literal["random", "stratified", "active"]
    """Method of the draw."""
    dataset: StorableText
    """Name of the dataset that is the pool."""
    metrics: list[StorableText]
    """Metrics whose scores steered the draw."""
    size: int
    """Number of summaries in the pool."""
    next_arrival: float | None
    """Arrival of the first summary that was not drawn; None where all were."""
    scores: StorableText
    """Weight, expected rate and features of each summary of the pool, float64 in base64."""
    drawn: list[tuple[int, int, float, float]]
    """Task number, place in the pool, weight and arrival of each drawn item."""
    by: StorableText
    """Name or pseudonym of the manager who drew."""
    created_at: datetime
    """Time of the draw."""


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
    """A task reserved for a person."""

    kind: Literal["turn"] = "turn"
    """Kind of the row."""
    task: int
    """Number of the task in the campaign."""
    person: StorableText
    """Pseudonym of the annotator."""
    turn: int
    """1 for the first time that the person had the task, 2 for a repeat."""
    order: int
    """Place among the person's tasks, from 1."""
    swapped: bool
    """True if the original was on the right."""
    state: Literal["open", "answered", "skipped", "flagged", "late", "lapsed"]
    """State of the reservation; a late one was answered after others had taken its place."""
    reserved_at: datetime
    """Time of the reservation."""
    expires_at: datetime
    """Time after which an open one is void."""
    excluded: bool = False
    """True if its label is left out; see `ExportedExclusion`."""


class ExportedLabel(_ExportedModel):
    """One revision of a label of a task, or that the person skipped it, flagged it or undid the last answer."""

    kind: Literal["label"] = "label"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it, unique in the campaign."""
    task: int
    """Number of the task in the campaign."""
    item_id: StorableText
    """Id of the labelled item."""
    part: StorableText
    """Part of the campaign that the task belongs to."""
    person: StorableText
    """Pseudonym of the annotator."""
    turn: int
    """1 for the first time that the person had the task, 2 for a repeat."""
    revision: int
    """Number of the response to this reservation, from 1."""
    act: Literal["answer", "skip", "flag", "undo"]
    """Kind of response."""
    answers: dict[str, Any]
    """Answers by question, with the original on the left; empty for other acts."""
    reason: StorableText
    """Reason of a skip or flag; "" for an answer."""
    blind: bool
    """True if no score had been shown."""
    mode: Literal["unaided", "pre-annotated", "assisted"] = "unaided"
    """Help that the label was given with."""
    version: int
    """Version of guidelines and questions that were shown."""
    order: int
    """Place among the person's tasks, from 1."""
    swapped: bool
    """True if the original was shown on the right."""
    active_ms: int
    """Milliseconds in which the person read or typed."""
    wall_ms: int
    """Milliseconds from showing the task to the response."""
    created_at: datetime
    """Time of the response."""
    provenance: StorableText | None
    """Origin of the task's final answers: single, unanimous, adjudicated or unresolved; None outside work."""
    excluded: bool = False
    """True if agreement and final labels leave it out."""
    selection_probability: float | None = None
    """Probability of the item in the sample so far; None where the items were not drawn."""


class ExportedDecision(_ExportedModel):
    """Decision of an adjudicator on a task."""

    kind: Literal["decision"] = "decision"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it."""
    task: int
    """Number of the task in the campaign."""
    item_id: StorableText
    """Id of the labelled item."""
    person: StorableText
    """Name or pseudonym of the adjudicator."""
    revision: int
    """Number of the decision on this task, from 1."""
    answers: dict[str, Any]
    """Answers decided on, with the original on the left."""
    cause: Literal["annotator slip", "ambiguous text", "guideline gap", "real edge case"]
    """Reason why the labels differ."""
    note: StorableText
    """Note of the adjudicator; "" for none."""
    settles: tuple[StorableText, ...]
    """Events of the labels that were decided on."""
    created_at: datetime
    """Time of the decision."""


class ExportedCorrection(_ExportedModel):
    """The error type that a curator found in the edit of a label; the required one is part of the task."""

    kind: Literal["correction"] = "correction"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it."""
    label: StorableText
    """Event of the label with the edit."""
    item_id: StorableText
    """Id of the edited summary."""
    person: StorableText
    """Name or pseudonym of the curator."""
    revision: int
    """Number of the correction of this label, from 1."""
    error_type: ErrorType
    """Error type that the curator found."""
    note: StorableText
    """Note of the curator; "" for none."""
    created_at: datetime
    """Time of the correction."""


class ExportedComment(_ExportedModel):
    """Comment on a task."""

    kind: Literal["comment"] = "comment"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it."""
    task: int
    """Number of the task in the campaign."""
    annotator: StorableText | None
    """Pseudonym of the annotator whose conversation it is; None for adjudicators and managers among themselves."""
    role: Literal["annotator", "adjudicator", "manager"]
    """Role in which its author speaks."""
    person: StorableText
    """Name or pseudonym of its author."""
    text: StorableText
    """Text of the comment."""
    created_at: datetime
    """Time of the comment."""


class ExportedFlagResolution(_ExportedModel):
    """Resolution of a flag by a manager; `label` is the event of the flag."""

    kind: Literal["resolution"] = "resolution"
    event_id: StorableText
    label: StorableText
    person: StorableText
    note: StorableText
    created_at: datetime


class ExportedExclusion(_ExportedModel):
    """Labels of a person that are left out, and, if they count again, the reason."""

    kind: Literal["exclusion"] = "exclusion"
    """Kind of the row."""
    event_id: StorableText
    """Identifier of the press that saved it."""
    person: StorableText
    """Pseudonym of the person whose labels are left out."""
    day: date | None
    """Day (UTC) of the labels; None covers all days."""
    question: StorableText
    """Id of the question whose answers are left out; "" covers whole labels."""
    reason: StorableText
    """Reason that the manager stated."""
    by: StorableText
    """Name or pseudonym of the manager."""
    created_at: datetime
    """Time of the exclusion; later labels count."""
    reinstated: StorableText | None = None
    """Reason for counting the labels again; None while the exclusion is valid."""
    reinstated_by: StorableText | None = None
    """Name or pseudonym of the manager who ended it; None while it is valid."""
    reinstated_at: datetime | None = None
    """Time of its end; None while it is valid."""


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
