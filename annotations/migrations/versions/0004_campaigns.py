"""Campaigns: people and their invites, what is asked of whom, and what they answered."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("name", name=op.f("uq_campaign_name")),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("pseudonym", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "role IN ('manager', 'researcher', 'adjudicator', 'annotator')", name=op.f("ck_person_role")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("name", name=op.f("uq_person_name")),
        sa.UniqueConstraint("pseudonym", name=op.f("uq_person_pseudonym")),
    )
    op.create_table(
        "campaignversion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("guidelines", sa.String(), nullable=False),
        sa.Column("questions", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("version >= 1", name=op.f("ck_campaignversion_version")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_campaignversion_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaignversion")),
        sa.UniqueConstraint("campaign_id", "version", name=op.f("uq_campaignversion_campaign_id_version")),
    )
    op.create_table(
        "invite",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_invite_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invite")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_invite_code_hash")),
    )
    op.create_index(op.f("ix_invite_person_id"), "invite", ["person_id"], unique=False)
    op.create_table(
        "revocation",
        sa.Column("invite_id", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["invite_id"], ["invite.id"], name=op.f("fk_revocation_invite_id")),
        sa.PrimaryKeyConstraint("invite_id", name=op.f("pk_revocation")),
    )
    op.create_table(
        "task",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("part", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("explanation_id", sa.String(), nullable=False),
        sa.Column("asked_key", sa.String(), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("group", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("shuffle", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("part IN ('training', 'qualification', 'work', 'gold')", name=op.f("ck_task_part")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_task_campaign_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_task_item_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task")),
        sa.UniqueConstraint(
            "campaign_id",
            "part",
            "item_id",
            "explanation_id",
            "asked_key",
            name=op.f("uq_task_campaign_id_part_item_id_explanation_id_asked_key"),
        ),
    )
    op.create_index("ix_task_campaign_id_part", "task", ["campaign_id", "part"], unique=False)
    op.create_table(
        "reservation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("swapped", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reserved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('open', 'answered', 'skipped', 'flagged', 'late', 'lapsed')", name=op.f("ck_reservation_state")
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_reservation_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_reservation_person_id")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_reservation_task_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reservation")),
        sa.UniqueConstraint(
            "person_id", "campaign_id", "number", name=op.f("uq_reservation_person_id_campaign_id_number")
        ),
        sa.UniqueConstraint("task_id", "person_id", "turn", name=op.f("uq_reservation_task_id_person_id_turn")),
    )
    op.create_index(op.f("ix_reservation_task_id"), "reservation", ["task_id"], unique=False)
    op.create_table(
        "settlement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("settles", sa.JSON(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "cause IN ('annotator slip', 'ambiguous text', 'guideline gap', 'real edge case')",
            name=op.f("ck_settlement_cause"),
        ),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_settlement_revision")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_settlement_task_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_settlement")),
        sa.UniqueConstraint("event_id", name=op.f("uq_settlement_event_id")),
        sa.UniqueConstraint("task_id", "revision", name=op.f("uq_settlement_task_id_revision")),
    )
    op.create_table(
        "taskkey",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("feedback", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_taskkey_task_id")),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_taskkey")),
    )
    op.create_table(
        "response",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reservation_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("swapped", sa.Boolean(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=False),
        sa.Column("wall_ms", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("act IN ('answer', 'skip', 'flag', 'undo')", name=op.f("ck_response_act")),
        sa.CheckConstraint("active_ms >= 0 AND wall_ms >= 0", name=op.f("ck_response_times")),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_response_revision")),
        sa.ForeignKeyConstraint(["reservation_id"], ["reservation.id"], name=op.f("fk_response_reservation_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_response")),
        sa.UniqueConstraint("event_id", name=op.f("uq_response_event_id")),
        sa.UniqueConstraint("reservation_id", "revision", name=op.f("uq_response_reservation_id_revision")),
    )
    op.create_index(op.f("ix_response_created_at"), "response", ["created_at"], unique=False)
    for table in (
        *("person", "invite", "revocation", "campaign", "campaignversion"),
        *("task", "taskkey", "response", "settlement"),
    ):
        protect(table)
