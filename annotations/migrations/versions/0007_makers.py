"""Find what a person made by an index: nobody is handed that, and every task that is handed out asks for it."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_origin_by_item_id", "origin", ["by", "item_id"], unique=False)
    op.create_index("ix_explanation_by_id", "explanation", ["by", "id"], unique=False)
