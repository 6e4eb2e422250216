"""Tasks of each person in a campaign, counted by database triggers, so that a page does not read all of a person's reservations."""

from __future__ import annotations

from sqlalchemy import Connection, text

from annotations.store.triggers import create_triggers

_WORK = "task.part = 'work' AND {0}.turn = 1 AND {0}.state IN ({1})"
_NUMBERS = (
    "{0}.state = 'answered'",
    _WORK.format("{0}", "'answered', 'skipped', 'flagged', 'late'"),
    _WORK.format("{0}", "'open', 'answered', 'late'"),
)
_ADD = (
    "INSERT INTO persontasks (campaign_id, person_id, answered, finished, had, version) "
    "SELECT {row}.campaign_id, {row}.person_id, {numbers}, 0 FROM task WHERE task.id = {row}.task_id "
    "ON CONFLICT (campaign_id, person_id) DO UPDATE SET answered = persontasks.answered + excluded.answered, "
    "finished = persontasks.finished + excluded.finished, had = persontasks.had + excluded.had"
)


def _numbers(row: str) -> list[str]:
    return [f"CASE WHEN {condition.format(row)} THEN 1 ELSE 0 END" for condition in _NUMBERS]


def _change(row: str, numbers: list[str]) -> str:
    return _ADD.format(row=row, numbers=", ".join(numbers))


# name, event, condition, and what is done
_TRIGGERS = (
    ("reservation_is_of_person", "INSERT ON reservation", "true", _change("NEW", _numbers("NEW"))),
    (
        "reservation_goes_on",
        "UPDATE ON reservation",
        "OLD.state <> NEW.state",
        _change("NEW", [f"{new} - {old}" for new, old in zip(_numbers("NEW"), _numbers("OLD"), strict=True)]),
    ),
    (
        "reservation_leaves_person",
        "DELETE ON reservation",
        "true",
        _change("OLD", [f"-{number}" for number in _numbers("OLD")]),
    ),
    (
        "response_has_version",
        "INSERT ON response",
        "true",
        "UPDATE persontasks SET version = NEW.version WHERE version < NEW.version AND (campaign_id, person_id) = "
        "(SELECT campaign_id, person_id FROM reservation WHERE id = NEW.reservation_id)",
    ),
)


def count_people() -> None:
    """Make the triggers that count; on SQLite a batch alteration of `reservation` or `response` drops them, and calls this again."""
    create_triggers(_TRIGGERS)


def recount_people(connection: Connection) -> None:
    """Count the tasks of every person afresh, for rows from before the triggers, and delete the counts of limits."""
    for table in ("persontasks", "limitcounts"):
        connection.execute(text(f"DELETE FROM {table}"))
    sums = ", ".join(f"sum({number})" for number in _numbers("reservation"))
    connection.execute(
        text(
            "INSERT INTO persontasks (campaign_id, person_id, answered, finished, had, version) "
            f"SELECT reservation.campaign_id, reservation.person_id, {sums}, 0 "
            "FROM reservation JOIN task ON task.id = reservation.task_id "
            "GROUP BY reservation.campaign_id, reservation.person_id"
        )
    )
    connection.execute(
        text(
            "UPDATE persontasks SET version = coalesce((SELECT max(response.version) FROM reservation "
            "JOIN response ON response.reservation_id = reservation.id WHERE reservation.campaign_id = "
            "persontasks.campaign_id AND reservation.person_id = persontasks.person_id), 0)"
        )
    )
