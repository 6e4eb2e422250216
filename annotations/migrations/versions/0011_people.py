"""People change: their name, role and whether they may come in; they form groups, and campaigns are for some of them."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("person", sa.Column("active", sa.Boolean(), nullable=False, server_default=sa.true()))
    _allow_update("person")
    op.create_table(
        "personchange",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_personchange_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_personchange")),
    )
    op.create_index(op.f("ix_personchange_person_id"), "personchange", ["person_id"], unique=False)
    protect("personchange")
    op.create_table(
        "groupmember",
        sa.Column("group", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_groupmember_person_id")),
        sa.PrimaryKeyConstraint("group", "person_id", name=op.f("pk_groupmember")),
    )
    op.create_index(op.f("ix_groupmember_person_id"), "groupmember", ["person_id"], unique=False)
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=True),
        sa.Column("group", sa.String(), nullable=True),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint('(person_id IS NULL) <> ("group" IS NULL)', name=op.f("ck_assignment_whom")),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_assignment_campaign_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_assignment_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
    )
    op.create_index(op.f("ix_assignment_campaign_id"), "assignment", ["campaign_id"], unique=False)


def _allow_update(table: str) -> None:
    """A row may change and still not be deleted."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION touchstone_append_only()"
        )
        return
    op.execute(f"DROP TRIGGER {table}_refuses_update")
