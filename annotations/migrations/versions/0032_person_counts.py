"""Tasks of each person, and what limits look at, are counted as labels come."""

import sqlalchemy as sa
from alembic import op

from annotations.store.trigger_counts import count_people, recount_people

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _table("persontasks", [sa.Column(name, sa.Integer(), nullable=False) for name in _OF_TASKS])
    _table(
        "limitcounts",
        [
            *(sa.Column(name, sa.Integer(), nullable=False) for name in _OF_LIMITS),
            sa.Column("answers", sa.JSON(), nullable=False),
        ],
    )
    recount_people(op.get_bind())
    count_people()


_OF_TASKS = ("answered", "finished", "had", "version")
_OF_LIMITS = ("version", "resumed", "gold", "right", "repeated", "same", "read", "first")


def _table(name: str, columns: list[sa.Column[int]]) -> None:
    op.create_table(
        name,
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        *columns,
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f(f"fk_{name}_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f(f"fk_{name}_person_id")),
        sa.PrimaryKeyConstraint("campaign_id", "person_id", name=op.f(f"pk_{name}")),
    )
