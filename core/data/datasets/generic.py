"""Any table of summaries: JSONL, a JSON list, CSV, parquet or a workbook, read by a mapping of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import item_stream
from core.data.datasets.formats.claim_rows import claim_columns, merge_claims
from core.data.datasets.formats.codebook import codebook_of
from core.data.datasets.formats.column_map import (
    ColumnMap,
    load_column_map,
    voting_columns,
    with_consistent_words,
)
from core.data.datasets.formats.grouping import RestartingIds, begins_again
from core.data.datasets.formats.header_rows import check_column_count
from core.data.datasets.formats.known_forms import ARCHIVES, form_columns, form_of, form_rows
from core.data.datasets.formats.label_answers import (
    open_direction,
    open_votes,
    table_shape,
    with_label_of_1,
    with_vote_of_1,
    with_ways,
)
from core.data.datasets.formats.mapped_rows import MappedReader, flat_rows, merge_judges
from core.data.datasets.formats.mapping_report import format_mapping, label_record
from core.data.datasets.formats.stated_classes import named_table_rows, stated_columns
from core.data.datasets.formats.summary_choice import NO_DOCUMENT, text_question, with_document, with_summary
from core.data.datasets.formats.table_files import table_notes, table_paths
from core.data.datasets.formats.text_files import UTF8, NumberedRow, Row
from core.data.datasets.formats.workbook_files import default_sheet, sheet_names
from core.errors import TouchstoneError
from core.types import Item

_PREVIEW_ROWS = 500  # rows


@DATASETS.add
@dataclass(frozen=True)
class Generic(Importer):
    """A file and the mapping of its columns: a saved one, or the guess from the first rows where `mapping` is "".

    `encoding` is that of a text file, `sheet` names one of a workbook, by default the first. `consistent` are the words of the
    label that mean a consistent summary, with + between them; its other words mean an inconsistent one then. `summary` is the
    column of the system's text, `document` that of the source or none, `label` that of the label, none for no label; `label_of_1` and `vote_of_1`, consistent or inconsistent, are what a 1 or yes of
    the label or of a judge says of the summary. `higher` and `lower` are columns of numbers, with + between them, of which
    more or less is better. `garbled` is keep where texts with traces of a wrong encoding are read as they are; otherwise they
    are refused.
    """

    name: ClassVar[str] = "generic"
    title: ClassVar[str] = "Any table (JSONL, JSON, CSV, parquet, xlsx)"
    licence: ClassVar[str] = "your own"
    mapping: str = ""
    encoding: str = UTF8
    sheet: str = ""
    consistent: str = ""
    summary: str = ""
    document: str = ""
    label: str = ""
    label_of_1: str = ""
    vote_of_1: str = ""
    higher: str = ""
    lower: str = ""
    garbled: str = ""

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        if question := self.question(source):
            raise TouchstoneError(f"{source.name}: {question}")
        return read_with_map(source, self.columns(source), self.encoding, self.sheet, self.garbled)

    def question(self, source: Path) -> str:
        """The question about the direction of the labels that a person has to answer before they are used; "" without one."""
        rows, columns = self._rows(source), self.columns(source)
        if self.mapping:
            return open_direction(rows, columns)
        is_form = form_of(source, self.encoding, self.sheet) is not None
        answered = {"summary_said": bool(self.summary), "document_said": bool(self.document)}
        if not is_form and (question := text_question(rows, columns, **answered)):
            return question
        return open_direction(rows, columns) or ("" if self.vote_of_1 else open_votes(rows, columns))

    def describe(self, source: Path) -> list[str]:
        paths = table_paths(source)
        notes = [
            f"{'note':12} {path.name + ': ' if len(paths) > 1 else ''}{note}"
            for path in paths
            if path.suffix.lower() not in ARCHIVES
            for note in table_notes(path, self.encoding, self.sheet)
        ]
        others = [name for name in sheet_names(source) if not self.sheet and name != default_sheet(source)]
        rows, columns = self._rows(source), self.columns(source)
        mapping = format_mapping(columns, rows, others, "; ".join(self._record(source).values()))
        return [*notes, *mapping, *(f"{'check':12} {decision}" for decision in structure_notes(rows, columns))]

    def settings_used(self, source: Path) -> dict[str, str]:
        settings = {
            "summary": self.summary,
            "document": self.document,
            "label_of_1": self.label_of_1,
            "vote_of_1": self.vote_of_1,
            "consistent": self.consistent,
        }
        answers = {name: answer for name, answer in settings.items() if answer}
        return {
            **used_settings(self.columns(source), self.encoding, self.sheet),
            **self._record(source),
            **answers,
            **({"shape": self.shape(source)} if answers else {}),
            **({"garbled": self.garbled} if self.garbled else {}),
        }

    def _record(self, source: Path) -> dict[str, str]:
        answered = bool(self.mapping or self.label_of_1 or self.consistent)
        return label_record(
            self.columns(source),
            self._rows(source),
            stated_columns(source),
            answered=answered,
            voted=bool(self.vote_of_1),
        )

    def shape(self, source: Path) -> str:
        """The shape of the table, for which an answer holds."""
        return table_shape(self._rows(source), self.columns(source))

    def columns(self, source: Path) -> ColumnMap:
        """The mapping of the table with what was said of it.

        Raises TouchstoneError for a column that the table does not have, and for answers that contradict each other.
        """
        rows = self._rows(source)
        self._check_answers(rows)
        if self.mapping:
            columns = load_column_map(Path(self.mapping))
        else:
            columns = form_columns(source, rows, self.encoding, self.sheet, self.label)
        if self.summary:
            columns = with_summary(columns, self.summary)
        if self.document:
            columns = with_document(columns, self.document)
        if words := [word.strip().lower() for word in self.consistent.split("+") if word.strip()]:
            columns = with_consistent_words(rows, columns, words)
        if self.label_of_1:
            columns = with_label_of_1(rows, columns, self.label_of_1)
        if self.vote_of_1:
            columns = with_vote_of_1(rows, columns, self.vote_of_1)
        higher, lower = ([name for name in names.split("+") if name] for names in (self.higher, self.lower))
        return with_ways(rows, columns, higher, lower) if higher or lower else columns

    def _check_answers(self, rows: Sequence[Row]) -> None:
        names = list(dict.fromkeys(name for row in rows for name in row if name))
        document = "" if self.document == NO_DOCUMENT else self.document
        texts = {"summary": self.summary, "document": document}
        for role, column in texts.items():
            if column not in ("", *names):
                raise TouchstoneError(
                    f"There is no column {column!r} for the {role}. The columns are {', '.join(names)}."
                )
        columns = [column for column in (*texts.values(), self.label) if column]
        if twice := [column for column in columns if columns.count(column) > 1]:
            raise TouchstoneError(
                f"{twice[0]} cannot be two of summary, document and label. Name a column of its own for each."
            )
        if self.label_of_1 and self.consistent:
            raise TouchstoneError(
                "label_of_1 and consistent both say what the words of the label mean. Leave one of them out."
            )
        if both := [column for column in self.higher.split("+") if column and column in self.lower.split("+")]:
            raise TouchstoneError(
                f"{both[0]} is named as higher is better and as lower is better. Leave it out of one of them."
            )

    def _rows(self, source: Path) -> list[Row]:
        return preview_rows(source, encoding=self.encoding, sheet=self.sheet)


def structure_notes(rows: Sequence[Row], columns: ColumnMap) -> list[str]:
    """Decisions on rows that belong together, for a person to check."""
    notes = []
    if columns.id and begins_again(rows, columns.id, columns.document, columns.summary):
        notes.append(
            f"{columns.id} begins again after some rows, as in joined files: it names no document, and the samples of the second part "
            "are called NAME-2."
        )
    if columns.claims:
        notes.append("the claims of a response are one sample: inconsistent if one of them is.")
    return notes


def used_settings(columns: ColumnMap, encoding: str, sheet: str) -> dict[str, str]:
    """The settings of Generic by name, the mapping as its text; those left as they are by default are not named."""
    others = {"encoding": "" if encoding == UTF8 else encoding, "sheet": sheet}
    return {"mapping": columns.to_json(), **{name: value for name, value in others.items() if value}}


def preview_rows(source: Path, number: int = _PREVIEW_ROWS, encoding: str = UTF8, sheet: str = "") -> list[Row]:
    """The first rows that can be read, with the fields of an object as columns of their own: `scores.ROUGE-2`.

    Raises TouchstoneError, with the reason of the first row, where there is none.
    """
    paths = table_paths(source)
    lines = [line for path in paths for line in islice(_record_lines(path, encoding, sheet), number // len(paths))]
    rows = [flat for _, row in lines if not isinstance(row, str) for flat in flat_rows(row)]
    check_column_count(len({name for row in rows for name in row}), source.name)
    _check_same_columns(source, encoding, sheet)
    if not rows:
        reasons = (f" Line {line}: {row}" for line, row in lines if isinstance(row, str))
        raise TouchstoneError(f"{source.name} has no row that can be read.{next(reasons, ' It has a header at most.')}")
    return rows


def _record_lines(source: Path, encoding: str, sheet: str) -> Iterator[NumberedRow]:
    """The records of a file; rows for each claim of a response are one."""
    if form_of(source, encoding, sheet):
        return form_rows(source, encoding, sheet)
    lines = named_table_rows(source, encoding, sheet)
    first = list(islice(lines, _PREVIEW_ROWS))
    columns = claim_columns([row for _, row in first if not isinstance(row, str)])
    return merge_claims(chain(first, lines), *columns) if columns else chain(first, lines)


def _check_same_columns(source: Path, encoding: str, sheet: str) -> None:
    """Raises TouchstoneError where the first records of two files of a folder have other columns."""
    paths = table_paths(source)
    headers = [
        next(({*row} for _, row in named_table_rows(path, encoding, sheet) if not isinstance(row, str)), set[str]())
        for path in (paths if len(paths) > 1 else [])
    ]
    for path, header in zip(paths, headers, strict=False):
        if header and header != headers[0]:
            other = ", ".join(sorted(header ^ headers[0])[:10])
            raise TouchstoneError(
                f"{paths[0].name} and {path.name} do not have the same columns ({other}). Import them one after the other, or give "
                "the columns the same names."
            )


def read_with_map(
    source: Path, columns: ColumnMap, encoding: str = UTF8, sheet: str = "", garbled: str = ""
) -> Iterator[Item | Refusal]:
    """The items of a file by a mapping. Raises TouchstoneError where the file lacks one of the mapped columns."""
    if garbled not in ("", "keep"):
        raise TouchstoneError(f"generic[garbled={garbled}] is unknown. Write garbled=keep, or leave it out.")
    first = preview_rows(source, encoding=encoding, sheet=sheet)
    column_names = dict.fromkeys(name for row in first for name in row)
    for field, column in columns.used():
        if column not in column_names:
            raise TouchstoneError(
                f"{source.name} has no column {column!r} for the {field}. The columns are {', '.join(column_names)}."
            )
    restarts = bool(columns.id) and begins_again(first, columns.id, columns.document, columns.summary)
    reading = MappedReader(
        columns=columns,
        mapped=columns.single(),
        verdicts=columns.verdicts,
        votes=columns.votes,
        voters=voting_columns(first, columns),
        keeps_garbled=bool(garbled),
        restarting_ids=RestartingIds() if restarts else None,
        codebook=codebook_of(column_names, columns.label) if columns.label else None,
    )
    paths, seen = table_paths(source), item_stream.SeenItems()
    files = ((path, _record_lines(path, encoding, sheet)) for path in paths)
    if not columns.annotator:
        return chain.from_iterable(item_stream.items_of_rows(lines, path, reading.items, seen) for path, lines in files)
    # a row for each judge: the same sample comes again and again
    return merge_judges(
        record
        for path, lines in files
        for line in lines
        for record in item_stream.items_of_rows([line], path, reading.items, {})
    )
