"""Responses of Qualtrics as CSV: three header rows, of which the second has the questions and the third `{"ImportId": …}`.

A row is what a person answered. Questions of a loop are called `1_Q3`, `2_Q3`, …, a row of pairs for each number; texts that were shown are
embedded data, fields of the loop, or stand in the second header row alone: `text of the round - question`. qualtrics.com/support/survey-platform/data-and-analysis-module/data/download-data
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from core.data.datasets.formats.item_stream import FIELD_NAMES
from core.data.datasets.formats.known_forms import ANNOTATOR, FORMS, Form
from core.data.datasets.formats.text_files import UTF8, NumberedRow, Row, encoding_of
from core.data.datasets.formats.text_tables import csv_rows, text_layout
from core.errors import TouchstoneError

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
_QUESTIONS = "questions of the header"
"""Key of the second header row in a row, which no column is called."""

_SEGMENT = re.compile(r"(\s+-\s+|\s*\n\s*|:\s+)")
_SENTENCE_GAP = re.compile(r"(?<=[.!?])\s+")
_TEXT_TABLES = frozenset({".csv", ".tsv", ".txt"})
_PEOPLE = ("PROLIFIC_PID", "ExternalReference", "ResponseId")


@FORMS.add
class Qualtrics(Form):
    """A row for each response, or for each round of its loop; previews and unfinished responses say nothing."""

    name = "qualtrics"
    title = "a Qualtrics export"

    def records(self, source: Path) -> Iterator[NumberedRow] | None:
        if source.suffix.lower() not in _TEXT_TABLES:
            return None
        try:
            if encoding_of(source) != UTF8:
                return None
            layout = text_layout(source)
        except TouchstoneError:
            return None  # reading it says what is wrong
        header = layout.header
        if header.label_rows != 2 or not {*header.names} >= _FIELDS:
            return None
        [(_, cells)] = islice(layout.separation.rows(source, UTF8), header.row + 1, header.row + 2)
        questions = dict(zip(header.names, cells, strict=False)) if isinstance(cells, list) else {}
        return (
            (number, row if isinstance(row, str) else {**row, _QUESTIONS: questions})
            for number, row in csv_rows(source)
        )

    def matches(self, rows: Sequence[Row]) -> bool:
        return all(row.keys() >= _FIELDS for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        if not str(row["ResponseId"]).startswith("R_") or _is_preview(row):
            return []  # the other header rows
        who = next(row[name] for name in _PEOPLE if row.get(name))
        questions = row.get(_QUESTIONS)
        cells = {
            name: cell
            for name, cell in row.items()
            if name not in {*_OTHER_FIELDS, _QUESTIONS} and "_First Click" not in name
        }
        rounds: dict[str, dict[str, object]] = {}
        shared: dict[str, object] = {}
        for name, cell in cells.items():
            loop = _LOOP.fullmatch(name)
            if loop is None:
                shared[name] = cell
            else:
                rounds.setdefault(loop["number"], {})[loop["name"]] = cell
        answered = {
            number: texts for number, texts in rounds.items() if any(cell not in (None, "") for cell in texts.values())
        }
        columns = {*shared}.union(*rounds.values())
        if answered and isinstance(questions, Mapping) and not _names_summary(columns):
            shown = _looped_texts(questions)
            answered = {number: {"summary": shown[number], **texts} for number, texts in answered.items()}
        return [{**shared, **texts, ANNOTATOR: who} for texts in answered.values() or [{}]]


def _names_summary(columns: Iterable[str]) -> bool:
    return any("_".join(column.lower().split()) in FIELD_NAMES["summary"] for column in columns)


def _looped_texts(questions: Mapping[str, str]) -> dict[str, str]:
    """Number of each round of a loop → the text that its questions are about, by the second header row.

    It is what differs between the rounds of a question, apart from the rest by a hyphen, a colon or the end of a line. Raises
    TouchstoneError, with the columns, where the rounds of a question do not tell it or two questions tell different texts.
    """
    asked: dict[str, dict[str, str]] = {}
    for column, question in questions.items():
        loop = _LOOP.fullmatch(column)
        if loop and "_First Click" not in column:
            asked.setdefault(loop["name"], {})[loop["number"]] = question
    readings = [_differing_texts(rounds) for rounds in asked.values()]
    texts = next(filter(None, readings), {})
    numbers = {number for rounds in asked.values() for number in rounds}
    if {*texts} != numbers or any(reading and reading != texts for reading in readings):
        columns = ", ".join(column for column in questions if _LOOP.fullmatch(column))
        raise TouchstoneError(
            f"The columns {columns} answer about texts of a loop, which stand in no column, and the second header row does not "
            "tell which part of the question is the text. Export with the fields of the loop as embedded data, such as 1_summary."
        )
    return texts


def _differing_texts(rounds: Mapping[str, str]) -> dict[str, str]:
    """The part of each round's question that is of this round alone; none where it cannot be told apart from the question."""
    parts = {number: _SEGMENT.split(question.strip()) for number, question in rounds.items()}
    first, *others = parts.values()
    shortest = min(map(len, parts.values()))
    before = after = 0
    while before < shortest and all(part[before] == first[before] for part in others):
        before += 1
    while after < shortest - before and all(part[-1 - after] == first[-1 - after] for part in others):
        after += 1
    middles = {number: part[before : len(part) - after] for number, part in parts.items()}
    repeated = set[str].intersection(*({*middle[::2]} for middle in middles.values()))
    texts = {number: "".join(middle).strip() for number, middle in middles.items()}
    is_apart = len(rounds) > 1 and before + after > 0 and not repeated and all(texts.values())
    # variants of a summary share sentences too, but hardly a question
    sentences = [{*_SENTENCE_GAP.split(text)} for text in texts.values()]
    is_apart &= not any(sentence.endswith("?") for sentence in set[str].intersection(*sentences))
    return texts if is_apart and len({*texts.values()}) == len(texts) else {}


def _is_preview(row: Row) -> bool:
    return str(row.get("Status")) in {"Survey Preview", "1"} or str(row["Finished"]).lower() in {"false", "0"}
