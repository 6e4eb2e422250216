"""Results are pinned onto reports."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pin",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["person.id"], name=op.f("fk_pin_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pin")),
    )
    op.create_index(op.f("ix_pin_owner_id"), "pin", ["owner_id"], unique=False)
    protect("pin")
    op.create_table(
        "reportrevision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_reportrevision_revision")),
        sa.ForeignKeyConstraint(["owner_id"], ["person.id"], name=op.f("fk_reportrevision_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reportrevision")),
        sa.UniqueConstraint("report_id", "revision", name=op.f("uq_reportrevision_report_id_revision")),
    )
    op.create_index(op.f("ix_reportrevision_owner_id"), "reportrevision", ["owner_id"], unique=False)
    protect("reportrevision")
