"""The contract of an export format: a campaign, read in one state of the database, as the file of a tool."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.answer_verdicts import verdicts_of_answers
from annotations.campaigns.campaign import CampaignSettings, load_campaign
from annotations.campaigns.questions import CampaignQuestion, read_questions
from annotations.campaigns.task_list import load_column_names
from annotations.campaigns.task_texts import TaskTexts, load_task_texts
from annotations.exchange.campaign_export import (
    ExportContext,
    draw_rows,
    load_export_context,
    numbered_tasks,
    setup_rows,
    suggestion_rows,
    task_rows,
    text_rows,
)
from annotations.exchange.export import ExportRow
from annotations.exchange.export_rows import ExportedRow
from annotations.exchange.response_export import (
    comment_rows,
    correction_rows,
    decision_rows,
    exclusion_rows,
    label_rows,
    limit_rows,
    reservation_rows,
    resolution_rows,
    withdrawal_rows,
)
from annotations.people.people import Member, Right
from annotations.results.label_agreement import OVERALL, LabelAgreement, compute_agreement
from annotations.results.resolution import ResolvedTask, resolve_tasks
from annotations.results.results import first_blind_labels, load_labels
from annotations.store.campaign_tables import Task, VersionRow
from annotations.store.database import read_session
from annotations.store.store import Store
from annotations.store.tables import ItemRow
from core.registry import Registry


@dataclass(frozen=True, slots=True)
class ExportTerms:
    """Terms of the labels that only a manager knows; "" where one is not stated."""

    licence: str = ""
    pay: str = ""
    consent: str = ""


@dataclass(frozen=True, slots=True)
class LabelledTask(TaskTexts):
    """A labelled task of work with its texts."""

    number: int
    """Number of the task in the campaign, from 1; the same in all exports."""
    document_id: str
    """Hash of the document."""
    resolved: ResolvedTask
    """Labels and final answers."""
    selection_probability: float | None = None
    """Probability of the item in the sample so far; None where the items were not drawn from a pool."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Cells of the owner's table beside the texts, by column."""

    @property
    def original(self) -> str:
        """Summary before the edits; "" where the questions are about one summary."""
        return "" if self.right is None else self.left

    @property
    def summary(self) -> str:
        """Summary that was labelled."""
        return self.left if self.right is None else self.right


@dataclass(frozen=True, slots=True)
class CampaignExport:
    """Data of a campaign that formats read: blind labels of work, with people by pseudonym."""

    session: Session
    campaign: CampaignSettings
    terms: ExportTerms
    context: ExportContext

    def rows(self) -> Iterator[ExportRow]:
        """All rows in long form; see `exported_rows`."""
        return (row.model_dump(mode="json") for row in exported_rows(self.session, self.context))

    def questions(self) -> list[CampaignQuestion]:
        """Questions of all versions, each in its newest wording."""
        texts = self.session.exec(
            select(VersionRow.questions)
            .where(VersionRow.campaign_id == self.campaign.id)
            .order_by(col(VersionRow.version))
        )
        return list({question.id: question for text in texts for question in read_questions(text).questions}.values())

    def tasks(self) -> list[LabelledTask]:
        """Labelled tasks with their texts, all in memory, in the order of their numbers."""
        numbers = dict(self.session.execute(select_columns(numbered_tasks(self.campaign))).all())
        tasks = [
            self._with_texts(resolved, numbers[resolved.task])
            for resolved in resolve_tasks(self.session, self.campaign)
        ]
        return sorted(tasks, key=lambda task: task.number)

    def column_names(self) -> list[str]:
        """Columns of the owner's tables, in the order in which items brought them."""
        return load_column_names(self.session, self.campaign.id)

    def agreements(self) -> list[LabelAgreement]:
        """Agreement over all items on each question with a fixed choice of answers."""
        labels = first_blind_labels(load_labels(self.session, self.campaign))
        questions = [question for question in self.questions() if question.kind in {"choice", "scale", "slider"}]
        return [agreement for question in questions if (agreement := compute_agreement(question, OVERALL, labels))]

    def verdicts(self, answers: Mapping[str, Any]) -> dict[str, str | None]:
        """Verdicts that answers give on the summary and on the original of a pair; None where they give none."""
        original, summary = verdicts_of_answers(self.campaign.questions, answers)
        return {"summary_verdict": summary and summary.value, "original_verdict": original and original.value}

    def _with_texts(self, resolved: ResolvedTask, number: int) -> LabelledTask:
        return LabelledTask(
            **load_task_texts(self.session, self.campaign, resolved.task).texts,
            number=number,
            document_id=self.session.get_one(ItemRow, resolved.item).document_id,
            resolved=resolved,
            selection_probability=self.context.selection.get(resolved.task),
            columns=self.session.get_one(Task, resolved.task).columns,
        )


