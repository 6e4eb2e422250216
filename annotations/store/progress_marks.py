"""Tasks whose labels or decisions changed since they were counted, marked by database triggers after any kind of write."""

from __future__ import annotations

from sqlalchemy import Connection, text

from annotations.store.triggers import create_triggers

_COUNTS = "{0}.state IN ('answered', 'skipped', 'flagged')"
_MARK = (
    "INSERT INTO taskcounts (task_id, campaign_id, stale) SELECT id, campaign_id, true FROM task WHERE {0} "
    "ON CONFLICT (task_id) DO UPDATE SET stale = true WHERE NOT taskcounts.stale"
)
_OF_PERSON = (
    "id IN (SELECT task_id FROM reservation JOIN exclusion ON exclusion.campaign_id = reservation.campaign_id "
    "AND exclusion.person_id = reservation.person_id WHERE exclusion.id = {0})"
)

# name, event, condition, and the tasks that are marked
_TRIGGERS = (
    (
        "response_changes",
        "INSERT ON response",
        "true",
        "id = (SELECT task_id FROM reservation WHERE id = NEW.reservation_id)",
    ),
    ("reservation_counts", "INSERT ON reservation", _COUNTS.format("NEW"), "id = NEW.task_id"),
    (
        "reservation_changes",
        "UPDATE ON reservation",
        f"{_COUNTS.format('OLD')} OR {_COUNTS.format('NEW')} OR OLD.excluded <> NEW.excluded",
        "id = NEW.task_id",
    ),
    ("reservation_counts_not", "DELETE ON reservation", _COUNTS.format("OLD"), "id = OLD.task_id"),
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
    create_triggers((name, event, condition, _MARK.format(tasks)) for name, event, condition, tasks in _TRIGGERS)


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
