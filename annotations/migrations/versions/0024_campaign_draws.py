"""Items of a campaign may come from a pool by a draw with known probabilities, which stops by itself."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "campaigndraw",
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("way", sa.String(), nullable=False),
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("next_arrival", sa.Float(), nullable=True),
        sa.Column("scores", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("way IN ('random', 'stratified', 'active')", name=op.f("ck_campaigndraw_way")),
        sa.CheckConstraint("size >= 1", name=op.f("ck_campaigndraw_size")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_campaigndraw_campaign_id")),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_campaigndraw")),
    )
    protect("campaigndraw")
    op.create_table(
        "drawntask",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("arrival", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_drawntask_task_id")),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_drawntask")),
    )
    protect("drawntask")
    op.create_table(
        "drawstop",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("labels", sa.Integer(), nullable=False),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("low <= high", name=op.f("ck_drawstop_interval")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_drawstop_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drawstop")),
    )
    op.create_index(op.f("ix_drawstop_campaign_id"), "drawstop", ["campaign_id"], unique=False)
    protect("drawstop")
