"""Keep, with each judged explanation, the version of the wording that its cause was chosen by."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("explanationjudgement", sa.Column("wording", sa.Integer(), nullable=False, server_default="1"))
