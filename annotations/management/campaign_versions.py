"""The versions of a campaign, and revisions that keep earlier labels and known answers valid."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from annotations.campaigns.campaign import (
    CampaignSettings,
    VersionContent,
    add_version,
    load_campaign,
    read_rules,
    with_optional_answers,
)
from annotations.campaigns.questions import CampaignQuestion, check_answers, read_questions
from annotations.management.preannotation import require_suggestions
from annotations.store.campaign_tables import AnswerKey, Task, VersionRow
from annotations.store.records import RecordError


@dataclass(frozen=True, slots=True)
class IssuedVersion:
    """A version as it was written."""

    version: int
    content: VersionContent
    by: str
    created_at: datetime


def load_versions(session: Session, campaign_id: str) -> list[IssuedVersion]:
    """Every version of a campaign, newest first."""
    rows = session.exec(
        select(VersionRow).where(VersionRow.campaign_id == campaign_id).order_by(col(VersionRow.version).desc())
    )
    return [
        IssuedVersion(
            row.version,
            VersionContent(row.questions, row.guidelines, read_rules(row.rules), row.open),
            row.by,
            row.created_at,
        )
        for row in rows
    ]


def revise_campaign(session: Session, campaign_id: str, by: str, content: VersionContent) -> CampaignSettings:
    """Revise a campaign. Raises RecordError where earlier labels or known answers would not fit the new questions,
    and for an order that its items do not have."""
    campaign, after = load_campaign(session, campaign_id), read_questions(content.questions)

    if campaign.questions.unit != after.unit:
        raise RecordError(
            f"The questions were about one {campaign.questions.unit} each and are about one {after.unit} now. Make a new campaign."
        )
    for question in campaign.questions.questions:
        new = after.by_id.get(question.id)
        if new and not _accepts_answers_of(new, question):
            raise RecordError(
                f"Question {question.id!r} does not offer any more what may have been answered already. "
                "Keep its kind, options and steps, give it another id, or make a new campaign."
            )

    if "drawn" in {campaign.rules.order, content.rules.order} and campaign.rules.order != content.rules.order:
        raise RecordError("The order of a draw is that of its probabilities. Make a new campaign for another.")
    if campaign.rules.order != content.rules.order == "disagreement":
        raise RecordError("The items of this campaign are in no order of disagreement. Make a new campaign for that.")

    keys = session.exec(
        select(AnswerKey.answers).join(Task, col(Task.id) == AnswerKey.task_id).where(Task.campaign_id == campaign_id)
    )
    for answers in keys:
        check_answers(with_optional_answers(after), answers)

    revised = add_version(session, campaign_id, by, content)
    require_passable(session, revised)
    require_suggestions(session, revised)
    return revised


def require_passable(session: Session, campaign: CampaignSettings) -> None:
    """Raise RecordError where passing the qualification is impossible, as it has fewer items than must be right."""
    needed = campaign.rules.pass_right
    there = session.exec(
        select(func.count()).select_from(Task).where(Task.campaign_id == campaign.id, Task.part == "qualification")
    ).one()
    if needed > there:
        raise RecordError(
            f"{needed} answers of the qualification must be right, and it has {there} items. "
            "Add items with known answers, or ask for fewer right ones."
        )


def _accepts_answers_of(new: CampaignQuestion, old: CampaignQuestion) -> bool:
    """True if every answer to the old question is one to the new question."""
    if new.kind != old.kind or not set(old.values) <= set(new.values):
        return False
    if new.kind in {"ranking", "soft"} and new.values != old.values:
        return False
    return new.kind not in {"scale", "slider"} or (new.low <= old.low and old.high <= new.high)
