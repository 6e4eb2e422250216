"""Stress runs: a plan, and lines that are only added to it."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("plan", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint("name", name="uq_run_name"),
    )
    op.create_index("ix_run_created_at", "run", ["created_at"])
    op.create_table(
        "runline",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_runline_run_id"),
        sa.PrimaryKeyConstraint("id", name="pk_runline"),
    )
    op.create_index("ix_runline_run_id", "runline", ["run_id"])
    for table in ("run", "runline"):
        protect(table)
