"""People comment on items, and managers resolve flags."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "comment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.String(), nullable=True),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role IN ('annotator', 'adjudicator', 'manager')", name=op.f("ck_comment_role")),
        sa.CheckConstraint("role <> 'annotator' OR annotator_id IS NOT NULL", name=op.f("ck_comment_conversation")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_comment_campaign_id")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_comment_task_id")),
        sa.ForeignKeyConstraint(["annotator_id"], ["person.id"], name=op.f("fk_comment_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
        sa.UniqueConstraint("event_id", name=op.f("uq_comment_event_id")),
    )
    op.create_index("ix_comment_campaign_id_annotator_id", "comment", ["campaign_id", "annotator_id"], unique=False)
    protect("comment")
    op.create_table(
        "flagresolution",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("response_id", sa.Integer(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["response_id"], ["response.id"], name=op.f("fk_flagresolution_response_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flagresolution")),
        sa.UniqueConstraint("response_id", name=op.f("uq_flagresolution_response_id")),
        sa.UniqueConstraint("event_id", name=op.f("uq_flagresolution_event_id")),
    )
    protect("flagresolution")
