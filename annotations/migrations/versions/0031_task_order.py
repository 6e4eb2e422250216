"""The first item of a part that a person has not had is found in the order of an index."""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_task_in_order", "task", ["campaign_id", "part", "position"])
    op.drop_index("ix_task_campaign_id_part", "task")
