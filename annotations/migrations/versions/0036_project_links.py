"""A project is read by a link that ends on a day."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "projectlink",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("report_id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["person.id"], name=op.f("fk_projectlink_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projectlink")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_projectlink_token_hash")),
    )
    op.create_index(op.f("ix_projectlink_report_id"), "projectlink", ["report_id"], unique=False)
