"""The tables. All but a few only ever grow: triggers made by the migrations refuse UPDATE and DELETE."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, DateTime, Dialect, Index, MetaData, TypeDecorator, UniqueConstraint, text
from sqlmodel import Field, SQLModel

CONSTRAINT_NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}

COUNTED = frozenset({"taskplaces", "taskcounts", "countedperson", "progresscount", "persontasks", "limitcounts"})
"""Tables that are counted from the others."""
CHANGEABLE = COUNTED | {
    *("draft", "reservation", "signin", "assignment", "groupmember", "apitoken", "webhook"),
    *("crowdstudy", "crowdsession"),
}
"""Tables whose rows may be changed and deleted."""
NEVER_DELETED = frozenset({"person"})
"""Tables whose rows may be changed."""


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, kept in UTC; SQLite forgets the zone, so it is put back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  # signature
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  # signature
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Table(SQLModel):
    """The base of all tables; SQLModel does not validate tables, so `records` does before they are made."""

    metadata = MetaData(naming_convention=CONSTRAINT_NAMES)


def rows_where(condition: str) -> dict[str, Any]:
    """Options of an index of the rows alone for which a condition holds."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


def rows_that_are(column: str) -> dict[str, Any]:
    """Options of an index of the rows alone in which a boolean column is true, as each database compares it."""
    return {"sqlite_where": text(f"{column} = 1"), "postgresql_where": text(column)}


