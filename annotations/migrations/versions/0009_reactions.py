"""A kept pair keeps how the metrics reacted to its edit, in words."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("origin", sa.Column("reaction", sa.String(), nullable=False, server_default=""))
