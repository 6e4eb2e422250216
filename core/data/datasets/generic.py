"""Any table of summaries: JSONL, a JSON list, CSV, parquet or a workbook, read by a mapping of its columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, foreign_records, item_stream
from core.data.datasets.formats.claim_rows import claim_columns, merge_claims
from core.data.datasets.formats.codebook import Codebook, codebook_of
from core.data.datasets.formats.column_map import (
    SPLIT_WORDS,
    UNLABELLED_WORDS,
    ColumnMap,
    is_filled,
    label_word,
    label_words,
    load_column_map,
    voting_columns,
    with_consistent_words,
)
from core.data.datasets.formats.encodings import decoding_error
from core.data.datasets.formats.grouping import RestartingIds, begins_again
from core.data.datasets.formats.header_rows import check_column_count
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.known_forms import ARCHIVES, form_columns, form_of, form_rows
from core.data.datasets.formats.label_answers import (
    open_direction,
    open_votes,
    table_shape,
    with_label_of_1,
    with_vote_of_1,
    with_ways,
)
from core.data.datasets.formats.mapping_report import format_mapping, label_record
from core.data.datasets.formats.record_shapes import numbered_texts
from core.data.datasets.formats.stated_classes import named_table_rows, stated_columns
from core.data.datasets.formats.summary_choice import NO_DOCUMENT, text_question, with_document, with_summary
from core.data.datasets.formats.table_files import table_notes, table_paths
from core.data.datasets.formats.text_files import UTF8, NumberedRow, Row
from core.data.datasets.formats.text_roles import TextRole, text_role
from core.data.datasets.formats.vote_columns import gather_votes
from core.data.datasets.formats.workbook_files import default_sheet, sheet_names
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Item, Judgement, Rating, StoredScore, Verdict

_TEXT_FIELDS = ("document", "summary", "edited", "edits", "contexts", "claims")
_COPIED_FIELDS = ("id", "edited", "edits", "group", "domain", "title", "contexts", "question", "claims")
_CONTEXT_NAMES = frozenset(item_stream.FIELD_NAMES["contexts"])
"""Columns whose lists and objects are the parts of one document, and not several samples or fields."""
_SLICE_NAMES = frozenset(item_stream.FIELD_NAMES["slices"])
_WORST_FIRST = (Verdict.INCONSISTENT, Verdict.BORDERLINE, Verdict.CONSISTENT)
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
    rows = [flat for _, row in lines if not isinstance(row, str) for flat in _flat_rows(row)]
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
    reading = _MappedReader(
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


def _flat_rows(row: Row) -> list[Row]:
    """The flat rows of a record, with the votes and marks of each gathered in columns."""
    return [gather_votes(flat) for flat in _rows_of_record(row)]


def _rows_of_record(row: Row) -> list[Row]:
    """A record with the fields of its objects as columns; one that lists the samples of a document is a row for each.

    A chat is the pair of its last answer and of what was said before.
    """
    rows = []
    for record in foreign_records.flat_records(item_stream.pair_of_chat(row)):
        lists = [
            name
            for name, value in record.items()
            if isinstance(value, list)
            and value
            and isinstance(value[0], dict)
            and name not in {*_CONTEXT_NAMES, "claims"}
        ]
        texts = [value for value in record.values() if isinstance(value, str) and " " in value.strip()]
        if (
            len(lists) != 1
            or len(texts) > 1
            or not all(isinstance(entry, dict) for entry in _entries(record, lists[0]))
        ):
            rows.append(_flat_row(record))
            continue
        entries = _entries(record, lists[0])
        if _has_own_summary(record) and not any(_has_document(entry) for entry in entries):
            rows.append(_flat_row(record))  # remarks on a summary are no samples
            continue
        shared = {name: value for name, value in record.items() if name != lists[0]}
        for entry in entries:
            # a field that the document has too stands under the name of the list as well
            own = {f"{lists[0]}.{name}" if name in shared else name: value for name, value in entry.items()}
            rows.append(_flat_row({**shared, **own}))
    return rows


def _has_own_summary(row: Row) -> bool:
    return any(
        isinstance(value, str) and " " in value.strip() and text_role(name) is TextRole.SUMMARY
        for name, value in row.items()
    )


def _has_document(entry: Row) -> bool:
    """True for an entry of a list with a text named as a document's, of which `text` may be any."""
    return any(
        isinstance(value, str) and " " in value.strip() and name != "text" and text_role(name) is TextRole.DOCUMENT
        for name, value in entry.items()
    )


def _entries(row: Row, name: str) -> list[Row]:
    entries = row[name]
    assert isinstance(entries, list)
    return entries


