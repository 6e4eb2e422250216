"""The versions of a campaign: what was asked when, and whether a next one goes on from the one before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from annotations.campaigns.questions import Asked, QuestionSet, check_answers, read_questions
from annotations.campaigns.rules import read_rules
from annotations.campaigns.setup import Terms, Wording, optional, revise, terms
from annotations.campaigns.tables import Key, Task, Version
from annotations.errors import RecordError


@dataclass(frozen=True, slots=True)
class Issued:
    """A version as it was written."""

    version: int
    wording: Wording
    by: str
    created_at: datetime


def load_versions(session: Session, campaign_id: str) -> list[Issued]:
    """Every version of a campaign, newest first."""
    found = session.exec(
        select(Version).where(Version.campaign_id == campaign_id).order_by(col(Version.version).desc())
    )
    return [
        Issued(
            row.version,
            Wording(row.questions, row.guidelines, read_rules(row.rules), row.open),
            row.by,
            row.created_at,
        )
        for row in found
    ]


def go_on(session: Session, campaign_id: str, by: str, wording: Wording) -> Terms:
    """Revise a campaign. Raises RecordError where labels or known answers of before would not fit the new questions."""
    before, after = terms(session, campaign_id).questions, read_questions(wording.questions)
    _require_continuing(before, after)
    _require_fitting_keys(session, campaign_id, after)
    campaign = revise(session, campaign_id, by, wording)
    require_passable(session, campaign)
    return campaign


def require_passable(session: Session, campaign: Terms) -> None:
    """Raise RecordError where nobody can pass the qualification, as it has fewer items than must be right."""
    needed = campaign.rules.pass_right
    there = session.exec(
        select(func.count()).select_from(Task).where(Task.campaign_id == campaign.id, Task.part == "qualification")
    ).one()
    if needed > there:
        raise RecordError(
            f"{needed} answers of the qualification must be right, and it has {there} items. "
            "Add items with known answers, or ask for fewer right ones."
        )


def _require_continuing(before: QuestionSet, after: QuestionSet) -> None:
    if before.unit != after.unit:
        raise RecordError(
            f"The questions were about one {before.unit} each and are about one {after.unit} now. Make a new campaign."
        )
    for question in before.questions:
        new = after.by_id.get(question.id)
        if new and not _takes(new, question):
            raise RecordError(
                f"Question {question.id!r} does not offer any more what may have been answered already. "
                "Keep its kind, options and steps, give it another id, or make a new campaign."
            )


def _takes(new: Asked, old: Asked) -> bool:
    """Whether every answer to the old question is one to the new question."""
    if new.kind != old.kind or not set(old.values) <= set(new.values):
        return False
    return new.kind != "scale" or (new.low <= old.low and old.high <= new.high)


def _require_fitting_keys(session: Session, campaign_id: str, questions: QuestionSet) -> None:
    keys = session.exec(
        select(Key.answers).join(Task, col(Task.id) == Key.task_id).where(Task.campaign_id == campaign_id)
    )
    for answers in keys:
        check_answers(optional(questions), answers)
