"""The origin of the label of a task, and the agreement of people on it, are counted with the task."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("taskcounts", sa.Column("provenance", sa.String()))
    op.add_column("taskcounts", sa.Column("agreement", sa.Float(), nullable=False, server_default="1"))
    op.create_index("ix_taskcounts_cases", "taskcounts", ["campaign_id", "provenance", "agreement", "task_id"])
    op.execute("UPDATE taskcounts SET stale = true")
