"""The exported rows of the setup of a campaign: its versions, people, texts, tasks and draw."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from annotations.exchange.export_columns import (
    QUERIED,
    AnyErrorTypeName,
    ExportColumn,
    ExportedModel,
    LocalIds,
    MakerName,
    StorableText,
    TaskNumber,
)
from annotations.store.campaign_tables import Campaign, CampaignDraw, DrawStop, Suggestion, Task, VersionRow
from annotations.store.people_tables import Person
from annotations.store.tables import Document, EditRow, Explanation, ItemRow, Origin


class ExportedCampaign(ExportedModel):
    """First row of an export: its campaign and who created it."""

    table = Campaign

    kind: Literal["campaign"] = "campaign"
    campaign: Annotated[StorableText, ExportColumn("name", read=None)]
    by: MakerName
    created_at: datetime


class ExportedVersion(ExportedModel):
    """Guidelines, questions and rules of a campaign from this version on."""

    table = VersionRow

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
    by: MakerName
    """Name or pseudonym of the manager who issued it."""
    created_at: datetime
    """Time of the version."""


class ExportedPerson(ExportedModel):
    """A person who labelled, adjudicated or corrected."""

    table = Person

    kind: Literal["person"] = "person"
    person: Annotated[StorableText, ExportColumn("pseudonym")]
    role: Literal["manager", "researcher", "adjudicator", "annotator"]


class ExportedDocument(ExportedModel):
    """A source text, with name, start and end of its contexts and the question that its summaries answer."""

    table = Document

    kind: Literal["document"] = "document"
    document_id: Annotated[StorableText, ExportColumn("id")]
    document: Annotated[StorableText, ExportColumn("text")]
    contexts: list[tuple[StorableText, int, int]] = Field(default_factory=list)
    question: StorableText = ""


class ExportedEdit(ExportedModel):
    """One executable edit; offsets are code points of the parent's text."""

    table = EditRow

    start: int
    end: int
    original_text: StorableText
    replace_text: StorableText
    explanation: StorableText
    by: MakerName


class ExportedItem(ExportedModel):
    """A summary; an edited one names its parent, whose row comes first."""

    table = ItemRow

    kind: Literal["item"] = "item"
    item_id: Annotated[StorableText, ExportColumn("id")]
    document_id: StorableText
    parent_id: StorableText | None
    summary: Annotated[StorableText, ExportColumn("text")]
    edits: Annotated[tuple[ExportedEdit, ...], QUERIED]


class ExportedOrigin(ExportedModel):
    """Origin of an item, with its intended verdict."""

    table = Origin

    kind: Literal["origin"] = "origin"
    """Kind of the row."""
    item_id: StorableText
    """Id of the item in the file."""
    by: MakerName
    """Name or pseudonym of its maker."""
    intended: Literal["consistent", "inconsistent", "borderline"] | None
    """Verdict that the maker meant the item to have; None for none."""
    error_type: AnyErrorTypeName
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


class ExportedExplanation(ExportedModel):
    """An explanation that is judged."""

    table = Explanation

    kind: Literal["explanation"] = "explanation"
    explanation_id: Annotated[StorableText, QUERIED]
    item_id: StorableText
    explanation: Annotated[StorableText, ExportColumn("text")]
    by: MakerName
    created_at: datetime


class ExportedTask(ExportedModel):
    """One thing to label, with its final answers where it has labels; the original is on the left."""

    table = Task

    kind: Literal["task"] = "task"
    """Kind of the row."""
    task: Annotated[int, QUERIED]
    """Number of the task in the campaign, from 1."""
    part: Literal["training", "qualification", "work", "gold"]
    """Part of the campaign that the task belongs to."""
    item_id: StorableText
    """Id of the labelled item."""
    explanation_id: Annotated[StorableText, ExportColumn("explanation_id", None, LocalIds.explanation)]
    """Id of the explanation to judge; "" for none."""
    asked: dict[str, Any]
    """Details of the task, such as the error type to write."""
    columns: dict[str, StorableText] = Field(default_factory=dict)
    """Cells of the owner's table beside the texts, by column."""
    group: StorableText
    """Key that versions of one text share, which are kept apart."""
    position: int
    """Place in the order of the campaign."""
    key: Annotated[dict[str, Any] | None, QUERIED]
    """Known answers; None where there are none."""
    feedback: Annotated[StorableText, QUERIED]
    """Text shown after an answer in training; "" for none."""
    created_at: datetime
    """Time at which the task was added."""
    provenance: Annotated[StorableText | None, QUERIED]
    """Origin of the final answers: single, unanimous, adjudicated or unresolved; None without a label."""
    answers: Annotated[dict[str, Any], QUERIED]
    """Final answers; empty where unresolved."""
    selection_probability: Annotated[float | None, QUERIED] = None
    """Probability of the item in the sample so far; None where the items were not drawn."""


class ExportedDraw(ExportedModel):
    """The draw by which the items came from a pool."""

    table = CampaignDraw

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
    drawn: Annotated[list[tuple[int, int, float, float]], QUERIED]
    """Task number, place in the pool, weight and arrival of each drawn item."""
    by: MakerName
    """Name or pseudonym of the manager who drew."""
    created_at: datetime
    """Time of the draw."""


class ExportedStop(ExportedModel):
    """Stop of a drawn campaign: after `labels` labels its interval was narrow enough, ± `points`."""

    table = DrawStop

    kind: Literal["stop"] = "stop"
    points: float
    labels: int
    low: float
    high: float
    created_at: datetime


class ExportedSuggestion(ExportedModel):
    """The answers that were filled in for annotators of a task under pre-annotation, with the original on the left."""

    table = Suggestion

    kind: Literal["suggestion"] = "suggestion"
    task: TaskNumber
    answers: dict[str, Any]
    source: StorableText
    person: MakerName
    created_at: datetime
