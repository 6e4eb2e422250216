"""Imported datasets: their files, and what each file says of each sample."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_datasets()
    create_samples()
    for table in ("dataset", "datasetfile", "sample"):
        protect(table)


def create_datasets() -> None:
    op.create_table(
        "dataset",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dataset"),
        sa.UniqueConstraint("name", name="uq_dataset_name"),
    )
    op.create_table(
        "datasetfile",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("dataset_id", sa.String(), nullable=False),
        sa.Column("importer", sa.String(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("licence", sa.String(), nullable=False),
        sa.Column("release", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("counts", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name="fk_datasetfile_dataset_id"),
        sa.PrimaryKeyConstraint("id", name="pk_datasetfile"),
        sa.UniqueConstraint("dataset_id", "importer", "sha256", name="uq_datasetfile_dataset_id_importer_sha256"),
    )
    op.create_index("ix_datasetfile_created_at", "datasetfile", ["created_at"])


def create_samples() -> None:
    op.create_table(
        "sample",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("dataset_id", sa.String(), nullable=False),
        sa.Column("file_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("group", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=True),
        sa.Column("item_id", sa.String(), nullable=True),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("facts", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name="fk_sample_dataset_id"),
        sa.ForeignKeyConstraint(["file_id"], ["datasetfile.id"], name="fk_sample_file_id"),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_sample_document_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_sample_item_id"),
        sa.PrimaryKeyConstraint("number", name="pk_sample"),
        sa.UniqueConstraint("id", name="uq_sample_id"),
    )
    op.create_index("ix_sample_dataset_id_key", "sample", ["dataset_id", "key"])
    op.create_index("ix_sample_item_id", "sample", ["item_id"])
