"""A task as its person sees it: texts and their own answers, no score, author, intention, answer key or other label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, LabelMode
from annotations.campaigns.qualification import Stage
from annotations.campaigns.questions import unswap_answers
from annotations.store.campaign_tables import Suggestion, Task
from annotations.store.response_tables import Reservation, Response
from annotations.store.tables import Document, Explanation, ItemRow
from core.text import closest_evidence, contexts_from_json, sentences
from core.types import Context, Example, Span


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """Texts of a task, before the sides are put in the order of a person."""

    part: str
    """Part of the campaign: training, qualification, work or gold."""
    document: str
    """Text of the source document."""
    summary: str
    """Summary that is labelled; the edited one of a pair."""
    original: str | None
    """Summary before the edits, where the questions compare the two; else None."""
    explanation: str
    """Explanation to judge; "" for none."""
    error_type: str
    """Error type to write; "" for none."""
    contexts: tuple[Context, ...] = ()
    """Named parts of the document."""
    question: str = ""
    """Question that the summary answers; "" for none."""

    def sides(self, swapped: bool) -> tuple[str, str | None]:
        """Texts on the left and on the right: the original and the edited summary, or the summary alone."""
        if self.original is None:
            return self.summary, None
        return (self.summary, self.original) if swapped else (self.original, self.summary)


def load_task_texts(session: Session, campaign: CampaignSettings, task_id: str) -> TaskTexts:
    """The texts of a task, read in one query: this happens twice for every label."""
    row = session.execute(_SELECT_TEXTS, {"task": task_id}).one()
    return TaskTexts(
        part=row.part,
        document=row.document,
        summary=row.summary,
        original=None if campaign.questions.unit == "summary" else row.original,
        explanation=row.asked.get("explanation", "") if row.explanation is None else row.explanation,
        error_type=row.asked.get("error_type", ""),
        contexts=contexts_from_json(row.contexts),
        question=row.question,
    )


_PARENT = aliased(ItemRow)
_SELECT_TEXTS = (
    select_columns(
        col(Task.part),
        col(Task.asked),
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
class ShownTask:
    """One thing to label, as it is shown: the sides of a pair are in the order of this person."""

    reservation: int
    """Number of the reservation that the answer goes to."""
    number: int
    """Place among the person's tasks of the campaign, from 1."""
    stage: Stage
    """Training, qualification or work; gold looks like work."""
    document: str
    """Text of the source document."""
    left: str
    """Summary, or the side of a pair that is shown on the left."""
    right: str | None
    """Other side of a pair, also of an explanation's; None for a single summary."""
    explanation: str
    """Explanation to judge; "" for none."""
    error_type: str
    """Error type to write; "" for none."""
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
    contexts: tuple[Context, ...] = ()
    """Named parts of the document."""
    question: str = ""
    """Question that the summary answers; "" for none."""

    @property
    def example(self) -> Example:
        """The summary on the left with its document."""
        return Example("", self.document, self.left, self.contexts, self.question)


def show_task(session: Session, campaign: CampaignSettings, reservation: Reservation) -> ShownTask:
    """A reserved task with the sides in the order of its person."""
    texts = load_task_texts(session, campaign, reservation.task_id)
    left_text, right_text = texts.sides(reservation.swapped)
    rows = session.exec(_SELECT_ANSWERS, params={"reservation": reservation.id}).all()
    revision = rows[0][0] if rows else 0
    answers = dict(next((answers for _, act, answers in rows if act == "answer"), {}))
    mode = label_mode(session, campaign, reservation.task_id)
    return ShownTask(
        reservation=reservation.id or 0,
        number=reservation.number,
        stage=Stage(texts.part) if texts.part in set(Stage) else Stage.WORK,
        document=texts.document,
        left=left_text,
        right=right_text,
        explanation=texts.explanation,
        error_type=texts.error_type,
        answers=answers,
        revision=revision,
        mode=mode,
        suggested={} if revision else _suggested_answers(session, campaign, reservation, mode),
        close=_close_sentences(texts) if mode == "assisted" else (),
        contexts=texts.contexts,
        question=texts.question,
    )


def label_mode(session: Session, campaign: CampaignSettings, task_id: str) -> LabelMode:
    """Amount of help that a task is shown with now: pre-annotated ones need answers to fill in."""
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
    claims = [text[span.start : span.end] for text in texts.sides(swapped=False) if text for span in sentences(text)]
    spans = {closest_evidence(texts, claim) for claim in claims}
    return tuple(sorted(span for span in spans if span))


_SELECT_ANSWERS = (
    select(Response.revision, Response.act, Response.answers)
    .where(Response.reservation_id == bindparam("reservation"))
    .order_by(col(Response.revision).desc())
)
