"""The error type that a curator finds in an edit that was written in a campaign."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TYPES = (
    "'Intrinsic Predicate', 'Extrinsic Predicate', 'Intrinsic Entity', 'Extrinsic Entity', "
    "'Intrinsic Circumstance', 'Extrinsic Circumstance', 'Coreference', 'Other'"
)


def upgrade() -> None:
    op.create_table(
        "correction",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("response_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("error_type", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_correction_revision")),
        sa.CheckConstraint(f"error_type IN ({TYPES})", name=op.f("ck_correction_error_type")),
        sa.ForeignKeyConstraint(["response_id"], ["response.id"], name=op.f("fk_correction_response_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_correction_item_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_correction")),
        sa.UniqueConstraint("event_id", name=op.f("uq_correction_event_id")),
        sa.UniqueConstraint("response_id", "revision", name=op.f("uq_correction_response_id_revision")),
    )
    op.create_index(op.f("ix_correction_item_id"), "correction", ["item_id"], unique=False)
    protect("correction")