def own_column_names(columns: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """Names of the owner's columns in a file, by column: `own.NAME` where the file has a column of that name itself."""
    return {name: f"own.{name}" if name in taken else name for name in columns}


@dataclass(frozen=True)
class ExportFormat(ABC):
    """Its fields are its settings. `title` is how its button calls it, `about` what the file holds; `suffix` ends the name of the file."""

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    suffix: ClassVar[str]

    def nothing_to_export(self, export: CampaignExport) -> str:  # noqa: ARG002  # most formats take every campaign
        """Reason why the file would be empty, in a sentence; "" where it would not."""
        return ""

    @abstractmethod
    def content(self, export: CampaignExport) -> Iterable[bytes]:
        """The file, in parts. Raises RecordError, before the first bytes, for a campaign that has nothing for it.

        A format that is written row by row takes as much memory for a million labels as for ten thousand.
        """


EXPORT_FORMATS: Registry[ExportFormat] = Registry("export format", f"{__package__}.formats")


@contextmanager
def open_export(store: Store, campaign_id: str, terms: ExportTerms) -> Iterator[CampaignExport]:
    """A campaign to be written in any format, all of it in one state of the database."""
    with read_session(store.engine) as session:
        campaign = load_campaign(session, campaign_id)
        yield CampaignExport(session, campaign, terms, load_export_context(session, campaign))


class ExportActions:
    """Exports for a manager; raises RightsError for a person without that right."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.MANAGE)
        self._store = store

    def file(self, campaign_id: str, name: str, terms: ExportTerms) -> bytes:
        """A campaign in the format of that name. Raises RecordError where `nothing_to_export` gives a reason."""
        with open_export(self._store, campaign_id, terms) as export:
            return b"".join(EXPORT_FORMATS.get(name)().content(export))

    def nothing_to_export(self, campaign_id: str) -> dict[str, str]:
        """Reason why a campaign has nothing for a format, by the names of all formats; "" where it has."""
        with open_export(self._store, campaign_id, ExportTerms()) as export:
            return {export_format.name: export_format().nothing_to_export(export) for export_format in EXPORT_FORMATS}


def exported_rows(session: Session, context: ExportContext) -> Iterator[ExportedRow]:
    """All rows of a campaign in one state of the database: its setup, then its responses, oldest first.

    `setup_rows` and `response_rows` declare the columns of each kind. No row has the name of a person, or an id derived from one.
    """
    yield from setup_rows(session, context)
    yield from text_rows(session, context)
    provenance: list[str | None] = []  # eight bytes per task; everything else is read row by row
    for row in task_rows(session, context):
        provenance.append(row.provenance)
        yield row
    for rows in (draw_rows, suggestion_rows, reservation_rows):
        yield from rows(session, context)
    yield from label_rows(session, context, lambda number: provenance[number - 1])
    events = (
        decision_rows,
        correction_rows,
        comment_rows,
        resolution_rows,
        exclusion_rows,
        withdrawal_rows,
        limit_rows,
    )
    for rows in events:
        yield from rows(session, context)
