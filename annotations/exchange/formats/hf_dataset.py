"""A campaign as a dataset for Hugging Face's datasets and for Argilla: two Parquet files and the card that names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from annotations.campaigns.questions import CampaignQuestion, MarkedPassage, apply_answer_edit, read_passage
from annotations.exchange.data_statement import data_statement
from annotations.exchange.dataset_card import card_header, cell, parquet_file
from annotations.exchange.export_format import (
    EXPORT_FORMATS,
    CampaignExport,
    ExportFormat,
    LabelledTask,
    own_column_names,
)
from core.base import zip_files
from core.stats import SELECTION_PROBABILITY, markdown_table
from core.text import context_records

if TYPE_CHECKING:
    import pyarrow as pa

_TASK_COLUMNS = {
    "task": "number of the task",
    "item_id": "hash of document, summary and original",
    "document": "source text",
    "contexts": "the named parts of a document that has any, which stand in it in this order",
    "question": "what the summary answers, where something was asked",
    "original": "the summary before the edit, of a pair; it is left in answers",
    "summary": "what is labelled; of a pair the edited one, right in answers",
    "explanation": "the explanation that is judged",
    "asked_error_type": "the error type that was to be written",
    SELECTION_PROBABILITY: "how likely the item was drawn from its pool, for weights; empty where it was not drawn",
}
_FINAL_COLUMNS = {
    "labels": "number of people who labelled it",
    "resolution": "unanimous, by majority, adjudicated, of one person, or unresolved, which has no final answers",
}
_LABEL_COLUMNS = {
    "person": "pseudonym",
    "version": "version of guidelines and questions",
    "mode": "how much help it was given with: unaided, pre-annotated (answers filled in) or assisted (close sentences marked)",
    "active_seconds": "seconds of reading and typing",
}
_VERDICT_COLUMNS = {
    "summary_verdict": "what the answers say of the summary: consistent, inconsistent or borderline; empty where they say nothing of it",
    "original_verdict": "the same of the original",
}
_ANSWER_PREFIX = "answer."


@EXPORT_FORMATS.add
class HfDataset(ExportFormat):
    """A zip of README.md (the card), labels.parquet (a row for each label) and tasks.parquet (a row for each item, with its final answers).

    A column `answer.ID` for each question: text for a choice or a text, a list for several, a whole number for a scale,
    `{start, end, side}` for passages, whose side is document, summary, left or right, `{claim, evidence}` for links, and for an edit the edited summary.
    All labels are in memory, as the card counts them.
    """

    name: ClassVar[str] = "hf-dataset"
    title: ClassVar[str] = "Hugging Face, Argilla"
    about: ClassVar[str] = (
        "A zip: Parquet files of labels and of items with final answers, and a dataset card. load_dataset reads the unpacked folder."
    )
    suffix: ClassVar[str] = "-hf-dataset.zip"

    def content(self, export: CampaignExport) -> list[bytes]:
        return [zip_files(self.files(export))]

    def files(self, export: CampaignExport) -> dict[str, bytes]:
        """The files of the zip by their names, which are those of a repository of the hub."""
        questions, tasks, own = export.questions(), export.tasks(), own_names(export)
        columns = [{shown: task.columns.get(name) for name, shown in own.items()} for task in tasks]
        labels = [
            {**cells, **row}
            for task, cells in zip(tasks, columns, strict=True)
            for row in _label_rows(export, questions, task)
        ]
        finals = [{**cells, **_final_row(export, questions, task)} for task, cells in zip(tasks, columns, strict=True)]
        return {
            "README.md": dataset_card(export, questions, tasks).encode(),
            "labels.parquet": parquet_file(labels, _schema(_LABEL_COLUMNS, questions, own), export.terms.licence),
            "tasks.parquet": parquet_file(finals, _schema(_FINAL_COLUMNS, questions, own), export.terms.licence),
        }


def own_names(export: CampaignExport) -> dict[str, str]:
    """Names of the owner's columns in both files, by column."""
    answers = {_ANSWER_PREFIX + question.id for question in export.questions()}
    taken = {*_TASK_COLUMNS, *_FINAL_COLUMNS, *_LABEL_COLUMNS, *_VERDICT_COLUMNS, *answers}
    return own_column_names(export.column_names(), taken)


