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
    *("crowdstudy", "crowdsession", "projectlink"),
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


class StoreTable(SQLModel):
    """The base of all tables; SQLModel does not validate tables, so `records` does before they are made."""

    metadata = MetaData(naming_convention=CONSTRAINT_NAMES)


def rows_where(condition: str) -> dict[str, Any]:
    """Options of an index of the rows alone for which a condition holds."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


def rows_that_are(column: str) -> dict[str, Any]:
    """Options of an index of the rows alone in which a boolean column is true, as each database compares it."""
    return {"sqlite_where": text(f"{column} = 1"), "postgresql_where": text(column)}


class Document(StoreTable, table=True):
    """A source text; `id` is its hash, with that of its contexts and question where it has any.

    `contexts` are name, start and end of each; `question` is what its summaries answer.
    """

    id: str = Field(primary_key=True)
    text: str
    contexts: list[Any] = Field(sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    question: str = Field(sa_column_kwargs={"server_default": ""})
    created_at: datetime = Field(sa_type=UtcDateTime)


class ItemRow(StoreTable, table=True):
    """A summary of a document, as it is read by people; `id` is the hash of its content.

    An edited summary names its parent. Its author and intended verdict are in `origin`, which labelling never reads.
    """

    __tablename__ = "item"

    id: str = Field(primary_key=True)
    document_id: str = Field(foreign_key="document.id", index=True)
    parent_id: str | None = Field(foreign_key="item.id", index=True)
    text: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class EditRow(StoreTable, table=True):
    """One executable edit; offsets are code points of the parent's text."""

    __tablename__ = "edit"

    item_id: str = Field(foreign_key="item.id", primary_key=True)
    """Edited summary."""
    position: int = Field(primary_key=True)
    """Place among the edits of the summary, from 0."""
    start: int
    """First code point that is replaced."""
    end: int
    """Code point after the last that is replaced."""
    original_text: str
    """Text that is replaced; empty for an insertion."""
    replace_text: str
    """Text in its place; empty for a deletion."""
    explanation: str
    """Explanation of the edit; empty for none."""
    by: str
    """Name of its maker."""


class Origin(StoreTable, table=True):
    """Origin of an item, one of perhaps several."""

    __table_args__ = (Index("ix_origin_by_item_id", "by", "item_id"),)

    id: str = Field(primary_key=True)
    """Hash of the row."""
    item_id: str = Field(foreign_key="item.id", index=True)
    """Item that it is about."""
    by: str
    """Name of its maker."""
    intended: str | None
    """Verdict that the item is meant to have; None for none."""
    error_type: str | None
    """Error type of the edit; None for none."""
    title: str
    """Title for lists; empty for none."""
    domain: str
    """Domain of the text; empty for none."""
    source: str
    """Place that the item came from."""
    reaction: str = Field(sa_column_kwargs={"server_default": ""})
    """Reaction of the metrics to the edit, in words; empty for none."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """Time at which the item was saved."""


class ScoreRow(StoreTable, table=True):
    """The score of a metric for an item, once per signature."""

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
    """Number of the row; of the same metric the newest counts."""
    item_id: str = Field(foreign_key="item.id")
    """Item that was scored."""
    metric: str
    """Name of the metric with its settings."""
    signature: str
    """Signature of the score: all that it depends on."""
    status: str
    """ok, or failed."""
    value: float | None = None
    """Score; None for a failure."""
    error: str | None = None
    """Reason of a failure, as a sentence; None for a score."""
    error_kind: str | None = None
    """Class of the failure; None for a score."""
    parts: list[Any] = Field(default_factory=list, sa_type=JSON)
    """Scores of sentences; empty where the metric gives none."""
    seen: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """Parts of the text that the metric read, with the number of tokens and notes."""
    seconds: float | None = None
    """Time that the score took; None where it was not measured."""
    device: str = ""
    """Device that it was computed on; empty where unknown."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which it was saved."""


class CodeParts(StoreTable, table=True):
    """The definitions and libraries behind the hash of the code in signatures of scores and audits, by name; see `core.base.code_version`."""

    hash: str = Field(primary_key=True)
    parts: dict[str, str] = Field(sa_type=JSON)
    created_at: datetime = Field(sa_type=UtcDateTime)


