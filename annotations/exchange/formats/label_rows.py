"""The labels of a campaign as the table that its items came from, with a row for each label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar, get_args

from annotations.campaigns.campaign import TaskPart
from annotations.campaigns.withdrawals import load_withdrawals
from annotations.exchange.export_format import EXPORT_FORMATS, CampaignExport, ExportFormat
from annotations.exchange.item_cells import (
    WITHDRAWN,
    Cells,
    answer_cells,
    answer_names,
    table_of_items,
    tasks_with_cells,
)
from annotations.results.results import load_labels


@EXPORT_FORMATS.add
class LabelRows(ExportFormat):
    """CSV of the newest answer of each person to each item, without those that were taken back.

    `counts` is no where others had taken the place of the label, an exclusion leaves it out, or its item is withdrawn. `mode` is
    imported for a label that another tool has from the person. A label that was given with
    scores in view is a row of its own, whose `blind` is no. All labels are in memory.
    """

    name: ClassVar[str] = "labels"
    title: ClassVar[str] = "labels.csv"
    about: ClassVar[str] = (
        "Your table with a row for each label: your columns, the texts, person, answers, seconds and version."
    )
    suffix: ClassVar[str] = "-labels.csv"

    def content(self, export: CampaignExport) -> Iterator[bytes]:
        answers = answer_names(export, "answer")
        labels: dict[str, dict[object, Cells]] = defaultdict(dict)
        for label in load_labels(export.session, export.campaign):
            labels[label.task][label.person, label.turn, label.blind] = {
                "person": label.pseudonym,
                **answer_cells(answers, label.answers),
                "seconds": label.active_ms / 1000,
                "version": label.version,
                "turn": label.turn,
                "mode": label.mode,
                "blind": "yes" if label.blind else "no",
                "counts": "yes" if label.counts else "no",
                "created_at": label.created_at.isoformat(),
            }
        withdrawn = load_withdrawals(export.session, export.campaign.id)
        rows = [
            (task.columns, cells | values | ({WITHDRAWN: withdrawn[task.id].reason} if task.id in withdrawn else {}))
            for task, cells in tasks_with_cells(export, get_args(TaskPart))
            for values in labels[task.id].values()
        ]
        more = ("seconds", "version", "turn", "mode", "blind", "counts", "created_at", WITHDRAWN)
        return table_of_items(export, rows, ("person", *answers, *more))
