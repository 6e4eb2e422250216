"""The number of labels that an item wants, where it adapts to how sure its answer is."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "wantedlabels",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("labels", sa.Integer(), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("labels >= 1", name=op.f("ck_wantedlabels_labels")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_wantedlabels_task_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wantedlabels")),
    )
    op.create_index(op.f("ix_wantedlabels_task_id"), "wantedlabels", ["task_id"], unique=False)
    protect("wantedlabels")
