"""Finished audits are kept, so that a metric's figures can be followed over time."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.Column("data", sa.String(), nullable=False),
        sa.Column("data_sha256", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("report", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_metric_data", "audit", ["metric", "data"], unique=False)
    protect("audit")
