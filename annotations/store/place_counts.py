"""Places of each task of work that are taken, counted by triggers of the database, so that a free one is found without counting all."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Connection, text

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
    postgres = op.get_bind().dialect.name == "postgresql"
    for name, event, condition, change in _TRIGGERS:
        statement = change.format(add="UPDATE taskplaces SET taken = taken")
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


def recount_places(connection: Connection) -> None:
    """Count the places of every task from the reservations, where triggers did not see how these came."""
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
