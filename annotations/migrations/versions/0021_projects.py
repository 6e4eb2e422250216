"""A report is that of a project, which has a question and lists the work on it."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("reportrevision", sa.Column("question", sa.String(), nullable=False, server_default=""))
    op.add_column("reportrevision", sa.Column("work", sa.JSON(), nullable=False, server_default="[]"))