class Document(Table, table=True):
    """A source text; `id` is its hash, with that of its contexts and question where it has any.

    `contexts` are name, start and end of each; `question` is what its summaries answer.
    """

    id: str = Field(primary_key=True)
    text: str
    contexts: list[Any] = Field(sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    question: str = Field(sa_column_kwargs={"server_default": ""})
    created_at: datetime = Field(sa_type=UtcDateTime)


class Item(Table, table=True):
    """A summary of a document, as it is read by people; `id` is the hash of its content.

    An edited summary names its parent. Its author and intended verdict are in `origin`, which labelling never reads.
    """

    id: str = Field(primary_key=True)
    document_id: str = Field(foreign_key="document.id", index=True)
    parent_id: str | None = Field(foreign_key="item.id", index=True)
    text: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class EditRow(Table, table=True):
    """One executable edit; offsets are code points of the parent's text."""

    __tablename__ = "edit"

    item_id: str = Field(foreign_key="item.id", primary_key=True)
    position: int = Field(primary_key=True)
    start: int
    end: int
    original_text: str
    replace_text: str
    explanation: str
    by: str


class Origin(Table, table=True):
    """Origin of an item, one of perhaps several: who kept it, from where, what it was meant to be, and how the metrics reacted."""

    __table_args__ = (Index("ix_origin_by_item_id", "by", "item_id"),)

    id: str = Field(primary_key=True)
    item_id: str = Field(foreign_key="item.id", index=True)
    by: str
    intended: str | None
    error_type: str | None
    title: str
    domain: str
    source: str
    reaction: str = Field(sa_column_kwargs={"server_default": ""})
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class ScoreRow(Table, table=True):
    """The score of a metric for an item, once per signature; a failure has its reason and no value."""

    __tablename__ = "score"
    __table_args__ = (
        UniqueConstraint("item_id", "signature"),
        CheckConstraint(
            "(status = 'ok' AND value IS NOT NULL AND error IS NULL AND error_kind IS NULL)"
            " OR (status = 'failed' AND value IS NULL AND error IS NOT NULL AND error_kind IS NOT NULL)",
            name="status",
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    item_id: str = Field(foreign_key="item.id")
    metric: str
    signature: str
    status: str
    value: float | None = None
    error: str | None = None
    error_kind: str | None = None
    parts: list[Any] = Field(default_factory=list, sa_type=JSON)
    seen: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    seconds: float | None = None
    device: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)


class CodeParts(Table, table=True):
    """The definitions and libraries behind the hash of the code in signatures of scores and audits, by name; see `core.base.code_version`."""

    hash: str = Field(primary_key=True)
    parts: dict[str, str] = Field(sa_type=JSON)
    created_at: datetime = Field(sa_type=UtcDateTime)


class Label(Table, table=True):
    """A label of an item by one person; a changed label is the next revision."""

    __table_args__ = (
        UniqueConstraint("item_id", "annotator", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("verdict IN ('consistent', 'inconsistent', 'borderline')", name="verdict"),
        CheckConstraint("confidence BETWEEN 1 AND 5", name="confidence"),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: int | None = Field(default=None, primary_key=True)
    item_id: str = Field(foreign_key="item.id")
    annotator: str = Field(index=True)
    revision: int
    verdict: str
    confidence: int | None
    error_type: str | None
    note: str
    blind: bool
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class EditJudgement(Table, table=True):
    """The four questions of SummExecEdit in order; a later one is asked only where the one before was passed."""

    __table_args__ = (
        UniqueConstraint("item_id", "annotator", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("interesting IS NULL OR inconsistent IS TRUE", name="interesting"),
        CheckConstraint("controlled IS NULL OR interesting IS TRUE", name="controlled"),
        CheckConstraint("explanation_good IS NULL OR controlled IS TRUE", name="explanation_good"),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: int | None = Field(default=None, primary_key=True)
    item_id: str = Field(foreign_key="item.id")
    annotator: str = Field(index=True)
    revision: int
    inconsistent: bool
    interesting: bool | None
    controlled: bool | None
    explanation_good: bool | None
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Explanation(Table, table=True):
    """Reason why an item is or is not consistent, in the words of `by`, a person or a model; `id` is its hash."""

    __table_args__ = (Index("ix_explanation_by_id", "by", "id"),)

    id: str = Field(primary_key=True)
    item_id: str = Field(foreign_key="item.id", index=True)
    text: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class ExplanationJudgement(Table, table=True):
    """Judgement of an explanation by a person: if it is right, and if not entirely, its flaw.

    `wording` is the version of what the causes meant to that person, see `FLAW_MEANINGS`.
    """

    __table_args__ = (
        UniqueConstraint("explanation_id", "annotator", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("grade IN ('entirely', 'partially', 'not')", name="grade"),
        CheckConstraint("cause IN ('misattribution', 'additional unrelated', 'completeness', 'vague')", name="cause"),
        CheckConstraint("cause IS NULL OR grade <> 'entirely'", name="cause_of_what"),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: int | None = Field(default=None, primary_key=True)
    explanation_id: str = Field(foreign_key="explanation.id")
    annotator: str = Field(index=True)
    revision: int
    grade: str
    cause: str | None
    wording: int = Field(sa_column_kwargs={"server_default": "1"})
    note: str
    event_id: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Run(Table, table=True):
    """A stress run: what it was to do, as JSON."""

    __table_args__ = (UniqueConstraint("name"),)

    id: str = Field(primary_key=True)
    name: str
    owner: str
    plan: str
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class RunLine(Table, table=True):
    """One thing that a stress run found, as JSON; their order is that of their numbers."""

    id: int | None = Field(default=None, primary_key=True)
    run_id: str = Field(foreign_key="run.id", index=True)
    line: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class AuditRow(Table, table=True):
    """A finished audit of one metric: `report` is the whole of it as JSON, without the texts of pairs; the rest finds it."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_metric_data", "metric", "data"),)

    id: int | None = Field(default=None, primary_key=True)
    metric: str
    signature: str
    data: str
    data_sha256: str
    version: str
    report: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class ThresholdRow(Table, table=True):
    """A threshold under its name: `record` is what `threshold -o` writes, the rest finds it."""

    __tablename__ = "threshold"

    name: str = Field(primary_key=True)
    metric: str
    record: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Dataset(Table, table=True):
    """A name under which files of samples were imported; `id` is its hash."""

    __table_args__ = (UniqueConstraint("name"),)

    id: str = Field(primary_key=True)
    name: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class DatasetFile(Table, table=True):
    """Origin of samples: the file, its SHA-256, the importer that read it, its licence and its content, as JSON."""

    __table_args__ = (UniqueConstraint("dataset_id", "importer", "sha256"),)

    id: str = Field(primary_key=True)
    dataset_id: str = Field(foreign_key="dataset.id")
    importer: str
    file: str
    sha256: str
    licence: str
    release: str
    by: str
    counts: str
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class SampleRow(Table, table=True):
    """Facts of one file about one sample of a dataset; `id` is their hash. Rows of the same key add up, newer ones win.

    `item_id` is there where both texts are known. `summary` is kept here only while its document is missing. `facts` is
    the rest of the item as JSON.
    """

    __tablename__ = "sample"
    __table_args__ = (UniqueConstraint("id"), Index("ix_sample_dataset_id_key", "dataset_id", "key"))

    number: int | None = Field(default=None, primary_key=True)
    id: str
    dataset_id: str = Field(foreign_key="dataset.id")
    file_id: str = Field(foreign_key="datasetfile.id")
    key: str
    group: str
    document_id: str | None = Field(foreign_key="document.id")
    item_id: str | None = Field(foreign_key="item.id", index=True)
    summary: str
    facts: str


class Draft(Table, table=True):
    """Work in progress, overwritten as it goes on and forgotten after a month."""

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    payload: str
    updated_at: datetime = Field(sa_type=UtcDateTime, index=True)
