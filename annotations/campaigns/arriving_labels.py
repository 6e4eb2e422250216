"""What was said in a campaign, from the rows of an export: tasks in hand, labels, decisions and corrections."""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import select

from annotations.campaigns.arriving import (
    Arrival,
    here,
)
from annotations.campaigns.longform import (
    CorrectionLine,
    DecisionLine,
    LabelLine,
    TurnLine,
)
from annotations.campaigns.qualifying import unswapped
from annotations.campaigns.tables import (
    Correction,
    Reservation,
    Response,
    Settlement,
)
from annotations.errors import RecordError


def take_turns(arrival: Arrival, lines: Iterable[TurnLine]) -> None:
    rows = {}
    for line in lines:
        rows[line.task, line.person, line.turn] = Reservation(
            **line.model_dump(include={"turn", "swapped", "state", "reserved_at", "expires_at"}),
            campaign_id=arrival.campaign_id,
            task_id=here(arrival.tasks, line.task, "task"),
            person_id=here(arrival.people, line.person, "person"),
            number=line.order,
        )
    arrival.session.add_all(rows.values())
    arrival.session.flush()
    arrival.turns.update((key, row.id or 0) for key, row in rows.items())


def take_labels(arrival: Arrival, lines: list[LabelLine]) -> None:
    if lines and arrival.session.exec(select(Response.id).where(Response.event_id == lines[0].event_id)).first():
        raise RecordError("The labels of this export are in this database already. Import it into another one.")
    rows = []
    for line in lines:
        asked = here(arrival.questions, line.version, "version")
        told = line.model_dump(
            exclude={"kind", "task", "item_id", "part", "person", "turn", "order", "provenance", "answers"}
        )
        turn = here(arrival.turns, (line.task, line.person, line.turn), "turn")
        answers = unswapped(asked, line.answers, line.swapped)
        rows.append(Response(**told, reservation_id=turn, answers=answers, number=line.order))
    arrival.session.add_all(rows)
    arrival.session.flush()
    arrival.labels.update((row.event_id, row.id or 0) for row in rows)


def take_decisions(arrival: Arrival, lines: Iterable[DecisionLine]) -> None:
    for line in lines:
        arrival.session.add(
            Settlement(
                **line.model_dump(include={"revision", "answers", "cause", "note", "event_id", "created_at"}),
                task_id=here(arrival.tasks, line.task, "task"),
                settles=[here(arrival.labels, event, "label") for event in line.settles],
                by=arrival.who(line.person),
            )
        )


def take_corrections(arrival: Arrival, lines: Iterable[CorrectionLine]) -> None:
    for line in lines:
        arrival.session.add(
            Correction(
                **line.model_dump(mode="json", include={"item_id", "revision", "error_type", "note", "event_id"}),
                response_id=here(arrival.labels, line.label, "label"),
                by=arrival.who(line.person),
                created_at=line.created_at,
            )
        )