def _flat_row(row: Row) -> Row:
    row = {
        name: texts if isinstance(value, dict) and (texts := numbered_texts(value)) else value
        for name, value in row.items()
    }
    nested = {name for name, value in row.items() if isinstance(value, dict)} - _CONTEXT_NAMES
    if not nested:
        return row
    flat: dict[str, object] = {}
    for name, value in row.items():
        inner = value if name in nested and isinstance(value, dict) else {}
        flat |= {f"{name}.{field}": held for field, held in inner.items()} if name in nested else {name: value}
    return flat


@dataclass(frozen=True, slots=True)
class _MappedReader:
    """A mapping in use; what its columns hold and its words mean is worked out once for all rows."""

    columns: ColumnMap
    """The mapping."""
    mapped: dict[str, str]
    """Column of each field that takes one column."""
    verdicts: dict[str, Verdict]
    """Verdict of each word of the label."""
    votes: dict[str, Verdict]
    """Verdict of each word of an annotator."""
    voters: frozenset[str]
    """Columns of annotators that hold votes; the others hold ratings."""
    keeps_garbled: bool
    """True to keep texts that a wrong encoding has mixed up."""
    restarting_ids: RestartingIds | None
    """Names of samples of joined files, whose ids begin again; None where they do not."""
    codebook: Codebook | None
    """Meanings of the codes of the label; None without a label or codes."""

    def items(self, record: Row, place: RecordPlace) -> list[Item]:
        """The items of a record: of one row, or of those of the samples that it lists."""
        name = f"{place.path.stem}-{place.number}"
        rows = _flat_rows(record)
        names = [name] if len(rows) == 1 else [f"{name}.{number}" for number in range(1, len(rows) + 1)]
        return [item for row, default in zip(rows, names, strict=True) for item in self._row_items(row, default)]

    def _row_items(self, row: Row, default_id: str) -> list[Item]:
        """The pair of a row and its edit; label, error type and annotators speak of the edit where there is one."""
        if self.codebook:
            self.codebook.check(row)
        values = self._texts(row)
        if self.columns.annotator and not values.get("id"):
            default_id = fields.document_key("\0".join(str(value) for value in values.values()))
        if self.restarting_ids and (name := fields.optional(values, "id")):
            values["id"] = self.restarting_ids.unique(name, (str(values.get("document")), str(values["summary"])))
        if not self.keeps_garbled:
            check_decoding(values)
        columns = own_columns(row, self.mapped)
        made = [replace(item, columns=columns) for item in item_stream.items_of_fields(values, default_id)]
        *plain, last = made
        original = Verdict.CONSISTENT if self.columns.edited_label else None
        label = self.columns.edited_label if plain else None
        return [
            *(replace(item, intended=original, **self._description(item, row)) for item in plain),
            replace(last, **self._description(last, row), **self._judgements(last, row, label)),
        ]

    def _texts(self, row: Row) -> dict[str, object]:
        """The fields that a record has under any importer; those that must not be blank are checked by their column."""
        copied = {field: row.get(self.mapped[field]) for field in _COPIED_FIELDS if field in self.mapped}
        texts = {**copied, "summary": _filled_passage(row, self.mapped["summary"])}
        if "document" not in self.mapped or (texts.get("contexts") and not is_filled(row, self.mapped["document"])):
            return texts
        return {**texts, "document": _filled_passage(row, self.mapped["document"])}

    def _description(self, item: Item, row: Row) -> dict[str, Any]:
        """Fields that both sides of a pair share, and the scores of an item's own side."""
        columns = self.columns
        own = [
            score
            for score in columns.scores
            if score.edited == (item.parent is not None) and is_filled(row, score.column)
        ]
        values = [(score, fields.table_number(row[score.column])) for score in own]

        filled = [column for column in columns.slices if is_filled(row, column)]
        cells = [(column, row[column]) for column in filled]  # a list of names, or a cell as its text
        named_slices = [
            (column, name)
            for column, cell in cells
            for name in item_stream.parse_slices(
                cell if isinstance(cell, list | int) and not isinstance(cell, bool) else str(cell)
            )
        ]
        slice_names = tuple(
            dict.fromkeys(
                name if column.lower() in _SLICE_NAMES else f"{column}: {name}" for column, name in named_slices
            )
        )
        return {
            "system": fields.optional(row, columns.system) if columns.system else "",
            "split": fields.choice(row, columns.split, SPLIT_WORDS) if columns.split else None,
            "slices": slice_names,
            "scores": tuple(
                StoredScore(score.kept_as, -value if score.lower_is_better else value)
                for score, value in values
                if value is not None
            ),
            "failed_scores": tuple(score.kept_as for score, value in values if value is None),
        }

    def _judgements(self, item: Item, row: Row, default: Verdict | None) -> dict[str, Any]:
        """Labels of an item: its verdict, by default `default`, its errors, the votes and the ratings."""
        columns, name = self.columns, item.example.id
        judges = [judge for judge in columns.annotators if is_filled(row, judge)]
        voting = [
            judge for judge in judges if judge in self.voters and label_word(row, judge) not in columns.unlabelled
        ]
        rating = [judge for judge in judges if judge not in self.voters]
        errors: tuple[str, ...] = ()
        if columns.error_type and isinstance(row.get(columns.error_type), list):
            errors = tuple(fields.texts(row, columns.error_type))
        elif columns.error_type:
            text = fields.optional(row, columns.error_type).strip()
            listed = fields.literals(row, columns.error_type) if text.startswith("[") else [text]
            errors = tuple(listed) if text.lower() not in {"", "n/a", "none"} else ()
        kinds = [item_stream.parse_error_type(error) for error in errors]
        votes = tuple(Judgement(name, judge, fields.choice(row, judge, self.votes)) for judge in voting)
        label = self._label(row)
        who = fields.optional(row, columns.annotator) if columns.annotator else ""
        own = (Judgement(name, who, label),) if who and label else ()
        return {
            "intended": label or default or (None if columns.label else majority(votes)),
            "error_type": kinds[0] if len(kinds) == 1 else None,
            "categories": errors,
            "judgements": (*own, *votes),
            "ratings": (
                *(Rating(judge, "rating", _level(row, judge)) for judge in rating),
                *(
                    Rating(who or ALL_JUDGES, aspect, _level(row, aspect))
                    for aspect in columns.ratings
                    if is_filled(row, aspect) and label_word(row, aspect) not in UNLABELLED_WORDS
                ),
            ),
        }

    def _label(self, row: Row) -> Verdict | None:
        """The verdict of a row: of one whose sentences are labelled, that of the worst sentence."""
        column = self.columns.label
        if not column or not is_filled(row, column):
            return None
        words = [word for word in label_words(row, column) if word not in self.columns.unlabelled]
        verdicts = {fields.meaning(column, word, self.verdicts) for word in words}
        return next((verdict for verdict in _WORST_FIRST if verdict in verdicts), None)


