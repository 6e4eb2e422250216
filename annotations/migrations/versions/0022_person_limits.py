"""People are warned and paused by limits of a campaign, and labels are left out with a reason."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "limitevent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("signal", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("act IN ('warn', 'pause', 'resume')", name=op.f("ck_limitevent_act")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_limitevent_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_limitevent_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_limitevent")),
    )
    op.create_index("ix_limitevent_campaign_id_person_id", "limitevent", ["campaign_id", "person_id"], unique=False)
    protect("limitevent")
    op.create_table(
        "exclusion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("day", sa.Date(), nullable=True),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_exclusion_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_exclusion_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exclusion")),
        sa.UniqueConstraint("event_id", name=op.f("uq_exclusion_event_id")),
    )
    op.create_index("ix_exclusion_campaign_id", "exclusion", ["campaign_id"], unique=False)
    protect("exclusion")
    op.create_table(
        "reinstatement",
        sa.Column("exclusion_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["exclusion_id"], ["exclusion.id"], name=op.f("fk_reinstatement_exclusion_id")),
        sa.PrimaryKeyConstraint("exclusion_id", name=op.f("pk_reinstatement")),
    )
    protect("reinstatement")
    op.add_column("reservation", sa.Column("excluded", sa.Boolean(), nullable=False, server_default=sa.false()))
