"""A task as its person sees it: texts and their own answers, no score, author, intention, answer key or other label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from sqlalchemy import Row, bindparam
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, LabelMode
from annotations.campaigns.qualification import Stage
from annotations.campaigns.questions import unswap_answers
from annotations.store.campaign_tables import Suggestion, Task
from annotations.store.response_tables import Reservation, Response
from annotations.store.tables import Document, Explanation, ItemRow
from core.text import closest_evidence, contexts_from_json, layout_units
from core.types import Context, Example, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTexts:
    """Texts of a task; the original of a pair is on the left, unless a person sees the sides in reverse."""

    document: str
    """Text of the source document."""
    left: str
    """Summary, or the side of a pair that is on the left."""
    right: str | None
    """Other side of a pair, or of the pair that an explanation is about; None for a single summary."""
    explanation: str
    """Explanation to judge; "" for none."""
    error_type: str
    """Error type to write; "" for none."""
    contexts: tuple[Context, ...] = ()
    """Named parts of the document."""
    question: str = ""
    """Question that the summary answers; "" for none."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """Cells of the owner's table that annotators see, by column."""

    @property
    def texts(self) -> dict[str, Any]:
        """These fields alone, for the record of a task that has them too."""
        return {field.name: getattr(self, field.name) for field in fields(TaskTexts)}

    def with_sides(self, swapped: bool) -> TaskTexts:
        """The texts with the sides of a pair in reverse if `swapped`."""
        return replace(self, left=self.right, right=self.left) if swapped and self.right is not None else self


def load_task_texts(session: Session, campaign: CampaignSettings, task_id: str) -> TaskTexts:
    """The texts of a task, read in one query: this happens twice for every label."""
    return _texts_from_row(campaign, session.execute(_SELECT_TEXTS, {"task": task_id}).one())


def _texts_from_row(campaign: CampaignSettings, row: Row[Any]) -> TaskTexts:
    is_pair = campaign.questions.unit != "summary" and row.original is not None
    return TaskTexts(
        document=row.document,
        left=row.original if is_pair else row.summary,
        right=row.summary if is_pair else None,
        explanation=row.asked.get("explanation", "") if row.explanation is None else row.explanation,
        error_type=row.asked.get("error_type", ""),
        contexts=contexts_from_json(row.contexts),
        question=row.question,
        shown={name: cell for name in campaign.rules.shown_columns if (cell := row.own.get(name))},
    )


_PARENT = aliased(ItemRow)
_SELECT_TEXTS = (
    select_columns(
        col(Task.part),
        col(Task.asked),
        col(Task.columns).label("own"),
        col(Document.text).label("document"),
        col(Document.contexts),
        col(Document.question),
        col(ItemRow.text).label("summary"),
        col(_PARENT.text).label("original"),
        col(Explanation.text).label("explanation"),
    )
    .join(ItemRow, col(ItemRow.id) == col(Task.item_id))
    .join(Document, col(Document.id) == col(ItemRow.document_id))
    .outerjoin(_PARENT, col(_PARENT.id) == col(ItemRow.parent_id))
    .outerjoin(Explanation, col(Explanation.id) == col(Task.explanation_id))
    .where(col(Task.id) == bindparam("task"))
)


@dataclass(frozen=True, slots=True)
class ShownTask(TaskTexts):
    """One thing to label, as it is shown: the sides of a pair are in the order of this person."""

    reservation: int
    """Number of the reservation that the answer goes to."""
    number: int
    """Place among the person's tasks of the campaign, from 1."""
    stage: Stage
    """Training, qualification or work; gold looks like work."""
    answers: Mapping[str, Any]
    """Answers saved before; empty where there are none."""
    revision: int = 0
    """Revision of the last saved response; 0 where there is none."""
    mode: LabelMode = "unaided"
    """Help that the task is shown with."""
    suggested: Mapping[str, Any] = field(default_factory=dict)
    """Answers that are filled in before the first label."""
    close: tuple[Span, ...] = ()
    """Passages of the document that are marked as closest to the summary."""

    @property
    def example(self) -> Example:
        """The summary on the left with its document."""
        return Example("", self.document, self.left, self.contexts, self.question)


def show_task(session: Session, campaign: CampaignSettings, reservation: Reservation) -> ShownTask:
    """A reserved task with the sides in the order of its person."""
    row = session.execute(_SELECT_TEXTS, {"task": reservation.task_id}).one()
    texts = _texts_from_row(campaign, row)
    rows = session.exec(_SELECT_ANSWERS, params={"reservation": reservation.id}).all()
    revision = rows[0][0] if rows else 0
    answers = dict(next((answers for _, act, answers in rows if act == "answer"), {}))
    mode = label_mode(session, campaign, reservation.task_id)
    return ShownTask(
        **texts.with_sides(reservation.swapped).texts,
        reservation=reservation.id or 0,
        number=reservation.number,
        stage=Stage(row.part) if row.part in set(Stage) else Stage.WORK,
        answers=answers,
        revision=revision,
        mode=mode,
        suggested={} if revision else _suggested_answers(session, campaign, reservation, mode),
        close=_close_sentences(texts) if mode == "assisted" else (),
    )


def label_mode(session: Session, campaign: CampaignSettings, task_id: str) -> LabelMode:
    """Help that a task is shown with now; pre-annotation needs answers to fill in."""
    if campaign.rules.mode == "pre-annotated" and session.get(Suggestion, task_id) is None:
        return "unaided"
    return campaign.rules.mode


def _suggested_answers(
    session: Session, campaign: CampaignSettings, reservation: Reservation, mode: LabelMode
) -> dict[str, Any]:
    """The answers to fill in, with the sides as this person sees them."""
    if mode != "pre-annotated":
        return {}
    suggestion = session.get_one(Suggestion, reservation.task_id)
    return unswap_answers(campaign.questions, suggestion.answers, reservation.swapped)


def _close_sentences(texts: TaskTexts) -> tuple[Span, ...]:
    """The document sentence that is closest to each sentence of what is labelled, by the words that they share."""
    claims = [text[span.start : span.end] for text in (texts.left, texts.right) if text for span in layout_units(text)]
    spans = {closest_evidence(texts, claim) for claim in claims}
    return tuple(sorted(span for span in spans if span))


_SELECT_ANSWERS = (
    select(Response.revision, Response.act, Response.answers)
    .where(Response.reservation_id == bindparam("reservation"))
    .order_by(col(Response.revision).desc())
)