class Label(StoreTable, table=True):
    """A label of an item by one person; a changed label is the next revision."""

    __table_args__ = (
        UniqueConstraint("item_id", "annotator", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("verdict IN ('consistent', 'inconsistent', 'borderline')", name="verdict"),
        CheckConstraint("confidence BETWEEN 1 AND 5", name="confidence"),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the label."""
    item_id: str = Field(foreign_key="item.id")
    """Item that is labelled."""
    annotator: str = Field(index=True)
    """Name of the person."""
    revision: int
    """Number of the person's label of the item, from 1."""
    verdict: str
    """Verdict on the summary."""
    confidence: int | None
    """Confidence from 1 to 5; None for none."""
    error_type: str | None
    """Error type of the edit; None for none."""
    note: str
    """Note of the person; empty for none."""
    blind: bool
    """True if no score was shown."""
    event_id: str
    """Identifier made once per press, so that a re-sent press is known."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """Time at which it was saved."""


class EditJudgement(StoreTable, table=True):
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
    """Number of the judgement."""
    item_id: str = Field(foreign_key="item.id")
    """Edited summary."""
    annotator: str = Field(index=True)
    """Name of the person."""
    revision: int
    """Number of the person's judgement of the item, from 1."""
    inconsistent: bool
    """True if the edit makes the summary inconsistent."""
    interesting: bool | None
    """True if the error is an interesting one; None where it was not asked."""
    controlled: bool | None
    """True if the edit changes nothing else; None where it was not asked."""
    explanation_good: bool | None
    """True if the explanation is right; None where it was not asked."""
    event_id: str
    """Identifier made once per press, so that a re-sent press is known."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which it was saved."""


class Explanation(StoreTable, table=True):
    """Reason why an item is or is not consistent, in the words of `by`, a person or a model; `id` is its hash."""

    __table_args__ = (Index("ix_explanation_by_id", "by", "id"),)

    id: str = Field(primary_key=True)
    item_id: str = Field(foreign_key="item.id", index=True)
    text: str
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class ExplanationJudgement(StoreTable, table=True):
    """Judgement of an explanation by a person: if it is right, and if not entirely, its flaw."""

    __table_args__ = (
        UniqueConstraint("explanation_id", "annotator", "revision"),
        UniqueConstraint("event_id"),
        CheckConstraint("grade IN ('entirely', 'partially', 'not')", name="grade"),
        CheckConstraint("cause IN ('misattribution', 'additional unrelated', 'completeness', 'vague')", name="cause"),
        CheckConstraint("cause IS NULL OR grade <> 'entirely'", name="cause_of_what"),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """Number of the judgement."""
    explanation_id: str = Field(foreign_key="explanation.id")
    """Explanation that is judged."""
    annotator: str = Field(index=True)
    """Name of the person."""
    revision: int
    """Number of the person's judgement of the explanation, from 1."""
    grade: str
    """Degree to which it is right: entirely, partially or not."""
    cause: str | None
    """Flaw of one that is not entirely right; None for none."""
    wording: int = Field(sa_column_kwargs={"server_default": "1"})
    """Version of the meaning of the flaws that the person read; see `FLAW_MEANINGS`."""
    note: str
    """Note of the person; empty for none."""
    event_id: str
    """Identifier made once per press, so that a re-sent press is known."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which it was saved."""


class StressRunRow(StoreTable, table=True):
    """A stress run: what it was to do, as JSON."""

    __tablename__ = "run"

    __table_args__ = (UniqueConstraint("name"),)

    id: str = Field(primary_key=True)
    name: str
    owner: str
    plan: str
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)


class RunLine(StoreTable, table=True):
    """One thing that a stress run found, as JSON; their order is that of their numbers."""

    id: int | None = Field(default=None, primary_key=True)
    run_id: str = Field(foreign_key="run.id", index=True)
    line: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class AuditRow(StoreTable, table=True):
    """A finished audit of one metric."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_metric_data", "metric", "data"),)

    id: int | None = Field(default=None, primary_key=True)
    """Number of the audit."""
    metric: str
    """Name of the metric with its settings."""
    signature: str
    """Signature of its scores."""
    data: str
    """Name of the data that it was audited on."""
    data_sha256: str
    """SHA-256 of the data."""
    version: str
    """Version of Touchstone."""
    report: str
    """Whole audit as JSON, without the texts of pairs."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time at which it finished."""


class ThresholdRow(StoreTable, table=True):
    """A threshold under its name: `record` is what `threshold -o` writes, the rest finds it."""

    __tablename__ = "threshold"

    name: str = Field(primary_key=True)
    metric: str
    record: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Dataset(StoreTable, table=True):
    """A name under which files of samples were imported; `id` is its hash."""

    __table_args__ = (UniqueConstraint("name"),)

    id: str = Field(primary_key=True)
    name: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class DatasetFile(StoreTable, table=True):
    """Origin of samples: an imported file, as it was read then. Read in another way it is another row."""

    id: str = Field(primary_key=True)
    """Id of the file."""
    dataset_id: str = Field(foreign_key="dataset.id")
    """Dataset that it belongs to."""
    importer: str
    """Name of the importer that read it."""
    file: str
    """Name of the file."""
    sha256: str
    """SHA-256 of its bytes."""
    licence: str
    """Licence, as the importer or the person states it."""
    release: str
    """Release of the data; empty for none."""
    by: str
    """Name of the person who imported it."""
    counts: str
    """Contents of the file, as JSON."""
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """Time of the import."""


class DatasetVersion(StoreTable, table=True):
    """State of a dataset from one import that changed it to the next: the rows of some of its files."""

    __table_args__ = (UniqueConstraint("dataset_id", "number"), CheckConstraint("number >= 1", name="number"))

    id: str = Field(primary_key=True)
    """Hash of the dataset and the number."""
    dataset_id: str = Field(foreign_key="dataset.id")
    """Dataset that it is a version of."""
    number: int
    """Number of the version, from 1."""
    samples: int
    """Number of samples that it has rows of."""
    content: str
    """SHA-256 of the facts about its samples in any order; empty for one that is older than versions."""
    by: str
    """Name of the person whose import made it."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    """Time of that import."""


class VersionFile(StoreTable, table=True):
    """One of the files whose rows make a version."""

    version_id: str = Field(foreign_key="datasetversion.id", primary_key=True)
    file_id: str = Field(foreign_key="datasetfile.id", primary_key=True)


class VersionTag(StoreTable, table=True):
    """A word for a version of a dataset, for good."""

    dataset_id: str = Field(foreign_key="dataset.id", primary_key=True)
    tag: str = Field(primary_key=True)
    number: int
    by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class SampleRow(StoreTable, table=True):
    """Facts of one file about one sample of a dataset; rows of the same key add up, newer ones win."""

    __tablename__ = "sample"
    __table_args__ = (UniqueConstraint("id"), Index("ix_sample_dataset_id_key", "dataset_id", "key"))

    number: int | None = Field(default=None, primary_key=True)
    """Number of the row, which orders older and newer."""
    id: str
    """Hash of the facts."""
    dataset_id: str = Field(foreign_key="dataset.id")
    """Dataset that the sample belongs to."""
    file_id: str = Field(foreign_key="datasetfile.id")
    """File that the facts are from."""
    joined_file_id: str | None = None
    """Other file that the document is from, without which the row does not count; None for none."""
    key: str
    """Id of the sample in the dataset."""
    group: str
    """Key of the samples that share a document; empty for none."""
    document_id: str | None = Field(foreign_key="document.id")
    """Document; None where it is not known."""
    item_id: str | None = Field(foreign_key="item.id", index=True)
    """Item; None unless both texts are known."""
    summary: str
    """Summary while its document is missing; empty otherwise."""
    facts: str
    """Rest of the item, as JSON."""


class Draft(StoreTable, table=True):
    """Work in progress, overwritten as it goes on and forgotten after a month."""

    id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    payload: str
    updated_at: datetime = Field(sa_type=UtcDateTime, index=True)
