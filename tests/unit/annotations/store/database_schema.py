"""The schema of a database as it is, to compare one that was made at once with one that migrations made."""

from __future__ import annotations

from sqlalchemy import Engine, Inspector, inspect, text

_QUERIES = {
    "sqlite": {
        "triggers": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
        # with the conditions of partial ones; those of constraints have no statement
        "indexes": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
        "without row ids": "SELECT name, '' FROM sqlite_master WHERE sql LIKE '%WITHOUT ROWID%'",
    },
    "postgresql": {
        "triggers": "SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal "
        "AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)",
        "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()",
    },
}


def schema(engine: Engine) -> dict[str, object]:
    """Tables with their columns and constraints, indexes and triggers with their definitions, and the version."""
    look = inspect(engine)
    tables = {
        table: (
            {
                column["name"]: (str(column["type"]), column["nullable"], column["default"])
                for column in look.get_columns(table)
            },
            constraints(look, table),
        )
        for table in look.get_table_names()
    }
    queries = _QUERIES[engine.dialect.name]
    with engine.connect() as connection:
        own = connection.execute(text("SELECT current_schema()")).scalar() if engine.dialect.name != "sqlite" else ""
        return {
            **tables,
            **{
                kind: {(name, sql.replace(f"{own}.", "")) for name, sql in connection.execute(text(query))}
                for kind, query in queries.items()
            },
            "version": connection.execute(text("SELECT version_num FROM alembic_version")).scalar(),
        }


def constraints(look: Inspector, table: str) -> dict[str | None, object]:
    made = {
        **{check["name"]: check["sqltext"] for check in look.get_check_constraints(table)},
        **{unique["name"]: unique["column_names"] for unique in look.get_unique_constraints(table)},
        **{key["name"]: (key["constrained_columns"], key["referred_table"]) for key in look.get_foreign_keys(table)},
        look.get_pk_constraint(table)["name"]: look.get_pk_constraint(table)["constrained_columns"],
    }
    assert all(made) or table == "alembic_version"
    return made
