"""Participants of a crowd platform label a campaign, each in one session."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "crowdstudy",
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("completed_code", sa.String(), nullable=False),
        sa.Column("screened_out_code", sa.String(), nullable=False),
        sa.Column("paused_code", sa.String(), nullable=False),
        sa.Column("pay", sa.Float(), nullable=False),
        sa.Column("screened_out_pay", sa.Float(), nullable=False),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("platform IN ('prolific', 'mturk')", name=op.f("ck_crowdstudy_platform")),
        sa.CheckConstraint("places >= 1 AND minutes >= 1", name=op.f("ck_crowdstudy_limits")),
        sa.CheckConstraint("pay >= 0 AND screened_out_pay >= 0", name=op.f("ck_crowdstudy_pay")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_crowdstudy_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_crowdstudy")),
        sa.UniqueConstraint("key", name=op.f("uq_crowdstudy_key")),
    )
    op.create_table(
        "crowdsession",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("participant", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("submission", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('open', 'completed', 'screened out', 'paused', 'returned')",
            name=op.f("ck_crowdsession_outcome"),
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_crowdsession_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_crowdsession_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crowdsession")),
        sa.UniqueConstraint("campaign_id", "participant", name=op.f("uq_crowdsession_campaign_id_participant")),
    )
    op.create_index(op.f("ix_crowdsession_person_id"), "crowdsession", ["person_id"], unique=False)
