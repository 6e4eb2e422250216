"""Taken places of each task of work, counted by database triggers, so that finding a free one counts nothing."""

from __future__ import annotations

from sqlalchemy import Connection, text

from annotations.store.triggers import create_triggers

_COUNTS = "{0}.turn = 1 AND NOT {0}.excluded AND {0}.state IN ('open', 'answered')"
_OLD, _NEW = _COUNTS.format("OLD"), _COUNTS.format("NEW")

# name, event, condition, and what is done
_TRIGGERS = (
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
    create_triggers((name, event, condition, change.format(add=add)) for name, event, condition, change in _TRIGGERS)


def recount_places(connection: Connection) -> None:
    """Count the places of every task from the reservations, for rows from before the triggers."""
    connection.execute(text("DELETE FROM taskplaces"))
    connection.execute(
        text(
            "INSERT INTO taskplaces (task_id, campaign_id, taken, wanted, position, shuffle) "
            "SELECT id, campaign_id, "
            f"(SELECT count(*) FROM reservation WHERE task_id = task.id AND {_COUNTS.format('reservation')}), "
            "coalesce((SELECT labels FROM wantedlabels WHERE task_id = task.id ORDER BY id DESC LIMIT 1), 0), "
            "position, shuffle FROM task WHERE part = 'work'"
        )
    )
