"""Datasets have versions; what an older database holds of each is its version 1."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_versions()
    create_version_files()
    create_tags()
    # the same bytes may be read in another way, which is another file of the dataset
    with op.batch_alter_table("datasetfile") as files:
        files.drop_constraint("uq_datasetfile_dataset_id_importer_sha256", type_="unique")
    op.add_column("sample", sa.Column("joined_file_id", sa.String()))
    add_first_versions()
    for table in ("datasetversion", "versionfile", "versiontag", "datasetfile"):
        protect(table)


def create_versions() -> None:
    op.create_table(
        "datasetversion",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("dataset_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("samples", sa.Integer(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("number >= 1", name=op.f("ck_datasetversion_number")),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name="fk_datasetversion_dataset_id"),
        sa.PrimaryKeyConstraint("id", name="pk_datasetversion"),
        sa.UniqueConstraint("dataset_id", "number", name="uq_datasetversion_dataset_id_number"),
    )


def create_version_files() -> None:
    op.create_table(
        "versionfile",
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("file_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["datasetversion.id"], name="fk_versionfile_version_id"),
        sa.ForeignKeyConstraint(["file_id"], ["datasetfile.id"], name="fk_versionfile_file_id"),
        sa.PrimaryKeyConstraint("version_id", "file_id", name="pk_versionfile"),
    )


def create_tags() -> None:
    op.create_table(
        "versiontag",
        sa.Column("dataset_id", sa.String(), nullable=False),
        sa.Column("tag", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name="fk_versiontag_dataset_id"),
        sa.PrimaryKeyConstraint("dataset_id", "tag", name="pk_versiontag"),
    )


def add_first_versions() -> None:
    """Version 1 of each dataset, with all of its files; its id is that of the dataset with a number behind."""
    op.execute(
        'INSERT INTO datasetversion (id, dataset_id, number, samples, content, "by", created_at) '
        "SELECT dataset.id || '-1', dataset.id, 1, "
        "(SELECT COUNT(DISTINCT sample.key) FROM sample WHERE sample.dataset_id = dataset.id), '', "
        '(SELECT f."by" FROM datasetfile f WHERE f.dataset_id = dataset.id ORDER BY f.created_at DESC LIMIT 1), '
        "(SELECT f.created_at FROM datasetfile f WHERE f.dataset_id = dataset.id ORDER BY f.created_at DESC LIMIT 1) "
        "FROM dataset WHERE EXISTS (SELECT 1 FROM datasetfile f WHERE f.dataset_id = dataset.id)"
    )
    op.execute("INSERT INTO versionfile (version_id, file_id) SELECT dataset_id || '-1', id FROM datasetfile")
