"""A task keeps the columns of the table that it came from."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("task", sa.Column("columns", sa.JSON(), nullable=False, server_default="{}"))
