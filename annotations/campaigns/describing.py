"""What must be said of the labels of a campaign where they are used: how many, how they came about, how far people agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, select

from annotations.campaigns.agreeing import OVERALL, Agreement, agreement_of
from annotations.campaigns.evaluating import require_campaign
from annotations.campaigns.reading import first_blind
from annotations.campaigns.resolving import How, resolved
from annotations.campaigns.tables import Campaign, Reservation, Task
from annotations.records import CAMPAIGN


@dataclass(frozen=True, slots=True)
class Described:
    """The labels of a campaign: `counts` says how many tasks came to theirs in which way.

    `agreement` is that on the question that counts, None where nobody answered it.
    """

    dataset: str
    title: str
    version: int
    counts: Mapping[How, int]
    agreement: Agreement | None


def labelled_campaigns(session: Session) -> list[str]:
    """The datasets of the campaigns in which something was labelled, newest first."""
    labelled = (
        select(Reservation.campaign_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(Task.part == "work", Reservation.state == "answered")
    )
    names = select(Campaign.name).where(col(Campaign.id).in_(labelled)).order_by(col(Campaign.created_at).desc())
    return [CAMPAIGN + name for name in session.exec(names)]


def describe(session: Session, dataset: str) -> Described:
    """Raises RecordError for an unknown name."""
    campaign = require_campaign(session, dataset)
    questions = campaign.questions
    return Described(
        dataset,
        questions.title,
        campaign.version,
        Counter(one.how for one in resolved(session, campaign)),
        agreement_of(questions.by_id[questions.measure], OVERALL, first_blind(session, campaign)),
    )


def in_words(described: Described) -> list[str]:
    """Sentences for a data card."""
    told = ", ".join(f"{described.counts[how]} {how}" for how in How if described.counts.get(how))
    left_out = " Those unresolved have no label and count in no table." if described.counts.get(How.UNRESOLVED) else ""
    said = [f"“{described.title}”, version {described.version} of the guidelines. Labels: {told or 'none'}.{left_out}"]
    if described.agreement:
        said.append(_agreement(described.agreement))
    return said


def _agreement(found: Agreement) -> str:
    people = f"{found.people} {'person' if found.people == 1 else 'people'} gave {found.labels} first blind labels"
    if found.alpha.value is None:
        return f"{people}. {found.alpha.why}"
    low, high = found.alpha.low, found.alpha.high
    between = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{people}; Krippendorff's alpha ({found.scale}) is {found.alpha.value:.2f}{between} on {found.alpha.n} shared tasks."