def check_decoding(values: Row) -> None:
    """Raises TouchstoneError where a text of these fields was lost or mixed up in a wrong encoding."""
    for field in ("document", "summary", "edited"):
        text = values.get(field)
        if isinstance(text, str) and (error := decoding_error(text)):
            raise TouchstoneError(
                f"The {field} {error} Write the file again from the original texts, name its encoding "
                "(generic[encoding=…]), or keep such texts (generic[garbled=keep])."
            )


def _filled_passage(row: Row, column: str) -> str:
    return fields.passage(row, column) or fields.text(row, column)


def _level(row: Row, column: str) -> float:
    level = fields.table_number(row[column])
    return fields.number(row, column) if level is None else level


def own_columns(row: Row, mapped: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The cells of a row beside its texts, by column: a number as its digits, a list or an object as JSON."""
    texts = {mapped[field] for field in _TEXT_FIELDS if field in mapped}
    return tuple((name, _cell_text(name, cell)) for name, cell in row.items() if name and name not in texts)


def _cell_text(name: str, cell: object) -> str:
    if cell is None or (isinstance(cell, str | int) and not isinstance(cell, bool)):
        return fields.clean_text(name, cell)
    if isinstance(cell, float):
        return fields.clean_text(name, cell) if cell != cell or cell.is_integer() else repr(cell)
    return json.dumps(cell, ensure_ascii=False, default=str)


def merge_judges(records: Iterable[Item | Refusal]) -> Iterator[Item | Refusal]:
    """The samples of a table with a row for each judge, each once: its label is that of most judges, none where they tie."""
    merged: dict[str, Item] = {}
    for record in records:
        if isinstance(record, Refusal):
            yield record
            continue
        before = merged.get(record.example.id, record)
        if before.example != record.example:
            yield Refusal(0, f"The id {record.example.id!r} has several summaries or documents. Map no id, or another.")
        elif before is record:
            merged[record.example.id] = record
        else:
            merged[record.example.id] = replace(
                before,
                judgements=tuple(dict.fromkeys((*before.judgements, *record.judgements))),
                ratings=tuple(dict.fromkeys((*before.ratings, *record.ratings))),
                categories=tuple(dict.fromkeys((*before.categories, *record.categories))),
            )
    for item in merged.values():
        yield replace(item, intended=majority(item.judgements)) if item.judgements else item


def majority(votes: Iterable[Judgement]) -> Verdict | None:
    """Verdict of most votes; None where they tie or there is none."""
    counted = Counter(vote.verdict for vote in votes).most_common(2)
    tied = len(counted) == 2 and counted[0][1] == counted[1][1]
    return None if tied or not counted else counted[0][0]
