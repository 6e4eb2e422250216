"""The work of one person in a campaign: newest answers, beside what was decided, in periods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.qualification import mark_gold
from annotations.results.resolution import resolve_tasks
from annotations.results.results import CampaignLabel, load_labels
from annotations.store.campaign_tables import Task
from annotations.store.people_tables import Person
from annotations.store.response_tables import Reservation, Response
from annotations.store.tables import ItemRow

ITEMS_PER_PERIOD = 20
_ORIGINAL = aliased(ItemRow)


@dataclass(frozen=True, slots=True)
class PersonWork:
    """Newest answers of a person, oldest first, with the decided answers and the right ones of gold."""

    labels: tuple[CampaignLabel, ...]
    """Answers of any part, also those that do not count; the one before scores were seen and the one after are two."""
    decided: Mapping[str, str]
    """Decided answer to the measured question by task."""
    gold: Mapping[str, bool]
    """By gold task, if the answer is right."""

    @property
    def active_ms(self) -> int:
        """Milliseconds in which the person read or typed."""
        return sum(label.active_ms for label in self.labels)


def load_people_work(session: Session, campaign: CampaignSettings) -> dict[str, PersonWork]:
    """The work of everybody who labelled, by name; labels of all parts, also those that do not count."""
    newest: dict[tuple[str, str, int, bool], CampaignLabel] = {}
    for label in load_labels(session, campaign):
        newest[label.person, label.task, label.turn, label.blind] = label
    by_person: dict[str, list[CampaignLabel]] = defaultdict(list)
    for label in newest.values():
        by_person[label.person].append(label)
    measured = campaign.questions.measured
    decided = {
        task.task: str(measured(task.answers))
        for task in resolve_tasks(session, campaign)
        if campaign.questions.measure in task.answers
    }
    gold_tasks = sorted({label.task for label in newest.values() if label.part == "gold"})
    gold: dict[str, dict[str, bool]] = defaultdict(dict)
    names = dict(session.exec(select(Person.id, Person.name)).all())
    for task, person, is_right in mark_gold(session, campaign, gold_tasks):
        gold[names[person]][task] = is_right
    return {
        name: PersonWork(tuple(sorted(labels, key=lambda label: label.created_at)), decided, gold[name])
        for name, labels in sorted(by_person.items())
    }


class SeenSummary(NamedTuple):
    """The summary of a label as its person saw it, of a pair the one on the left, and if the edited one stood there."""

    text: str
    is_swapped: bool


def load_own_work(
    session: Session, campaign: CampaignSettings, person_id: str
) -> tuple[PersonWork, dict[int, SeenSummary]]:
    """The work of one person as they may see it, and the summary of each response: no mark of gold, and decisions once the campaign is closed.

    Before, a person could change an answer after its decision, or see one of an item that comes to them again. Of a pair, only its
    sides as they stood are shown: the edited one is nowhere named.
    """
    own = select(Reservation.task_id).where(Reservation.campaign_id == campaign.id, Reservation.person_id == person_id)
    tasks, name = session.exec(own.distinct()).all(), session.get_one(Person, person_id).name
    newest = {
        (label.task, label.turn, label.blind): label
        for label in load_labels(session, campaign, tasks)
        if label.person == name
    }
    measure = campaign.questions.measure
    resolved = [] if campaign.is_open else resolve_tasks(session, campaign)
    answers = {task.task: task.answers for task in resolved}
    decided = {task: str(campaign.questions.measured(given)) for task, given in answers.items() if measure in given}
    labels = tuple(sorted(newest.values(), key=lambda label: label.created_at))
    rows = session.exec(
        select(Response.id, Response.swapped, ItemRow.text, col(_ORIGINAL.text))
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .join(ItemRow, col(ItemRow.id) == Task.item_id)
        .outerjoin(_ORIGINAL, col(_ORIGINAL.id) == ItemRow.parent_id)
        .where(col(Response.id).in_([label.response for label in labels]))
    )
    is_pair = campaign.questions.unit == "pair"
    seen = {
        response: SeenSummary(original if is_pair and original is not None and not swapped else text, swapped)
        for response, swapped, text, original in rows
        if response is not None
    }
    return PersonWork(labels, decided, {}), seen


def work_by_day(work: PersonWork, campaign: CampaignSettings) -> list[dict[str, object]]:
    """A row of figures for each day (UTC)."""
    return _periods(work, campaign, [f"{label.created_at:%Y-%m-%d}" for label in work.labels])


def work_by_items(work: PersonWork, campaign: CampaignSettings) -> list[dict[str, object]]:
    """A row of figures for every `ITEMS_PER_PERIOD` labels in their order."""
    starts = [place - place % ITEMS_PER_PERIOD for place in range(len(work.labels))]
    return _periods(work, campaign, [f"{start + 1} to {start + ITEMS_PER_PERIOD}" for start in starts])


def _periods(work: PersonWork, campaign: CampaignSettings, names: Sequence[str]) -> list[dict[str, object]]:
    periods: dict[str, list[CampaignLabel]] = defaultdict(list)
    for name, label in zip(names, work.labels, strict=True):
        periods[name].append(label)
    return [
        {
            "period": period,
            "labels": len(labels),
            "hours": round(sum(label.active_ms for label in labels) / 3_600_000, 3),
            "median s": median(label.active_ms for label in labels) / 1000,
            "as decided": _share(as_decided(work, campaign, labels)),
            "gold right": _share([work.gold[label.task] for label in labels if label.task in work.gold]),
        }
        for period, labels in periods.items()
    ]


def as_decided(work: PersonWork, campaign: CampaignSettings, labels: Iterable[CampaignLabel]) -> list[bool]:
    """For each label of a decided item of work that was given before scores were seen, if it gives the decided answer."""
    return [
        str(campaign.questions.measured(label.answers)) == work.decided[label.task]
        for label in labels
        if label.part == "work" and label.blind and label.counts and label.task in work.decided
    ]


def _share(hits: Sequence[bool]) -> str | None:
    return f"{sum(hits)} of {len(hits)}" if hits else None
