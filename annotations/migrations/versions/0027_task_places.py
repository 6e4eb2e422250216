"""The places of each item that are taken are counted as they are taken."""

import sqlalchemy as sa
from alembic import op

from annotations.store.trigger_counts import count_places, recount_places

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "taskplaces",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("shuffle", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_taskplaces_task_id")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_taskplaces_campaign_id")),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_taskplaces")),
    )
    for name in ("shuffle", "position"):
        columns, further = ["campaign_id", "taken", name], sa.text("wanted > taken")
        op.create_index(f"ix_taskplaces_{name}", "taskplaces", columns)
        op.create_index(
            f"ix_taskplaces_wanted_{name}", "taskplaces", columns, sqlite_where=further, postgresql_where=further
        )
    is_open = sa.text("state = 'open'")
    op.create_index(
        "ix_reservation_open",
        "reservation",
        ["campaign_id", "expires_at"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    recount_places(op.get_bind())
    count_places()