def dataset_card(export: CampaignExport, questions: Sequence[CampaignQuestion], tasks: Sequence[LabelledTask]) -> str:
    """The card: what the Hub reads as YAML, the columns, and the data statement."""
    header = card_header(export.campaign.name, export.terms.licence, ("labels", "tasks"))
    answers = {_ANSWER_PREFIX + question.id: question.ask for question in questions}
    columns = [
        *(["both", f"`{name}`", about] for name, about in _TASK_COLUMNS.items()),
        *(["labels", f"`{name}`", about] for name, about in _LABEL_COLUMNS.items()),
        *(["tasks", f"`{name}`", about] for name, about in _FINAL_COLUMNS.items()),
        *(["both", f"`{name}`", about] for name, about in _VERDICT_COLUMNS.items()),
        *(["both", f"`{name}`", cell(about)] for name, about in answers.items()),
        *(["both", cell(f"`{name}`"), "of the table that the items came from"] for name in own_names(export).values()),
    ]
    return (
        f"{header}\n{data_statement(export, tasks)}\n"
        "## Columns\n\n`labels` has a row for each label, `tasks` one for each item with its final answers.\n\n"
        f"{markdown_table(['config', 'column', 'what it holds'], columns)}"
    )


def _task_values(task: LabelledTask) -> dict[str, Any]:
    texts = (
        *(task.document, context_records(task), task.question or None),
        *(task.original or None, task.summary, task.explanation or None, task.error_type or None),
        task.selection_probability,
    )
    return dict(zip(_TASK_COLUMNS, (task.number, task.resolved.item, *texts), strict=True))


def _label_rows(
    export: CampaignExport, questions: Sequence[CampaignQuestion], task: LabelledTask
) -> Iterator[dict[str, Any]]:
    for label in task.resolved.labels:
        values = (label.pseudonym, label.version, label.mode, label.active_ms / 1000)
        answers = _answer_values(questions, label.answers, task.summary)
        verdicts = export.verdicts(label.answers)
        yield {**_task_values(task), **dict(zip(_LABEL_COLUMNS, values, strict=True)), **verdicts, **answers}


def _final_row(export: CampaignExport, questions: Sequence[CampaignQuestion], task: LabelledTask) -> dict[str, Any]:
    values = (len(task.resolved.labels), task.resolved.resolution.value)
    answers = _answer_values(questions, task.resolved.answers, task.summary)
    verdicts = export.verdicts(task.resolved.answers)
    return {**_task_values(task), **dict(zip(_FINAL_COLUMNS, values, strict=True)), **verdicts, **answers}


def _answer_values(questions: Sequence[CampaignQuestion], answers: Mapping[str, Any], summary: str) -> dict[str, Any]:
    return {
        _ANSWER_PREFIX + question.id: _answer_value(question, answers.get(question.id), summary)
        for question in questions
    }


def _answer_value(question: CampaignQuestion, answer: Any, summary: str) -> Any:
    if answer is None:
        return None
    if question.kind == "span":
        return [_passage_value(question, read_passage(question, piece)) for piece in answer]
    return apply_answer_edit(summary, answer) if question.kind == "edit" else answer


def _passage_value(question: CampaignQuestion, passage: MarkedPassage) -> dict[str, Any]:
    value = {"start": passage.start, "end": passage.end, "side": passage.side or question.of}
    return value | {"category": passage.category} if question.options else value


def _schema(more: Mapping[str, str], questions: Sequence[CampaignQuestion], own: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa  # slow to load, and only this format needs it

    whole, text = pa.int64(), pa.string()
    passage = pa.struct({"start": whole, "end": whole, "side": text})
    kinds = {
        "choice": text,
        "several": pa.list_(text),
        "scale": whole,
        "slider": whole,
        "ranking": pa.list_(text),
        "best-worst": pa.list_(text),
        "soft": pa.list_(whole),
        "text": text,
        "edit": text,
        "span": pa.list_(passage),
        "link": pa.list_(pa.struct({"claim": pa.list_(whole), "evidence": pa.list_(whole)})),
    }
    parts = pa.list_(pa.struct({"name": text, "text": text}))
    plain = {"task": whole, "contexts": parts, "labels": whole, "version": whole, "active_seconds": pa.float64()}
    plain[SELECTION_PROBABILITY] = pa.float64()
    columns = {name: plain.get(name, text) for name in (*_TASK_COLUMNS, *more, *_VERDICT_COLUMNS)}
    columns |= dict.fromkeys(own.values(), text)
    in_categories = pa.list_(pa.struct({"start": whole, "end": whole, "side": text, "category": text}))
    answers = {
        _ANSWER_PREFIX + question.id: in_categories
        if question.kind == "span" and question.options
        else kinds[question.kind]
        for question in questions
    }
    return pa.schema(columns | answers)
