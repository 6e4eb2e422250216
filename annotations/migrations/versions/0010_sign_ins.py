"""Browsers that are signed in have a session of their own, instead of the code of their link."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "signin",
        sa.Column("id_hash", sa.String(), nullable=False),
        sa.Column("invite_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["invite_id"], ["invite.id"], name=op.f("fk_signin_invite_id")),
        sa.PrimaryKeyConstraint("id_hash", name=op.f("pk_signin")),
    )
    op.create_index(op.f("ix_signin_invite_id"), "signin", ["invite_id"], unique=False)
    op.create_index(op.f("ix_signin_expires_at"), "signin", ["expires_at"], unique=False)
