"""Responses of Qualtrics as CSV: three header rows, of which the second has the questions and the third `{"ImportId": …}`.

A row is what a person answered. Questions of a loop are called `1_Q3`, `2_Q3`, …, a row of pairs for each number; texts that were shown are
embedded data, or fields of the loop. qualtrics.com/support/survey-platform/data-and-analysis-module/data/download-data
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.data.datasets.formats.known_forms import ANNOTATOR, FORMS, Form
from core.data.datasets.formats.text_files import Row

_FIELDS = frozenset({"ResponseId", "RecordedDate", "Finished"})
_LOOP = re.compile(r"(?P<number>\d+)_(?P<name>.+)")
_OTHER_FIELDS = frozenset(
    {
        *(*_FIELDS, "StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "UserLanguage"),
        *("RecipientLastName", "RecipientFirstName", "RecipientEmail", "ExternalReference", "LocationLatitude"),
        *(
            "LocationLongitude",
            "DistributionChannel",
            "ResponseID",
            "PROLIFIC_PID",
            "STUDY_ID",
            "SESSION_ID",
            "Q_RecaptchaScore",
        ),
    }
)
_PEOPLE = ("PROLIFIC_PID", "ExternalReference", "ResponseId")


@FORMS.add
class Qualtrics(Form):
    """A row for each response, or for each round of its loop; previews and unfinished responses say nothing."""

    name = "qualtrics"
    title = "a Qualtrics export"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(row.keys() >= _FIELDS for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        if not str(row["ResponseId"]).startswith("R_") or _is_preview(row):
            return []  # the other header rows
        who = next(row[name] for name in _PEOPLE if row.get(name))
        cells = {name: cell for name, cell in row.items() if name not in _OTHER_FIELDS and "_First Click" not in name}
        rounds: dict[str, dict[str, object]] = {}
        shared: dict[str, object] = {}
        for name, cell in cells.items():
            loop = _LOOP.fullmatch(name)
            if loop is None:
                shared[name] = cell
            else:
                rounds.setdefault(loop["number"], {})[loop["name"]] = cell
        answered = [texts for texts in rounds.values() if any(cell not in (None, "") for cell in texts.values())]
        return [{**shared, **texts, ANNOTATOR: who} for texts in answered or [{}]]


def _is_preview(row: Row) -> bool:
    return str(row.get("Status")) in {"Survey Preview", "1"} or str(row["Finished"]).lower() in {"false", "0"}
