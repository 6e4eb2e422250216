"""The first tables."""

import sqlalchemy as sa
from alembic import op

from annotations.store.migrate import protect

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

APPEND_ONLY = (
    "document",
    "item",
    "edit",
    "origin",
    "score",
    "label",
    "editjudgement",
    "explanation",
    "explanationjudgement",
)


def upgrade() -> None:
    create_texts()
    create_scores()
    create_judgements()
    create_drafts()
    for table in APPEND_ONLY:
        protect(table)


def create_texts() -> None:
    op.create_table(
        "document",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
    )
    op.create_table(
        "item",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("parent_id", sa.String(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_item_document_id"),
        sa.ForeignKeyConstraint(["parent_id"], ["item.id"], name="fk_item_parent_id"),
        sa.PrimaryKeyConstraint("id", name="pk_item"),
    )
    op.create_index("ix_item_document_id", "item", ["document_id"])
    op.create_index("ix_item_parent_id", "item", ["parent_id"])
    op.create_table(
        "edit",
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("original_text", sa.String(), nullable=False),
        sa.Column("replace_text", sa.String(), nullable=False),
        sa.Column("explanation", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_edit_item_id"),
        sa.PrimaryKeyConstraint("item_id", "position", name="pk_edit"),
    )
    op.create_table(
        "origin",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("intended", sa.String(), nullable=True),
        sa.Column("error_type", sa.String(), nullable=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("domain", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_origin_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_origin"),
    )
    op.create_index("ix_origin_created_at", "origin", ["created_at"])
    op.create_index("ix_origin_item_id", "origin", ["item_id"])


def create_scores() -> None:
    op.create_table(
        "score",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("error_kind", sa.String(), nullable=True),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("seen", sa.JSON(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "(status = 'ok' AND value IS NOT NULL AND error IS NULL AND error_kind IS NULL) OR (status = 'failed' AND value IS NULL AND error IS NOT NULL AND error_kind IS NOT NULL)",
            name=op.f("ck_score_status"),
        ),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_score_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_score"),
        sa.UniqueConstraint("item_id", "signature", name="uq_score_item_id_signature"),
    )


def create_judgements() -> None:
    op.create_table(
        "label",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("annotator", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("confidence", sa.Integer(), nullable=True),
        sa.Column("error_type", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("verdict IN ('consistent', 'inconsistent', 'borderline')", name=op.f("ck_label_verdict")),
        sa.CheckConstraint("confidence BETWEEN 1 AND 5", name=op.f("ck_label_confidence")),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_label_revision")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_label_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_label"),
        sa.UniqueConstraint("event_id", name="uq_label_event_id"),
        sa.UniqueConstraint("item_id", "annotator", "revision", name="uq_label_item_id_annotator_revision"),
    )
    op.create_index("ix_label_annotator", "label", ["annotator"])
    op.create_index("ix_label_created_at", "label", ["created_at"])
    op.create_table(
        "editjudgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("annotator", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("inconsistent", sa.Boolean(), nullable=False),
        sa.Column("interesting", sa.Boolean(), nullable=True),
        sa.Column("controlled", sa.Boolean(), nullable=True),
        sa.Column("explanation_good", sa.Boolean(), nullable=True),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("controlled IS NULL OR interesting IS TRUE", name=op.f("ck_editjudgement_controlled")),
        sa.CheckConstraint(
            "explanation_good IS NULL OR controlled IS TRUE", name=op.f("ck_editjudgement_explanation_good")
        ),
        sa.CheckConstraint("interesting IS NULL OR inconsistent IS TRUE", name=op.f("ck_editjudgement_interesting")),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_editjudgement_revision")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_editjudgement_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_editjudgement"),
        sa.UniqueConstraint("event_id", name="uq_editjudgement_event_id"),
        sa.UniqueConstraint("item_id", "annotator", "revision", name="uq_editjudgement_item_id_annotator_revision"),
    )
    op.create_index("ix_editjudgement_annotator", "editjudgement", ["annotator"])
    op.create_table(
        "explanation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_explanation_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_explanation"),
    )
    op.create_index("ix_explanation_item_id", "explanation", ["item_id"])
    op.create_table(
        "explanationjudgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("explanation_id", sa.String(), nullable=False),
        sa.Column("annotator", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("grade", sa.String(), nullable=False),
        sa.Column("cause", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "cause IN ('misattribution', 'additional unrelated', 'completeness', 'vague')",
            name=op.f("ck_explanationjudgement_cause"),
        ),
        sa.CheckConstraint("cause IS NULL OR grade <> 'entirely'", name=op.f("ck_explanationjudgement_cause_of_what")),
        sa.CheckConstraint("grade IN ('entirely', 'partially', 'not')", name=op.f("ck_explanationjudgement_grade")),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_explanationjudgement_revision")),
        sa.ForeignKeyConstraint(["explanation_id"], ["explanation.id"], name="fk_explanationjudgement_explanation_id"),
        sa.PrimaryKeyConstraint("id", name="pk_explanationjudgement"),
        sa.UniqueConstraint("event_id", name="uq_explanationjudgement_event_id"),
        sa.UniqueConstraint(
            "explanation_id", "annotator", "revision", name="uq_explanationjudgement_explanation_id_annotator_revision"
        ),
    )
    op.create_index("ix_explanationjudgement_annotator", "explanationjudgement", ["annotator"])


def create_drafts() -> None:
    op.create_table(
        "draft",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("payload", sa.String(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_draft"),
    )
    op.create_index("ix_draft_owner", "draft", ["owner"])
    op.create_index("ix_draft_updated_at", "draft", ["updated_at"])
