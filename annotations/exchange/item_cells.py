"""Items of a campaign as rows of the table that they came from: the owner's columns, the texts, and more beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from sqlmodel import col, select

from annotations.campaigns.task_texts import TaskTexts, load_task_texts
from annotations.exchange.export import to_csv
from annotations.exchange.export_format import CampaignExport
from annotations.store.campaign_tables import Task
from core.text import BYTE_ORDER_MARK

Cells = dict[str, object]

_NEGATIVE = re.compile(r"-\d{1,15}(\.\d{1,15})?", re.ASCII)

_TEXT_COLUMNS = ("document", "original", "summary")
WITHDRAWN = "withdrawn"
"""Column with the reason why an item is withdrawn, and the decision of such an item."""
_OPTIONAL_COLUMNS = (WITHDRAWN, "question", "explanation", "asked_error_type", "original")
"""Columns that a table has only where an item fills them."""


def tasks_with_cells(export: CampaignExport, parts: Sequence[str]) -> Iterator[tuple[Task, Cells]]:
    """The tasks of some parts in their order, with number, part, item and texts by column."""
    tasks = export.session.exec(
        select(Task).where(Task.campaign_id == export.campaign.id).order_by(col(Task.position), col(Task.id))
    ).all()
    for number, task in enumerate(tasks, start=1):
        if task.part in parts:
            texts = load_task_texts(export.session, export.campaign, task.id)
            yield task, {"task": number, "part": task.part, "item_id": task.item_id, **_text_cells(texts)}


def _text_cells(texts: TaskTexts) -> Cells:
    return {
        "document": texts.document,
        "question": texts.question or None,
        "original": None if texts.right is None else texts.left,
        "summary": texts.left if texts.right is None else texts.right,
        "explanation": texts.explanation or None,
        "asked_error_type": texts.error_type or None,
    }


def table_of_items(
    export: CampaignExport, rows: Sequence[tuple[Mapping[str, str], Cells]], more: Sequence[str]
) -> Iterator[bytes]:
    """CSV of rows of own cells and others, with the columns `more` behind the texts.

    The owner's columns keep their names; another one of the same name is called `touchstone.NAME`.
    """
    own = export.column_names()
    filled = {name for name in _OPTIONAL_COLUMNS if any(cells.get(name) is not None for _, cells in rows)}
    behind = (*more, "task", "part")
    names = [
        name
        for name in ("item_id", *_TEXT_COLUMNS, *_OPTIONAL_COLUMNS[1:-1], *behind)
        if name in filled or name not in _OPTIONAL_COLUMNS
    ]
    shown = names_beside(own, names)
    flat = (
        {
            **{name: table_cell(cell) for name, cell in columns.items()},
            **{shown[name]: cells.get(name) for name in names},
        }
        for columns, cells in rows
    )
    first, *others = shown.values()
    lines = to_csv(flat, (first, *own, *others))
    return (line.encode() for line in chain([BYTE_ORDER_MARK], lines))


def names_beside(own: Collection[str], names: Iterable[str]) -> dict[str, str]:
    """Names of our columns beside the owner's, which keep theirs: `touchstone.NAME` where both have one."""
    return {name: f"touchstone.{name}" if name in own else name for name in names}


def table_cell(cell: str) -> object:
    """A cell of the owner as it is written: a negative number as a number, which no spreadsheet takes for a formula."""
    if not _NEGATIVE.fullmatch(cell):
        return cell
    number = float(cell) if "." in cell else int(cell)
    return number if str(number) == cell else cell


def answer_names(export: CampaignExport, prefix: str) -> dict[str, str]:
    """Question by column, which is called `PREFIX.ID`."""
    return {f"{prefix}.{question.id}": question.id for question in export.questions()}


def answer_cells(names: Mapping[str, str], answers: Mapping[str, Any]) -> Cells:
    """Answers by column; several values, passages and the like as JSON."""
    return {name: plain_answer(answers.get(id)) for name, id in names.items()}


def plain_answer(answer: Any) -> object:
    return json.dumps(answer, ensure_ascii=False) if isinstance(answer, list | dict) else answer
