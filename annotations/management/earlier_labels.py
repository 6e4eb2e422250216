"""Labels that people gave in another tool: they count in a campaign as those of people, marked as imported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from uuid import uuid4

from sqlmodel import Session, select

from annotations.campaigns.campaign import CampaignSettings, NewTask, hash_asked, task_id
from annotations.people.people import Role, add_person
from annotations.results.adaptive_overlap import ask_for_labels
from annotations.store.people_tables import Person
from annotations.store.response_tables import Reservation, Response
from annotations.store.writes import pair_item_id

IMPORTED = "imported"
"""Mode of a label that a person gave in another tool."""


def add_earlier_labels(
    session: Session, campaign: CampaignSettings, tasks: Sequence[NewTask], people: Collection[str]
) -> int:
    """Add the labels that these people gave to tasks of a campaign in another tool, and return how many.

    Each person is added as `NAME (imported)`, whom nobody can sign in as. A label takes a place of its item, counts in agreement
    and final labels, has the mode `imported` and no time, and is added once.
    """
    now, measure = datetime.now(UTC), campaign.questions.measure
    ids = {name: _imported_person(session, name) for name in people}
    before = select(Reservation.task_id, Reservation.person_id).where(Reservation.campaign_id == campaign.id)
    done = set(session.exec(before))
    numbers = Counter(person for _, person in done)
    labels: list[tuple[Reservation, str]] = []
    for task in (task for task in tasks if task.part == "work"):
        item = pair_item_id(task.pair) if task.pair else task.item_id
        id = task_id(campaign.id, task.part, item, task.explanation_id, hash_asked(task.asked))
        for name, answer in task.earlier.items():
            if name not in ids or (id, person := ids[name]) in done:
                continue
            done.add((id, person))
            numbers[person] += 1
            reservation = Reservation(
                campaign_id=campaign.id,
                task_id=id,
                person_id=person,
                turn=1,
                number=numbers[person],
                swapped=False,
                state="answered",
                reserved_at=now,
                expires_at=now,
            )
            labels.append((reservation, answer))
    session.add_all(reservation for reservation, _ in labels)
    session.flush()
    session.add_all(
        Response(
            reservation_id=reservation.id or 0,
            revision=1,
            act="answer",
            answers={measure: answer},
            reason="",
            blind=True,
            mode=IMPORTED,
            version=campaign.version,
            swapped=False,
            number=reservation.number,
            active_ms=0,
            wall_ms=0,
            event_id=uuid4().hex,
            created_at=now,
        )
        for reservation, answer in labels
    )
    session.flush()
    ask_for_labels(session, campaign, {reservation.task_id for reservation, _ in labels}, now)
    return len(labels)


def _imported_person(session: Session, name: str) -> str:
    called = f"{name} ({IMPORTED})"
    person = session.exec(select(Person).where(Person.name == called)).first()
    if person is None:
        person = session.get_one(Person, add_person(session, called, Role.ANNOTATOR).id)
        person.active = False
        session.add(person)
        session.flush()
    return person.id
