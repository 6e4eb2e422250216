"""Answers filled in for annotators, and how much help each label was given with."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("response", sa.Column("mode", sa.String(), nullable=False, server_default="unaided"))
    op.create_table(
        "suggestion",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_suggestion_task_id")),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_suggestion")),
    )
    protect("suggestion")
