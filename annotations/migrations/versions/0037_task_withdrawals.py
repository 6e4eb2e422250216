"""An item is withdrawn with a reason, for another version of its texts or for none, and may come back."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "taskwithdrawal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("replaced_by", sa.String(), nullable=True),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_taskwithdrawal_task_id")),
        sa.ForeignKeyConstraint(["replaced_by"], ["task.id"], name=op.f("fk_taskwithdrawal_replaced_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_taskwithdrawal")),
    )
    op.create_index(op.f("ix_taskwithdrawal_task_id"), "taskwithdrawal", ["task_id"], unique=False)
    protect("taskwithdrawal")
