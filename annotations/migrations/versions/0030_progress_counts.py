"""Figures of progress are counted as labels come; a task that changed is marked until it is counted again."""

import sqlalchemy as sa
from alembic import op

from annotations.store.trigger_counts import mark_all, mark_changes

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "taskcounts",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("stale", sa.Boolean(), nullable=False),
        sa.Column("labels", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("wanted", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("disputed", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("counted", sa.JSON(), nullable=False, server_default="[]"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_taskcounts_task_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_taskcounts_campaign_id")),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_taskcounts")),
    )
    _index("ix_taskcounts_stale", ["campaign_id", "task_id"], "stale")
    _index("ix_taskcounts_disputed", ["campaign_id"], "disputed")
    op.create_table(
        "countedperson",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_countedperson_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_countedperson_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_countedperson")),
        sa.UniqueConstraint("campaign_id", "person_id", name=op.f("uq_countedperson_campaign_id_person_id")),
    )
    op.create_table(
        "progresscount",
        sa.Column("counted_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Integer(), nullable=False),
        sa.Column("bucket", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["counted_id"], ["countedperson.id"], name=op.f("fk_progresscount_counted_id")),
        sa.PrimaryKeyConstraint("counted_id", "kind", "bucket", name=op.f("pk_progresscount")),
        sqlite_with_rowid=False,
    )
    is_open = sa.text("state = 'open'")
    op.create_index(
        "ix_reservation_own_open",
        "reservation",
        ["person_id", "campaign_id"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    mark_all(op.get_bind())
    mark_changes()


def _index(name: str, columns: list[str], column: str) -> None:
    op.create_index(
        name, "taskcounts", columns, sqlite_where=sa.text(f"{column} = 1"), postgresql_where=sa.text(column)
    )
