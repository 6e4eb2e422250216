"""Programs may write with a token that allows it, and a request that is sent again gets its first answer."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("apitoken") as table:
        table.add_column(sa.Column("writes", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "apirequest",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("request_hash", sa.String(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["apitoken.id"], name=op.f("fk_apirequest_token_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_apirequest")),
        sa.UniqueConstraint("token_id", "key", name=op.f("uq_apirequest_token_id_key")),
    )
    protect("apirequest")
