"""People who saw scores of a summary on Probe are noted, and are not asked for an unaided label of it."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "scoreview",
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_scoreview_person_id")),
        sa.PrimaryKeyConstraint("item_id", "person_id", name=op.f("pk_scoreview")),
    )
    protect("scoreview")
