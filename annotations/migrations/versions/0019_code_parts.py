"""The source files and libraries behind the hash of the code in a signature are kept beside the scores."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "codeparts",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_codeparts")),
    )
    protect("codeparts")
