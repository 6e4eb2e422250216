"""Exports of other tools, recognised by their content and not by their names, and their pairs as rows of a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import ClassVar

from core.data.datasets.formats.column_inference import (
    NO_LABEL,
    infer_column_map,
    metric_of_column,
    read_as_label,
    score_column,
    with_meanings,
)
from core.data.datasets.formats.column_map import ColumnMap, ScoreColumn, is_filled
from core.data.datasets.formats.polarity import higher_is_better
from core.data.datasets.formats.stated_classes import named_table_rows, stated_columns
from core.data.datasets.formats.text_files import UTF8, NumberedRow, Row
from core.errors import TouchstoneError
from core.registry import Registry

SCORE = "scores."
"""Start of the name of a column with the values of a scorer, in the pairs of a form."""

LOWER = " (lower is better)"
HIGHER = " (higher is better)"
"""End of the name of such a column whose direction the form states, where the name of the scorer may say another."""

ANNOTATOR = "annotator"
"""The column with the person who answered, in the pairs of a form that has a row for each person."""

_HEAD_ROWS = 50  # rows by which a form is recognised
_MOST_CHOICES = 8  # of a question
_LONGEST_CHOICE = 60  # characters


class Form(ABC):
    """The export of a tool: what it is recognised by, and its pairs under names that a mapping knows.

    A pair has `summary` and `document` or `contexts`, and where they are known `question`, `system`, `id`; `annotator` where there is
    a row for each person; a scorer's value as `scores.NAME`; an answer under the name of its question.
    """

    name: ClassVar[str]
    """The name in records."""

    title: ClassVar[str]
    """The export with its article, as "a Prodigy export"."""

    lower_is_better: ClassVar[frozenset[str]] = frozenset()
    """The tool's scorers whose lower values are better, in lower case."""

    higher_is_better: ClassVar[bool] = False
    """True if the tool states that a higher value of each other scorer is better, whatever its name says."""

    own_label: ClassVar[str] = ""
    """The column of answers to a question that the form does not name, in which 1 and yes may mean anything; "" for none."""

    def records(self, source: Path) -> Iterator[NumberedRow] | None:
        """The records of a file that is not a table of them, such as an archive; None for any other file."""
        del source
        return None

    @abstractmethod
    def matches(self, rows: Sequence[Row]) -> bool:
        """True if these first records, at least one, are the tool's."""

    @abstractmethod
    def pairs(self, row: Row) -> list[Row]:
        """The pairs of a record. Raises TouchstoneError where it has no summary."""

    def stated(self, columns: ColumnMap, rows: Sequence[Row]) -> ColumnMap:
        """The mapping with what the form itself states, for rows of its pairs."""
        del rows
        return columns


FORMS: Registry[Form] = Registry("form", "core.data.datasets.tool_exports")


def form_of(source: Path, encoding: str = UTF8, sheet: str = "") -> Form | None:
    """The form that a file is in; None for any other table."""
    if not source.is_file():
        return None
    status = source.stat()
    return _form_of(source, encoding, sheet, status.st_size, status.st_mtime_ns)


@lru_cache(64)
def _form_of(source: Path, encoding: str, sheet: str, _size: int, _changed_ns: int) -> Form | None:
    forms = [form() for form in FORMS]
    for form in forms:
        records = form.records(source)
        if records is not None and form.matches(_head(records)):
            return form
    if source.suffix.lower() in ARCHIVES:
        return None
    try:
        rows = _head(named_table_rows(source, encoding, sheet))
    except TouchstoneError:
        return None  # reading it says what is wrong
    return next((form for form in forms if rows and form.matches(rows)), None)


ARCHIVES = frozenset({".eval", ".zip"})
"""Endings of logs of tools that are archives of files, and no table."""


def _head(lines: Iterator[NumberedRow]) -> list[Row]:
    return [row for _, row in islice(lines, _HEAD_ROWS) if not isinstance(row, str)]


def form_rows(source: Path, encoding: str = UTF8, sheet: str = "") -> Iterator[NumberedRow]:
    """The rows of a table; of a file in a known form, its pairs."""
    form = form_of(source, encoding, sheet)
    if form is None:
        yield from named_table_rows(source, encoding, sheet)
        return
    for number, record in form.records(source) or named_table_rows(source, encoding, sheet):
        if isinstance(record, str):
            yield number, record
            continue
        try:
            pairs = form.pairs(record)
        except TouchstoneError as error:
            yield number, str(error)
            continue
        for place, pair in enumerate(pairs, start=1):
            named = len(pairs) == 1 or "id" in pair or ANNOTATOR in pair
            yield number, pair if named else {"id": f"{source.stem}-{number}.{place}", **pair}


