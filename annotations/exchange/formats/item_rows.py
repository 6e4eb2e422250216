"""The items of a campaign as the table that they came from, with everybody's answer and the decided one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from annotations.campaigns.withdrawals import load_withdrawals
from annotations.exchange.export_format import EXPORT_FORMATS, CampaignExport, ExportFormat
from annotations.exchange.item_cells import (
    WITHDRAWN,
    answer_cells,
    answer_names,
    plain_answer,
    table_of_items,
    tasks_with_cells,
)
from annotations.results.resolution import resolve_tasks


@EXPORT_FORMATS.add
class ItemRows(ExportFormat):
    """CSV of the items of work, also of those without a label, with a column for each person: their answer to the measured question.

    `decided.ID` is the final answer to each question, and `decision` how it was found: unanimous, by majority, adjudicated,
    of one person, by a model of annotators, unresolved, withdrawn, or not labelled. A withdrawn item has the reason under
    `withdrawn`, and no answers. All labels are in memory.
    """

    name: ClassVar[str] = "items"
    title: ClassVar[str] = "items.csv"
    about: ClassVar[str] = (
        "Your table with a row for each item: your columns, the texts, each person's answer, the decided one and how it was decided."
    )
    suffix: ClassVar[str] = "-items.csv"

    def content(self, export: CampaignExport) -> Iterator[bytes]:
        measured = export.campaign.questions.measured
        decided = answer_names(export, "decided")
        resolved = {task.task: task for task in resolve_tasks(export.session, export.campaign)}
        people = sorted({label.pseudonym for task in resolved.values() for label in task.labels})
        withdrawn = load_withdrawals(export.session, export.campaign.id)
        rows = []
        for task, cells in tasks_with_cells(export, ("work",)):
            result = resolved.get(task.id)
            labels = result.labels if result else ()
            values = {
                "labels": len(labels),
                **{label.pseudonym: plain_answer(measured(label.answers)) for label in labels},
                **answer_cells(decided, result.answers if result else {}),
                "decision": result.resolution.value if result else "not labelled",
            }
            if task.id in withdrawn:
                values |= {"decision": WITHDRAWN, WITHDRAWN: withdrawn[task.id].reason}
            rows.append((task.columns, cells | values))
        return table_of_items(export, rows, ("labels", *people, *decided, "decision", WITHDRAWN))
