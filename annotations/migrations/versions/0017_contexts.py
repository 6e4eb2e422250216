"""A document keeps its named contexts and the question that its summaries answer."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document", sa.Column("contexts", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("document", sa.Column("question", sa.String(), nullable=False, server_default=""))