def form_columns(
    source: Path, rows: Sequence[Row], encoding: str = UTF8, sheet: str = "", label: str = ""
) -> ColumnMap:
    """The mapping that rows of a source suggest, with what its form states; `label` as of `infer_column_map`. Raises as that."""
    form, stated = form_of(source, encoding, sheet), stated_columns(source)
    if form is None:
        return infer_column_map(rows, stated, label)
    names = dict.fromkeys(name for row in rows for name in row if name.startswith(SCORE))
    others = [{name: cell for name, cell in row.items() if name not in names} for row in rows]
    inferred = infer_column_map(others, stated, label)
    directed = tuple(score for name in names if (score := _directed_score(name, form)))
    answered = any(ANNOTATOR in row for row in rows)
    update: dict[str, object] = {"scores": (*directed, *inferred.scores)}
    if answered:
        # a number that a person gave is a rating, whatever its levels
        ratings = [score.column for score in inferred.scores if not score.lower_is_better]
        lower = [score for score in inferred.scores if score.lower_is_better]
        update = {
            "scores": (*directed, *lower),
            "ratings": (*inferred.ratings, *ratings),
            "annotator": ANNOTATOR,
            "annotators": (),
        }
    if any("id" in row for row in rows):
        update |= {"id": "id", "group": "" if inferred.group == "id" else inferred.group}
    columns = form.stated(inferred.model_copy(update=update), rows)
    return columns if columns.label or label == NO_LABEL else _with_own_label(columns, rows, form, answered)


def _with_own_label(columns: ColumnMap, rows: Sequence[Row], form: Form, answered: bool) -> ColumnMap:
    """The mapping with the answer to the form's question as its label, whose direction waits for a person unless its words say it."""
    own = form.own_label if any(form.own_label in row for row in rows) else ""
    label = own or (_only_choice(columns, rows) if answered else "")
    if not label:
        return columns
    reading = read_as_label(rows, label, (columns.document, columns.summary), False)
    return with_meanings(columns.model_copy(update={"label": label}), reading)


def _directed_score(column: str, form: Form) -> ScoreColumn | None:
    """A column of a scorer's values, with the direction that the form states, else that of its name; None without either."""
    plain = column.removesuffix(LOWER).removesuffix(HIGHER)
    metric = metric_of_column(plain)
    lower = column.endswith(LOWER) or metric.lower() in form.lower_is_better
    stated = lower or column.endswith(HIGHER) or form.higher_is_better
    higher = not lower if stated else higher_is_better(metric)
    if higher is None:
        return None
    return score_column(plain, not higher).model_copy(update={"column": column, "edited": False})


def _only_choice(columns: ColumnMap, rows: Sequence[Row]) -> str:
    """The column of choices that people made, where there is just one that the mapping does not use; else ""."""
    used = {column for _, column in columns.used()}
    cells: dict[str, list[object]] = {}
    for row in rows:
        for name in row.keys() - used:
            if is_filled(row, name):
                cells.setdefault(name, []).append(row[name])
    choices = [
        name
        for name, values in cells.items()
        if all(isinstance(value, str) and len(value) <= _LONGEST_CHOICE for value in values)
        and len(set(values)) <= _MOST_CHOICES
        and len(set(values)) < max(len(values), 2)
    ]
    return choices[0] if len(choices) == 1 else ""


def describe_form(source: Path, encoding: str = UTF8, sheet: str = "") -> str:
    """Sentence that names the form of a file and its annotators; "" for a table in no known form."""
    form = form_of(source, encoding, sheet)
    if form is None:
        return ""
    rows = [row for _, row in form_rows(source, encoding, sheet) if not isinstance(row, str)]
    people = {str(row[ANNOTATOR]) for row in rows if row.get(ANNOTATOR) not in (None, "")}
    many = f" with {len(people)} annotator{'s' if len(people) > 1 else ''}" if people else ""
    return f"This looks like {form.title}{many}."
