"""Kept edits of a campaign: those that none of their annotators rejects (SummExecEdit, Thorat et al. 2024, table 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign_by_name
from annotations.campaigns.questions import QuestionSet
from annotations.results.label_agreement import OVERALL
from annotations.results.results import TaskResult, load_cases
from annotations.store.campaign_tables import Task
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.store import Store
from annotations.store.tables import Origin, SampleRow
from annotations.store.writes import ITEM_FACTS
from core.stats import align_columns

MIN_ANNOTATORS = 2
"""An edit is judged once this many people have labelled it, or an adjudicator has decided."""

KEPT_NOTE = (
    f"An edit is judged once {MIN_ANNOTATORS} people have labelled it, and kept unless one of them answers a question with "
    "no; a decision of an adjudicator counts instead of the labels. Rejected edits stand under the first question that "
    "somebody answers with no."
)
_REJECTS = "no"


@dataclass(frozen=True, slots=True)
class KeptEdits:
    """The edits of one domain: how many were judged, are kept, and are rejected by each question, the first that was answered no.

    `waiting` have labels, but too few to be judged.
    """

    domain: str
    judged: int
    kept: int
    rejected: Mapping[str, int]
    waiting: int


def rejecting_questions(questions: QuestionSet) -> list[str]:
    """The questions that are answered with yes or no, in their order."""
    return [question.id for question in questions.questions if set(question.values) == {"yes", _REJECTS}]


def count_kept_edits(session: Session, campaign: CampaignSettings) -> list[KeptEdits]:
    """All edits, then those of each domain. Raises RecordError where no question is answered with yes or no."""
    questions = rejecting_questions(campaign.questions)
    if not questions:
        raise RecordError(
            f"{campaign.name!r} asks nothing that is answered with yes or no. Make a campaign with the question set edit-quality."
        )

    items = select(Task.item_id).where(Task.campaign_id == campaign.id)
    saved = session.exec(select(Origin.item_id, Origin.domain).where(col(Origin.item_id).in_(items)))
    imported = session.exec(select(SampleRow.item_id, SampleRow.facts).where(col(SampleRow.item_id).in_(items)))
    facts = {item: ITEM_FACTS.validate_json(stored).domain for item, stored in imported if item}
    domains = {item: domain for item, domain in saved if domain} | {item: name for item, name in facts.items() if name}

    cases = [(domains.get(case.labels[0].item) or "no domain", case) for case in load_cases(session, campaign)]
    names = sorted({domain for domain, _ in cases})
    return [
        _count(OVERALL, [case for _, case in cases], questions),
        *(_count(name, [case for domain, case in cases if domain == name], questions) for name in names),
    ]


def kept_edits_of(store: Store, name: str) -> list[KeptEdits]:
    """The same of the campaign of a name. Raises RecordError where there is none."""
    with read_session(store.engine) as session:
        return count_kept_edits(session, load_campaign_by_name(session, name))


def format_kept_edits(by_domain: Sequence[KeptEdits]) -> str:
    """One line a domain, in columns."""
    return align_columns([list(kept_row(by_domain[0])), *(list(kept_row(edits).values()) for edits in by_domain)])


def kept_row(edits: KeptEdits) -> dict[str, str]:
    """A line of the table, as text."""
    share = f"{edits.kept / edits.judged:.0%}" if edits.judged else "–"
    rejected = {f"no: {question}": str(number) for question, number in edits.rejected.items()}
    counts = {"edits of": edits.domain, "judged": str(edits.judged), "kept": str(edits.kept), "share": share}
    return {**counts, **rejected, "too few labels": str(edits.waiting)}


def _count(domain: str, cases: Sequence[TaskResult], questions: Sequence[str]) -> KeptEdits:
    judged = [answers for case in cases if (answers := _judging_answers(case))]
    first = Counter(_first_rejection(answers, questions) for answers in judged)
    return KeptEdits(
        domain, len(judged), first[""], {id: first[id] for id in questions}, waiting=len(cases) - len(judged)
    )


def _judging_answers(case: TaskResult) -> list[Mapping[str, Any]]:
    """The answers that decide on an edit; none where there are too few."""
    if case.decision and not case.reopened:
        return [case.decision.answers]
    return [label.answers for label in case.labels] if len(case.labels) >= MIN_ANNOTATORS else []


def _first_rejection(answers: Sequence[Mapping[str, Any]], questions: Sequence[str]) -> str:
    """The first question that anybody answered with no; empty where the edit is kept."""
    return next((id for id in questions if any(person_answers.get(id) == _REJECTS for person_answers in answers)), "")
