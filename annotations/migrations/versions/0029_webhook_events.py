"""A webhook is sent events of people and items too, where its campaign chose them."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("webhook", sa.Column("kinds", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("webhook", sa.Column("sent_until", sa.DateTime(timezone=True), nullable=True))
    op.add_column("webhook", sa.Column("events_attempts", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("webhook", sa.Column("events_next_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("webhook", sa.Column("events_problem", sa.String(), nullable=False, server_default=""))
