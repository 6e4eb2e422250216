"""Counts that triggers of the database keep up, on SQLite and PostgreSQL alike, so that a page counts nothing itself.

They are the taken places of each task, the tasks of each person in a campaign, and the tasks whose labels or decisions changed since
they were counted.
"""

from __future__ import annotations

from collections.abc import Iterable

from alembic import op
from sqlalchemy import Connection, text

Trigger = tuple[str, str, str, str]
"""A name, an event such as INSERT ON task, the condition of a row, and the statement that is executed for each."""


def create_triggers(triggers: Iterable[Trigger]) -> None:
    """Make those that are not there, after each row's change."""
    postgres = op.get_bind().dialect.name == "postgresql"
    for name, event, condition, statement in triggers:
        if postgres:
            op.execute(
                f"CREATE OR REPLACE FUNCTION touchstone_{name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN {statement}; RETURN NULL; END $$"
            )
            op.execute(
                f"CREATE OR REPLACE TRIGGER {name} AFTER {event} FOR EACH ROW WHEN ({condition}) "
                f"EXECUTE FUNCTION touchstone_{name}()"
            )
        else:
            op.execute(f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {event} WHEN {condition} BEGIN {statement}; END")


_TAKES_PLACE = "{0}.turn = 1 AND NOT {0}.excluded AND {0}.state IN ('open', 'answered')"
_OLD, _NEW = _TAKES_PLACE.format("OLD"), _TAKES_PLACE.format("NEW")

# name, event, condition, and what is done
_PLACES = (
    (
        "task_has_places",
        "INSERT ON task",
        "NEW.part = 'work'",
        "INSERT INTO taskplaces (task_id, campaign_id, taken, wanted, position, shuffle) "
        "VALUES (NEW.id, NEW.campaign_id, 0, 0, NEW.position, NEW.shuffle)",
    ),
    ("reservation_takes", "INSERT ON reservation", _NEW, "{add} + 1 WHERE task_id = NEW.task_id"),
    (
        "reservation_takes_again",
        "UPDATE ON reservation",
        f"NOT ({_OLD}) AND {_NEW}",
        "{add} + 1 WHERE task_id = NEW.task_id",
    ),
    ("reservation_frees", "UPDATE ON reservation", f"{_OLD} AND NOT ({_NEW})", "{add} - 1 WHERE task_id = NEW.task_id"),
    ("reservation_goes", "DELETE ON reservation", _OLD, "{add} - 1 WHERE task_id = OLD.task_id"),
    (
        "wantedlabels_asks",
        "INSERT ON wantedlabels",
        "true",
        "UPDATE taskplaces SET wanted = NEW.labels WHERE task_id = NEW.task_id",
    ),
)


def count_places() -> None:
    """Make the triggers that count; on SQLite a batch alteration of `task`, `reservation` or `wantedlabels` drops them, and calls this again.

    A change is added to the count, which is not made again: two transactions that do not see each other yet are both right.
    """
    add = "UPDATE taskplaces SET taken = taken"
    create_triggers((name, event, condition, change.format(add=add)) for name, event, condition, change in _PLACES)


def recount_places(connection: Connection) -> None:
    """Count the places of every task from the reservations, for rows from before the triggers."""
    connection.execute(text("DELETE FROM taskplaces"))
    connection.execute(
        text(
            "INSERT INTO taskplaces (task_id, campaign_id, taken, wanted, position, shuffle) "
            "SELECT id, campaign_id, "
            f"(SELECT count(*) FROM reservation WHERE task_id = task.id AND {_TAKES_PLACE.format('reservation')}), "
            "coalesce((SELECT labels FROM wantedlabels WHERE task_id = task.id ORDER BY id DESC LIMIT 1), 0), "
            "position, shuffle FROM task WHERE part = 'work'"
        )
    )


def drop_withdrawn_places(connection: Connection) -> None:
    """Delete the places of tasks that are withdrawn: the queue hands out what has places."""
    connection.execute(
        text(
            "DELETE FROM taskplaces WHERE task_id IN (SELECT task_id FROM taskwithdrawal AS newest WHERE withdrawn "
            "AND NOT EXISTS (SELECT 1 FROM taskwithdrawal WHERE task_id = newest.task_id AND id > newest.id))"
        )
    )


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
_PEOPLE = (
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
    create_triggers(_PEOPLE)


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


_LABELLED = "{0}.state IN ('answered', 'skipped', 'flagged')"
_MARK = (
    "INSERT INTO taskcounts (task_id, campaign_id, stale) SELECT id, campaign_id, true FROM task WHERE {0} "
    "ON CONFLICT (task_id) DO UPDATE SET stale = true WHERE NOT taskcounts.stale"
)
_OF_PERSON = (
    "id IN (SELECT task_id FROM reservation JOIN exclusion ON exclusion.campaign_id = reservation.campaign_id "
    "AND exclusion.person_id = reservation.person_id WHERE exclusion.id = {0})"
)

# name, event, condition, and the tasks that are marked
_MARKING = (
    (
        "response_changes",
        "INSERT ON response",
        "true",
        "id = (SELECT task_id FROM reservation WHERE id = NEW.reservation_id)",
    ),
    ("reservation_counts", "INSERT ON reservation", _LABELLED.format("NEW"), "id = NEW.task_id"),
    (
        "reservation_changes",
        "UPDATE ON reservation",
        f"{_LABELLED.format('OLD')} OR {_LABELLED.format('NEW')} OR OLD.excluded <> NEW.excluded",
        "id = NEW.task_id",
    ),
    ("reservation_counts_not", "DELETE ON reservation", _LABELLED.format("OLD"), "id = OLD.task_id"),
    ("settlement_changes", "INSERT ON settlement", "true", "id = NEW.task_id"),
    ("wantedlabels_changes", "INSERT ON wantedlabels", "true", "id = NEW.task_id"),
    ("exclusion_changes", "INSERT ON exclusion", "true", _OF_PERSON.format("NEW.id")),
    ("reinstatement_changes", "INSERT ON reinstatement", "true", _OF_PERSON.format("NEW.exclusion_id")),
    (
        "campaignversion_changes",
        "INSERT ON campaignversion",
        "true",
        "id IN (SELECT task_id FROM taskcounts WHERE campaign_id = NEW.campaign_id) AND EXISTS (SELECT 1 FROM "
        "campaignversion WHERE campaign_id = NEW.campaign_id AND version = NEW.version - 1 AND questions <> NEW.questions)",
    ),
)


def mark_changes() -> None:
    """Make the triggers that mark; on SQLite a batch alteration of one of these tables drops them, and calls this again."""
    create_triggers((name, event, condition, _MARK.format(tasks)) for name, event, condition, tasks in _MARKING)


def mark_all(connection: Connection) -> None:
    """Delete all counts and mark every reserved task to be counted again."""
    for table in ("progresscount", "countedperson", "taskcounts"):
        connection.execute(text(f"DELETE FROM {table}"))
    connection.execute(
        text(
            "INSERT INTO taskcounts (task_id, campaign_id, stale) SELECT id, campaign_id, true FROM task WHERE id IN "
            "(SELECT task_id FROM reservation UNION SELECT task_id FROM settlement UNION SELECT task_id FROM wantedlabels)"
        )
    )
