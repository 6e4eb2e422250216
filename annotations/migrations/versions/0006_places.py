"""The places of a task are counted from an index alone: this happens for every candidate of every queue."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_reservation_places", "reservation", ["task_id", "turn", "state", "expires_at"], unique=False)
    op.drop_index(op.f("ix_reservation_task_id"), "reservation")
