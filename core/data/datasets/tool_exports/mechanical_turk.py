"""Results of a batch of Mechanical Turk: a row for each assignment with `Input.…` and `Answer.…` columns.

A crowd form has a column for each option, `Answer.QUESTION.OPTION` with true or false, or all answers in `Answer.taskAnswers` as JSON: a list
of one object of questions, each a text or an object of options.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.cells import json_value
from core.data.datasets.formats.known_forms import ANNOTATOR, FORMS, Form
from core.data.datasets.formats.text_files import Row

_ANSWER = "Answer."
_INPUT = "Input."
_TASK_ANSWERS = "taskAnswers"
_TRUTHS = {"true": True, "false": False}


@FORMS.add
class MechanicalTurk(Form):
    """A row for each worker; work that was rejected says nothing."""

    name = "mechanical-turk"
    title = "a batch of Mechanical Turk"

    def matches(self, rows: Sequence[Row]) -> bool:
        return all({"HITId", "WorkerId"} <= row.keys() and any(name.startswith(_INPUT) for name in row) for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        shown = {name.removeprefix(_INPUT): cell for name, cell in row.items() if name.startswith(_INPUT)}
        cells = {name.removeprefix(_ANSWER): cell for name, cell in row.items() if name.startswith(_ANSWER)}
        answers = _answers(cells)
        if str(row.get("AssignmentStatus")).lower() == "rejected":
            answers = dict.fromkeys(answers)
        return [{**shown, **answers, ANNOTATOR: row["WorkerId"]}]


def _answers(cells: Row) -> dict[str, object]:
    answers: dict[str, object] = {}
    options: dict[str, dict[str, bool]] = {}
    for name, cell in cells.items():
        form = json_value(cell) if name == _TASK_ANSWERS else None
        truth = _TRUTHS.get(str(cell).strip().lower())
        question, separator, option = name.rpartition(".")
        if isinstance(form, list):
            answers |= {
                question: _option(answer)
                for part in form
                if isinstance(part, dict)
                for question, answer in part.items()
            }
        elif separator and truth is not None:
            options.setdefault(question, {})[option] = truth
        else:
            answers[name] = cell
    return {**answers, **{question: _option(truths) for question, truths in options.items()}}


def _option(answer: object) -> object:
    """The option of an object of options that was picked, a list of several; of a question with one box, yes or no."""
    if not isinstance(answer, dict):
        return answer
    if {*answer} == {"label"}:
        return answer["label"]
    picked = [name for name, value in answer.items() if value is True]
    if {*answer} <= {"on", "true", "yes"}:
        return "yes" if picked else "no"
    return picked[0] if len(picked) == 1 else picked or None
